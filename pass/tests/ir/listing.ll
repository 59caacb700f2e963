; Every hooked access is listed where a level is in the environment: kind, bytes, variable, offset, place, function.
; A local variable that is private has no hook and is not listed; an index that is computed has no offset.
;@ env: DPOR_LEVEL=-O2
; CHECK: @dpor.accesses = internal global {{.*}}level\09-O2\0A
; CHECK-SAME: access\09read\094\09cells\098\09\090\090\09f\09f\0A
; CHECK-SAME: access\09atomic write\094\09cells\09\09\090\090\09f\09f\0A
; CHECK-SAME: access\09write\09{{8}}\09\090\09\090\090\09f\09f\0A
; CHECK-SAME: section "dpor_accesses"
@cells = global [4 x i32] zeroinitializer

define void @f(i64 %i, ptr %p) {
  %own = alloca i32
  store i32 1, ptr %own
  %third = getelementptr [4 x i32], ptr @cells, i64 0, i64 2
  %value = load i32, ptr %third
  %some = getelementptr [4 x i32], ptr @cells, i64 0, i64 %i
  store atomic i32 %value, ptr %some seq_cst, align 4
  store i64 0, ptr %p
  ret void
}
