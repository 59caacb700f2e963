; Where levels are compared, the optimizer may move loads as it does without the plugin.
;@ env: DPOR_LEVEL=-O2
;@ passes: dpor-early
; CHECK-NOT: sanitize_thread
; CHECK: define void @f() {
define void @f() {
  ret void
}
