; The same bitcode, optimized again: now it gets its hooks, once.
;@ passes: dpor,dpor,dpor

; CHECK: define void @store()
; CHECK: call void @__dpor_write4(
; CHECK-NOT: call void @__dpor_write4(
; CHECK: !"dpor.linked", i32 1
define void @store() {
  store i32 1, ptr @g
  ret void
}
@g = global i32 0

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"ThinLTO", i32 0}
