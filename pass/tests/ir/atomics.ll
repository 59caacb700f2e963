; Atomic accesses are replaced. Orders: relaxed 2, acquire 4, release 5, acq_rel 6, seq_cst 7.
;@ env: DPOR_PASS=shared-all

define double @loads(ptr %p) {
; CHECK-LABEL: define double @loads(
; CHECK-NEXT: call zeroext i8 @__dpor_load1(ptr %p, i32 1, ptr @dpor.site
; CHECK-NEXT: call zeroext i16 @__dpor_load2(ptr %p, i32 2,
; CHECK-NEXT: call i32 @__dpor_load4(ptr %p, i32 4,
; CHECK-NEXT: %[[P:.*]] = call i64 @__dpor_load8(ptr %p, i32 7,
; CHECK-NEXT: inttoptr i64 %[[P]] to ptr
; CHECK-NEXT: call i128 @__dpor_load16(ptr %p, i32 7,
; CHECK-NEXT: %[[D:.*]] = call i64 @__dpor_load8(ptr %p, i32 2,
; CHECK-NEXT: %[[F:.*]] = bitcast i64 %[[D]] to double
; CHECK-NEXT: ret double %[[F]]
  %a = load atomic i8, ptr %p unordered, align 1
  %b = load atomic i16, ptr %p monotonic, align 2
  %c = load atomic i32, ptr %p acquire, align 4
  %d = load atomic ptr, ptr %p seq_cst, align 8
  %e = load atomic i128, ptr %p seq_cst, align 16
  %f = load atomic double, ptr %p monotonic, align 8
  ret double %f
}

define void @stores(ptr %p, ptr %q, float %f) {
; CHECK-LABEL: define void @stores(
; CHECK-NEXT: call void @__dpor_store1(ptr %p, i8 zeroext 1, i32 2,
; CHECK-NEXT: call void @__dpor_store4(ptr %p, i32 2, i32 5,
; CHECK-NEXT: %[[Q:.*]] = ptrtoint ptr %q to i64
; CHECK-NEXT: call void @__dpor_store8(ptr %p, i64 %[[Q]], i32 7,
; CHECK-NEXT: %[[F:.*]] = bitcast float %f to i32
; CHECK-NEXT: call void @__dpor_store4(ptr %p, i32 %[[F]], i32 7,
; CHECK-NEXT: ret void
  store atomic i8 1, ptr %p monotonic, align 1
  store atomic i32 2, ptr %p release, align 4
  store atomic ptr %q, ptr %p seq_cst, align 8
  store atomic float %f, ptr %p seq_cst, align 4
  ret void
}

define i1 @compare_exchange(ptr %p, ptr %q) {
; CHECK-LABEL: define i1 @compare_exchange(
; CHECK-NEXT: %[[A:.*]] = call i32 @__dpor_cas4(ptr %p, i32 1, i32 2, i32 7, i32 4, i32 0, ptr @dpor.site
; CHECK-NEXT: %[[S:.*]] = icmp eq i32 %[[A]], 1
; CHECK-NEXT: insertvalue { i32, i1 } poison, i32 %[[A]], 0
; CHECK-NEXT: insertvalue { i32, i1 } %{{.*}}, i1 %[[S]], 1
; CHECK-NEXT: %[[Q:.*]] = ptrtoint ptr %q to i64
; CHECK-NEXT: %[[B:.*]] = call i64 @__dpor_cas8(ptr %p, i64 0, i64 %[[Q]], i32 6, i32 2, i32 1,
; CHECK-NEXT: %[[T:.*]] = icmp eq i64 %[[B]], 0
; CHECK-NEXT: %[[O:.*]] = inttoptr i64 %[[B]] to ptr
; CHECK-NEXT: insertvalue { ptr, i1 } poison, ptr %[[O]], 0
  %a = cmpxchg ptr %p, i32 1, i32 2 seq_cst acquire
  %b = cmpxchg weak ptr %p, ptr null, ptr %q acq_rel monotonic
  %c = extractvalue { ptr, i1 } %b, 1
  ret i1 %c
}

define i64 @integer_operators(ptr %p) {
; Operators by number; the last but one argument says whether the result is used.
; CHECK-LABEL: define i64 @integer_operators(
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 0, i32 7, i32 0,
; CHECK-NEXT: call zeroext i8 @__dpor_rmw1(ptr %p, i8 zeroext 3, i32 1, i32 2, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 2, i32 4, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 3, i32 5, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 4, i32 6, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 5, i32 7, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 6, i32 7, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 7, i32 7, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 8, i32 7, i32 0,
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 3, i32 9, i32 7, i32 0,
; CHECK-NEXT: %[[R:.*]] = call i64 @__dpor_rmw8(ptr %p, i64 3, i32 10, i32 7, i32 1,
; CHECK-NEXT: ret i64 %[[R]]
  %a = atomicrmw xchg ptr %p, i64 3 seq_cst
  %b = atomicrmw add ptr %p, i8 3 monotonic
  %c = atomicrmw sub ptr %p, i64 3 acquire
  %d = atomicrmw and ptr %p, i64 3 release
  %e = atomicrmw nand ptr %p, i64 3 acq_rel
  %f = atomicrmw or ptr %p, i64 3 seq_cst
  %g = atomicrmw xor ptr %p, i64 3 seq_cst
  %h = atomicrmw max ptr %p, i64 3 seq_cst
  %i = atomicrmw min ptr %p, i64 3 seq_cst
  %j = atomicrmw umax ptr %p, i64 3 seq_cst
  %k = atomicrmw umin ptr %p, i64 3 seq_cst
  ret i64 %k
}

define float @other_operators(ptr %p, ptr %q) {
; CHECK-LABEL: define float @other_operators(
; CHECK-NEXT: %[[Q:.*]] = ptrtoint ptr %q to i64
; CHECK-NEXT: call i64 @__dpor_rmw8(ptr %p, i64 %[[Q]], i32 0, i32 7, i32 0,
; CHECK-NEXT: inttoptr
; CHECK-NEXT: %[[I:.*]] = call i32 @__dpor_rmw_begin4(ptr %p, i32 7, i32 1, ptr @dpor.site
; CHECK-NEXT: %[[O:.*]] = bitcast i32 %[[I]] to float
; CHECK-NEXT: %[[N:.*]] = fadd float %[[O]], 1.0
; CHECK-NEXT: %[[J:.*]] = bitcast float %[[N]] to i32
; CHECK-NEXT: call void @__dpor_rmw_end4(ptr %p, i32 %[[J]], i32 7,
; CHECK: call i64 @__dpor_rmw_begin8(
; CHECK: call double @llvm.maxnum.f64(
; CHECK: call void @__dpor_rmw_end8(
; CHECK: ret float %[[O]]
  %a = atomicrmw xchg ptr %p, ptr %q seq_cst
  %b = atomicrmw fadd ptr %p, float 1.0 seq_cst
  %c = atomicrmw fmax ptr %p, double 1.0 seq_cst
  ret float %b
}

define void @fences() {
; CHECK-LABEL: define void @fences(
; CHECK-NEXT: call void @__dpor_fence(i32 4, i32 0,
; CHECK-NEXT: call void @__dpor_fence(i32 5, i32 0,
; CHECK-NEXT: call void @__dpor_fence(i32 6, i32 0,
; CHECK-NEXT: call void @__dpor_fence(i32 7, i32 0,
; CHECK-NEXT: call void @__dpor_fence(i32 7, i32 1,
; CHECK-NEXT: ret void
  fence acquire
  fence release
  fence acq_rel
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  ret void
}

define void @within_one_thread(ptr %p) {
; Indivisible, but ordering nothing between threads.
; CHECK-LABEL: define void @within_one_thread(
; CHECK-NEXT: call void @__dpor_store4(ptr %p, i32 1, i32 2,
  store atomic i32 1, ptr %p syncscope("singlethread") seq_cst, align 4
  ret void
}

define i256 @too_wide(ptr %p) {
; Becomes a call of __atomic_load, which the runtime sees.
; CHECK-LABEL: define i256 @too_wide(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: load atomic i256
  %a = load atomic i256, ptr %p seq_cst, align 32
  ret i256 %a
}

define i32 @dropped_results(ptr %p) {
; As clang writes "fetch_or(...);" and "++x;" without optimization: nobody looks at the result. The
; last one is looked at.
; CHECK-LABEL: define i32 @dropped_results(
; CHECK: call i32 @__dpor_rmw4(ptr %p, i32 1, i32 5, i32 7, i32 0,
; CHECK: call i32 @__dpor_rmw4(ptr %p, i32 1, i32 1, i32 7, i32 0,
; CHECK: call i32 @__dpor_rmw4(ptr %p, i32 2, i32 1, i32 7, i32 1,
  %dropped = alloca i32
  %kept = alloca i32
  %a = atomicrmw or ptr %p, i32 1 seq_cst
  store i32 %a, ptr %dropped
  %b = load i32, ptr %dropped
  %c = atomicrmw add ptr %p, i32 1 seq_cst
  %d = add i32 %c, 1
  %e = atomicrmw add ptr %p, i32 2 seq_cst
  store i32 %e, ptr %kept
  %f = load i32, ptr %kept
  ret i32 %f
}
