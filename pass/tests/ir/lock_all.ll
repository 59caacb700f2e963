; std::lock says which mutexes it wants before it begins: two, three, or the mutexes of unique_locks that do not
; own them. Of four, or of what is not the library's, nothing is known.
;@ passes: dpor-early

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockISt5mutexS0_JEEvRT_RT0_DpRT1_(
; CHECK-NEXT: alloca
; CHECK-NEXT: call void @dpor_lock_all(i32 2, ptr %a, ptr %b, ptr null)
; CHECK-NEXT: store
define linkonce_odr void @_ZSt4lockISt5mutexS0_JEEvRT_RT0_DpRT1_(ptr %a, ptr %b) {
  %slot = alloca ptr
  store ptr %a, ptr %slot
  ret void
}

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockISt15recursive_mutexSt11timed_mutexJS0_EEvRT_RT0_DpRT1_(
; CHECK-NEXT: call void @dpor_lock_all(i32 3, ptr %a, ptr %b, ptr %c)
define linkonce_odr void @_ZSt4lockISt15recursive_mutexSt11timed_mutexJS0_EEvRT_RT0_DpRT1_(ptr %a, ptr %b, ptr %c) {
  ret void
}

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockISt5mutexSt11unique_lockIS0_EJEEvRT_RT0_DpRT1_(
; CHECK: [[FLAG:%.*]] = getelementptr i8, ptr %b, i64 8
; CHECK: [[OWNS:%.*]] = load i8, ptr [[FLAG]]
; CHECK: [[FREE:%.*]] = icmp eq i8 [[OWNS]], 0
; CHECK: [[MUTEX:%.*]] = load ptr, ptr %b
; CHECK: [[SECOND:%.*]] = select i1 [[FREE]], ptr [[MUTEX]], ptr null
; CHECK: call void @dpor_lock_all(i32 2, ptr %a, ptr [[SECOND]], ptr null)
define linkonce_odr void @_ZSt4lockISt5mutexSt11unique_lockIS0_EJEEvRT_RT0_DpRT1_(ptr %a, ptr %b) {
  ret void
}

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockISt5mutexS0_JS0_S0_EEvRT_RT0_DpRT1_(
; CHECK-NEXT: ret void
define linkonce_odr void @_ZSt4lockISt5mutexS0_JS0_S0_EEvRT_RT0_DpRT1_(ptr %a, ptr %b, ptr %c, ptr %d) {
  ret void
}

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockI4MineS0_JEEvRT_RT0_DpRT1_(
; CHECK-NEXT: ret void
define linkonce_odr void @_ZSt4lockI4MineS0_JEEvRT_RT0_DpRT1_(ptr %a, ptr %b) {
  ret void
}
