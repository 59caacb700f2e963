; std::lock says which mutexes it wants before it begins: two, three and more, or the mutexes of unique_locks
; that do not own them. Of seventeen, or of what is not the library's, nothing is known.
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
; CHECK-NEXT: call void @dpor_lock_more(ptr %d, ptr null, ptr null)
; CHECK-NEXT: call void @dpor_lock_all(i32 4, ptr %a, ptr %b, ptr %c)
; CHECK-NEXT: ret void
define linkonce_odr void @_ZSt4lockISt5mutexS0_JS0_S0_EEvRT_RT0_DpRT1_(ptr %a, ptr %b, ptr %c, ptr %d) {
  ret void
}

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockISt5mutexS0_JS0_S0_S0_S0_S0_EEvRT_RT0_DpRT1_(
; CHECK-NEXT: call void @dpor_lock_more(ptr %d, ptr %e, ptr %f)
; CHECK-NEXT: call void @dpor_lock_more(ptr %g, ptr null, ptr null)
; CHECK-NEXT: call void @dpor_lock_all(i32 7, ptr %a, ptr %b, ptr %c)
define linkonce_odr void @_ZSt4lockISt5mutexS0_JS0_S0_S0_S0_S0_EEvRT_RT0_DpRT1_(ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g) {
  ret void
}

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockISt5mutexS0_JS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_EEvRT_RT0_DpRT1_(
; CHECK-NEXT: ret void
define linkonce_odr void @_ZSt4lockISt5mutexS0_JS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_EEvRT_RT0_DpRT1_(ptr %m0, ptr %m1, ptr %m2, ptr %m3, ptr %m4, ptr %m5, ptr %m6, ptr %m7, ptr %m8, ptr %m9, ptr %m10, ptr %m11, ptr %m12, ptr %m13, ptr %m14, ptr %m15, ptr %m16) {
  ret void
}

; CHECK-LABEL: define linkonce_odr void @_ZSt4lockI4MineS0_JEEvRT_RT0_DpRT1_(
; CHECK-NEXT: ret void
define linkonce_odr void @_ZSt4lockI4MineS0_JEEvRT_RT0_DpRT1_(ptr %a, ptr %b) {
  ret void
}
