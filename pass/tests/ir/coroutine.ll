; A coroutine that is not split yet is left alone, with a warning.
;@ warns: dpor: warning: coroutine unsplit is not split at the end of the optimizer

@g = global i32 0

define void @unsplit() presplitcoroutine {
; CHECK-LABEL: define void @unsplit(
; CHECK-NOT: @__dpor_
; CHECK: {{^}}}
  store i32 1, ptr @g
  ret void
}

define void @ordinary() {
; CHECK-LABEL: define void @ordinary(
; CHECK: call void @__dpor_write4(
  store i32 1, ptr @g
  ret void
}
