; Operators that came with LLVM 20.
;@ env: DPOR_PASS=shared-all
;@ llvm: 20

define void @operators(ptr %p, i32 %v) {
; CHECK-LABEL: define void @operators(
; CHECK-NEXT: %[[A:.*]] = call i32 @__dpor_rmw_begin4(
; CHECK-NEXT: %[[C:.*]] = icmp uge i32 %[[A]], %v
; CHECK-NEXT: %[[S:.*]] = sub i32 %[[A]], %v
; CHECK-NEXT: select i1 %[[C]], i32 %[[S]], i32 %[[A]]
; CHECK-NEXT: call void @__dpor_rmw_end4(
; CHECK-NEXT: %[[B:.*]] = call i32 @__dpor_rmw_begin4(
; CHECK-NEXT: icmp uge i32 %[[B]], %v
; CHECK-NEXT: sub i32 %[[B]], %v
; CHECK-NEXT: select i1 %{{.*}}, i32 %{{.*}}, i32 0
; CHECK-NEXT: call void @__dpor_rmw_end4(
  %a = atomicrmw usub_cond ptr %p, i32 %v seq_cst
  %b = atomicrmw usub_sat ptr %p, i32 %v seq_cst
  ret void
}
