; Calls that leave the module, memory functions and intrinsics, byval arguments, musttail.
;@ env: DPOR_PASS=shared-all

declare void @outside(ptr)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memmove(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)
declare i32 @memcmp(ptr, ptr, i64)
declare void @bcopy(ptr, ptr, i64)
declare void @bzero(ptr, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare void @llvm.donothing()

define internal void @inside(ptr %p) {
  ret void
}

define void @leaving(ptr %f) {
; CHECK-LABEL: define void @leaving(
; CHECK-NEXT: call void @inside(
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @outside, ptr @dpor.site
; CHECK-NEXT: call void @outside(
; CHECK-NEXT: call void @__dpor_call_unseen(ptr %f,
; CHECK-NEXT: call void %f(
; CHECK-NEXT: call void @llvm.donothing()
; CHECK-NEXT: ret void
  call void @inside(ptr null)
  call void @outside(ptr null)
  call void %f(ptr null)
  call void @llvm.donothing()
  ret void
}

define void @must_stay_last(ptr %p) {
; CHECK-LABEL: define void @must_stay_last(
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @outside,
; CHECK-NEXT: musttail call void @outside(
; CHECK-NEXT: ret void
  musttail call void @outside(ptr %p)
  ret void
}

define void @functions(ptr %p, ptr %q, i64 %n) {
; CHECK-LABEL: define void @functions(
; CHECK-NEXT: call void @__dpor_read_range(ptr %q, i64 %n,
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 %n,
; CHECK-NEXT: call ptr @memcpy(
; CHECK-NEXT: call void @__dpor_read_range(ptr %q, i64 %n,
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 %n,
; CHECK-NEXT: call ptr @memmove(
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 %n,
; CHECK-NEXT: call ptr @memset(
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 %n,
; CHECK-NEXT: call void @__dpor_read_range(ptr %q, i64 %n,
; CHECK-NEXT: call i32 @memcmp(
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 %n,
; CHECK-NEXT: call void @__dpor_write_range(ptr %q, i64 %n,
; CHECK-NEXT: call void @bcopy(
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 %n,
; CHECK-NEXT: call void @bzero(
  %a = call ptr @memcpy(ptr %p, ptr %q, i64 %n)
  %b = call ptr @memmove(ptr %p, ptr %q, i64 %n)
  %c = call ptr @memset(ptr %p, i32 0, i64 %n)
  %d = call i32 @memcmp(ptr %p, ptr %q, i64 %n)
  call void @bcopy(ptr %p, ptr %q, i64 %n)
  call void @bzero(ptr %p, i64 %n)
  ret void
}

define void @intrinsics(ptr %p, ptr %q) {
; CHECK-LABEL: define void @intrinsics(
; CHECK-NEXT: call void @__dpor_read_range(ptr %q, i64 5,
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 5,
; CHECK-NEXT: call void @llvm.memcpy.p0
; CHECK-NEXT: call void @__dpor_read_range(ptr %q, i64 6,
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 6,
; CHECK-NEXT: call void @llvm.memmove
; CHECK-NEXT: call void @__dpor_volatile_range(ptr %p, i64 7, i32 1,
; CHECK-NEXT: call void @llvm.memset
; CHECK-NEXT: call void @__dpor_read_range(ptr %q, i64 8,
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 8,
; CHECK-NEXT: call void @llvm.memcpy.inline
; CHECK-NEXT: call void @__dpor_read_range(ptr %q, i64 16,
; CHECK-NEXT: call void @__dpor_write_range(ptr %p, i64 16,
; CHECK-NEXT: call void @llvm.memcpy.element
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 5, i1 false)
  call void @llvm.memmove.p0.p0.i32(ptr %p, ptr %q, i32 6, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 7, i1 true)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 16, i32 4)
  ret void
}

define void @byval(ptr %p) {
; CHECK-LABEL: define void @byval(
; CHECK-NEXT: call void @__dpor_read_range(ptr %p, i64 20,
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @outside,
; CHECK-NEXT: call void @outside(ptr byval([5 x i32]) %p)
  call void @outside(ptr byval([5 x i32]) %p)
  ret void
}
