; Values of a verifier's function that are only compared with constants: one of each class is announced before the call.
; What is used otherwise is not.
;@ passes: dpor-early

; CHECK-DAG: [[VALUES:@dpor.classes[.0-9]*]] = private unnamed_addr constant { i64, i64, i64 } { i64 0, i64 5, i64 9 }
; CHECK-DAG: [[CASES:@dpor.classes[.0-9]*]] = private unnamed_addr constant { i64, i64 } { i64 0, i64 4 }

; Below 5, 9, and all others.
; CHECK-LABEL: define i1 @compared(
; CHECK: call void @__dpor_classes(ptr {{.*}}, ptr [[VALUES]], i32 3)
; CHECK-NEXT: call i32 @__VERIFIER_nondet_int()
define i1 @compared() {
  %slot = alloca i32
  %x = call i32 @__VERIFIER_nondet_int()
  store i32 %x, ptr %slot
  %once = load i32, ptr %slot
  %a = icmp slt i32 %once, 5
  %again = load i32, ptr %slot
  %b = icmp eq i32 %again, 9
  %c = or i1 %a, %b
  ret i1 %c
}

; Two cases with one way; a byte that is made wider.
; CHECK-LABEL: define void @cases(
; CHECK: call void @__dpor_classes(ptr {{.*}}, ptr [[CASES]], i32 2)
define void @cases() {
  %x = call i8 @__VERIFIER_nondet_char()
  %wide = sext i8 %x to i32
  switch i32 %wide, label %out [
    i32 4, label %in
    i32 6, label %in
  ]
in:
  ret void
out:
  ret void
}

; Computed with; kept where others may see it; given away.
; CHECK-LABEL: define i32 @others(
; CHECK-NOT: __dpor_classes
define i32 @others(ptr %place) {
  %x = call i32 @__VERIFIER_nondet_int()
  %masked = and i32 %x, 3
  %y = call i32 @__VERIFIER_nondet_int()
  store i32 %y, ptr %place
  %z = call i32 @__VERIFIER_nondet_int()
  %slot = alloca i32
  store i32 %z, ptr %slot
  call void @unknown(ptr %slot)
  %u = call i32 @__VERIFIER_nondet_int()
  ret i32 %u
}

; The program's own.
; CHECK-LABEL: define i1 @own(
; CHECK-NOT: __dpor_classes
define i1 @own() {
  %x = call i32 @__VERIFIER_nondet_uint()
  %a = icmp eq i32 %x, 9
  ret i1 %a
}

; CHECK-LABEL: define i32 @__VERIFIER_nondet_uint(
define i32 @__VERIFIER_nondet_uint() {
  ret i32 4
}

declare i32 @__VERIFIER_nondet_int()
declare i8 @__VERIFIER_nondet_char()
declare void @unknown(ptr)
