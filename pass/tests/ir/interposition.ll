; With -fsemantic-interposition the linker may put another function in the place of a strong one.

define void @harmless(ptr %p) {
  ret void
}
define internal void @harmless_and_local(ptr %p) {
  ret void
}

define void @to_exported() {
; CHECK-LABEL: define void @to_exported(
; CHECK: call void @__dpor_write4(ptr %x,
  %x = alloca i32
  store i32 1, ptr %x
  call void @harmless(ptr %x)
  ret void
}

define void @to_local() {
; CHECK-LABEL: define void @to_local(
; CHECK-NOT: __dpor_write4
; CHECK: {{^}}}
  %x = alloca i32
  store i32 1, ptr %x
  call void @harmless_and_local(ptr %x)
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"SemanticInterposition", i32 1}
