; Variables on the stack that another thread may reach begin and end; others, and those of main, are not told of.

declare void @keep(ptr)

; One of them: no question before.
; CHECK-LABEL: define void @one(
; CHECK: %shared = alloca
; CHECK: call void @__dpor_scope_begin(ptr %shared, i64 4, ptr {{.*}})
; CHECK: call void @keep(ptr %shared)
; CHECK-NEXT: call void @__dpor_scope_end(ptr %shared, i64 4, ptr {{.*}})
; CHECK-NEXT: ret void
define void @one() {
  %shared = alloca i32
  %own = alloca i32
  store i32 1, ptr %own
  call void @keep(ptr %shared)
  ret void
}

; Several: whether they are of interest is asked first.
; CHECK-LABEL: define void @several(
; CHECK: [[TOP:%.*]] = call ptr @llvm.addressofreturnaddress.p0()
; CHECK-NEXT: [[ANSWER:%.*]] = call i32 @__dpor_frame_begin(ptr [[TOP]], ptr {{.*}})
; CHECK-NEXT: [[WANTED:%.*]] = icmp ugt i32 [[ANSWER]], 0
; CHECK-NEXT: br i1 [[WANTED]]
; CHECK: call void @__dpor_scope_begin(ptr %a, i64 4,
; CHECK-NEXT: call void @__dpor_scope_begin(ptr %b, i64 80,
; CHECK: call i32 @__dpor_frame_end(
; CHECK: call void @__dpor_scope_end(ptr %a, i64 4,
; CHECK-NEXT: call void @__dpor_scope_end(ptr %b, i64 80,
; CHECK: ret void
define void @several() {
  %a = alloca i32
  %b = alloca [10 x i64]
  call void @keep(ptr %a)
  call void @keep(ptr %b)
  ret void
}

; An argument by value.
; CHECK-LABEL: define void @value(
; CHECK: call void @__dpor_scope_begin(ptr %copy, i64 16,
; CHECK: call void @keep(ptr %copy)
; CHECK-NEXT: call void @__dpor_scope_end(ptr %copy, i64 16,
define void @value(ptr byval({ i64, i64 }) %copy) {
  call void @keep(ptr %copy)
  ret void
}

; A size that is computed: it begins where it is made, and all below the return address ends.
; CHECK-LABEL: define void @computed(
; CHECK: %block = alloca i32, i64 %count
; CHECK-NEXT: [[BYTES:%.*]] = mul i64 %count, 4
; CHECK-NEXT: call void @__dpor_scope_begin(ptr %block, i64 [[BYTES]],
; CHECK: call void @__dpor_stack_end(ptr {{.*}}, ptr {{.*}})
; CHECK-NEXT: ret void
define void @computed(i64 %count) {
  %block = alloca i32, i64 %count
  call void @keep(ptr %block)
  ret void
}

; A call that may be a jump has no need of the frame.
; CHECK-LABEL: define void @jumps(
; CHECK: call void @__dpor_scope_end(ptr %shared,
; CHECK: musttail call void @jumps()
; CHECK-NEXT: ret void
define void @jumps() {
  %shared = alloca i32
  call void @keep(ptr %shared)
  musttail call void @jumps()
  ret void
}

; CHECK-LABEL: define i32 @main(
; CHECK-NOT: @__dpor_frame
; CHECK-NOT: @__dpor_scope
; CHECK: ret i32 0
define i32 @main() {
  %shared = alloca i32
  call void @keep(ptr %shared)
  ret i32 0
}
