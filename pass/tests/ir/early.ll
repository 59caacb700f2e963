; Before optimization: loops of libstdc++'s that wait without sleeping, and the attribute that keeps loads
; where they are.
;@ passes: dpor-early

declare void @_ZNSt8__detail14__thread_relaxEv()
declare void @_ZNSt10stop_token8_S_yieldEv()
declare i1 @predicate()

; CHECK: define i1 @_ZNSt8__detail13__atomic_spinI1PNS_21__default_spin_policyEEEbRT_T0_(){{.*}} [[LOADS:#[0-9]+]] {
; CHECK: icmp slt i32 %i, 1
; CHECK: icmp slt i32 %i, 12
; CHECK: call void @_ZNSt8__detail14__thread_relaxEv()
define i1 @_ZNSt8__detail13__atomic_spinI1PNS_21__default_spin_policyEEEbRT_T0_() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %tail ]
  %more = icmp slt i32 %i, 16
  br i1 %more, label %look, label %out
look:
  %over = call i1 @predicate()
  br i1 %over, label %out, label %hint
hint:
  %relax = icmp slt i32 %i, 12
  br i1 %relax, label %pause, label %tail
pause:
  call void @_ZNSt8__detail14__thread_relaxEv()
  br label %tail
tail:
  %next = add i32 %i, 1
  br label %head
out:
  %result = phi i1 [ false, %head ], [ true, %look ]
  ret i1 %result
}

; Two bounds: not what is expected.
; CHECK-LABEL: define i1 @_ZNSt8__detail13__atomic_spinIother(
; CHECK: icmp slt i32 %i, 16
; CHECK: icmp slt i32 %j, 16
define i1 @_ZNSt8__detail13__atomic_spinIother(i32 %i, i32 %j) {
  %a = icmp slt i32 %i, 16
  %b = icmp slt i32 %j, 16
  %c = and i1 %a, %b
  ret i1 %c
}

; CHECK-LABEL: define void @_ZNKSt10_Sp_atomicISt10shared_ptrIiEE13_Atomic_count4lockESt12memory_order(
; CHECK: call void @__dpor_spin()
; CHECK: call void @_ZNSt10stop_token8_S_yieldEv()
define void @_ZNKSt10_Sp_atomicISt10shared_ptrIiEE13_Atomic_count4lockESt12memory_order() {
  call void @_ZNSt8__detail14__thread_relaxEv()
  call void @_ZNSt10stop_token8_S_yieldEv()
  ret void
}

; CHECK-LABEL: define void @_ZNSt10stop_token13_Stop_state_t14_M_do_try_lockERjjSt12memory_orderS2_(
; CHECK: call void @__dpor_spin()
define void @_ZNSt10stop_token13_Stop_state_t14_M_do_try_lockERjjSt12memory_orderS2_() {
  call void @_ZNSt10stop_token8_S_yieldEv()
  ret void
}

; CHECK-LABEL: define void @anybody(
; CHECK: call void @_ZNSt8__detail14__thread_relaxEv()
; CHECK: call void @_ZNSt10stop_token8_S_yieldEv()
define void @anybody() {
  call void @_ZNSt8__detail14__thread_relaxEv()
  call void @_ZNSt10stop_token8_S_yieldEv()
  ret void
}

; CHECK: attributes [[LOADS]] = { {{.*}}sanitize_thread
