; What clang 19 -flto hands over is optimized again in the linker: no hook yet, and a mark that it waits.

; CHECK: define void @store()
; CHECK-NOT: __dpor
; CHECK: !"dpor.awaits-link", i32 1
define void @store() {
  store i32 1, ptr @g
  ret void
}
@g = global i32 0

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"ThinLTO", i32 0}
