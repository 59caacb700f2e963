; Plain and volatile accesses: width, range, place of the hook.
;@ env: DPOR_PASS=shared-all

define void @widths(ptr %p) {
; CHECK-LABEL: define void @widths(
; CHECK: call void @__dpor_read1(ptr %p, ptr @dpor.site
; CHECK-NEXT: load i8, ptr %p
; CHECK-NEXT: call void @__dpor_read2(
; CHECK-NEXT: load i16
; CHECK-NEXT: call void @__dpor_read4(
; CHECK-NEXT: load i32
; CHECK-NEXT: call void @__dpor_read8(
; CHECK-NEXT: load i64
; CHECK-NEXT: call void @__dpor_read16(
; CHECK-NEXT: load i128
; CHECK-NEXT: call void @__dpor_read4(
; CHECK-NEXT: load float
; CHECK-NEXT: call void @__dpor_read8(
; CHECK-NEXT: load ptr
; CHECK-NEXT: call void @__dpor_read1(
; CHECK-NEXT: load i1
; CHECK-NEXT: call void @__dpor_read16(
; CHECK-NEXT: load fp128
  %a = load i8, ptr %p
  %b = load i16, ptr %p, align 1
  %c = load i32, ptr %p
  %d = load i64, ptr %p
  %e = load i128, ptr %p
  %f = load float, ptr %p
  %g = load ptr, ptr %p
  %h = load i1, ptr %p
  %i = load fp128, ptr %p
  ret void
}

define void @stores(ptr %p) {
; CHECK-LABEL: define void @stores(
; CHECK: call void @__dpor_write1(
; CHECK-NEXT: store i8 1
; CHECK-NEXT: call void @__dpor_write8(
; CHECK-NEXT: store double
; CHECK-NEXT: call void @__dpor_write8(
; CHECK-NEXT: store ptr null
  store i8 1, ptr %p
  store double 1.0, ptr %p
  store ptr null, ptr %p
  ret void
}

define void @ranges(ptr %p) {
; i24 takes 3 bytes, x86_fp80 10, <4 x i32> 16, <3 x i8> 3, {i8, i32} 8 and [3 x i16] 6.
; CHECK-LABEL: define void @ranges(
; CHECK: call void @__dpor_read_range(ptr %p, i64 3,
; CHECK-NEXT: load i24
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 10,
; CHECK-NEXT: load x86_fp80
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 16,
; CHECK-NEXT: load <4 x i32>
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 3,
; CHECK-NEXT: store <3 x i8>
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 8,
; CHECK-NEXT: load { i8, i32 }
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 6,
; CHECK-NEXT: store [3 x i16]
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 32,
; CHECK-NEXT: load i256
  %a = load i24, ptr %p
  %b = load x86_fp80, ptr %p
  %c = load <4 x i32>, ptr %p
  store <3 x i8> zeroinitializer, ptr %p
  %d = load { i8, i32 }, ptr %p
  store [3 x i16] zeroinitializer, ptr %p
  %e = load i256, ptr %p
  ret void
}

define i32 @volatile_scalars(ptr %p, ptr %q) {
; The hook performs the access.
; CHECK-LABEL: define i32 @volatile_scalars(
; CHECK-NEXT: %[[A:.*]] = call i32 @__dpor_volatile_load4(ptr %p, ptr @dpor.site
; CHECK-NEXT: %[[B:.*]] = call zeroext i8 @__dpor_volatile_load1(ptr %p,
; CHECK-NEXT: %[[C:.*]] = trunc i8 %[[B]] to i1
; CHECK-NEXT: %[[Q:.*]] = ptrtoint ptr %q to i64
; CHECK-NEXT: call void @__dpor_volatile_store8(ptr %p, i64 %[[Q]],
; CHECK-NEXT: select i1 %[[C]], i32 %[[A]], i32 0
  %a = load volatile i32, ptr %p
  %b = load volatile i1, ptr %p
  store volatile ptr %q, ptr %p
  %r = select i1 %b, i32 %a, i32 0
  ret i32 %r
}

define void @volatile_ranges(ptr %p) {
; CHECK-LABEL: define void @volatile_ranges(
; CHECK: call void @__dpor_volatile_range(ptr %p, i64 3, i32 0,
; CHECK-NEXT: load volatile i24
; CHECK-NEXT: call void @__dpor_volatile_range(ptr %p, i64 16, i32 1,
; CHECK-NEXT: store volatile <2 x i64>
  %a = load volatile i24, ptr %p
  store volatile <2 x i64> zeroinitializer, ptr %p
  ret void
}

define void @address_spaces(ptr addrspace(270) %p, ptr addrspace(256) %s) {
; A 32-bit pointer has a flat address, one relative to %gs has not.
; CHECK-LABEL: define void @address_spaces(
; CHECK: %[[F:.*]] = addrspacecast ptr addrspace(270) %p to ptr
; CHECK-NEXT: call void @__dpor_read4(ptr %[[F]],
; CHECK-NEXT: load i32, ptr addrspace(270)
; CHECK-NEXT: call void @__dpor_assembly_unknown(
; CHECK-NEXT: load i32, ptr addrspace(256)
  %a = load i32, ptr addrspace(270) %p
  %b = load i32, ptr addrspace(256) %s
  ret void
}

define i32 @variable_argument(ptr %list) {
; CHECK-LABEL: define i32 @variable_argument(
; CHECK: call void @__dpor_write_range(ptr %list, i64 24,
; CHECK-NEXT: va_arg
  %a = va_arg ptr %list, i32
  ret i32 %a
}
