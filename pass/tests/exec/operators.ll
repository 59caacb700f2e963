; Read-modify-write operators that C does not have, on floats, vectors and integers: each function
; applies one to @cell and returns the old value. operators.c calls them.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@cell = external global i64

define float @fadd(float %v) {
  %r = atomicrmw fadd ptr @cell, float %v seq_cst
  ret float %r
}
define float @fsub(float %v) {
  %r = atomicrmw fsub ptr @cell, float %v acquire
  ret float %r
}
define double @fmax(double %v) {
  %r = atomicrmw fmax ptr @cell, double %v release
  ret double %r
}
define double @fmin(double %v) {
  %r = atomicrmw fmin ptr @cell, double %v monotonic
  ret double %r
}
define float @xchg_float(float %v) {
  %r = atomicrmw xchg ptr @cell, float %v seq_cst
  ret float %r
}
define i32 @uinc_wrap(i32 %v) {
  %r = atomicrmw uinc_wrap ptr @cell, i32 %v seq_cst
  ret i32 %r
}
define i32 @udec_wrap(i32 %v) {
  %r = atomicrmw udec_wrap ptr @cell, i32 %v seq_cst
  ret i32 %r
}
define i32 @compare_float(float %e, float %d) {
  %ei = bitcast float %e to i32
  %di = bitcast float %d to i32
  %r = cmpxchg volatile ptr @cell, i32 %ei, i32 %di seq_cst seq_cst
  %s = extractvalue { i32, i1 } %r, 1
  %z = zext i1 %s to i32
  ret i32 %z
}
define float @load_float() {
  %r = load atomic volatile float, ptr @cell seq_cst, align 4
  ret float %r
}
