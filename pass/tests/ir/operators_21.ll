; Operators that came with LLVM 21.
;@ env: DPOR_PASS=shared-all
;@ llvm: 21

define void @operators(ptr %p, float %v) {
; CHECK-LABEL: define void @operators(
; CHECK: call float @llvm.maximum.f32(
; CHECK: call void @__dpor_rmw_end4(
; CHECK: call float @llvm.minimum.f32(
; CHECK: call void @__dpor_rmw_end4(
  %a = atomicrmw fmaximum ptr %p, float %v seq_cst
  %b = atomicrmw fminimum ptr %p, float %v seq_cst
  ret void
}
