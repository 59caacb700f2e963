; What is left alone, and what is not.

target triple = "x86_64-unknown-linux-gnu"

@g = global i32 0
@chosen = ifunc void (), ptr @resolver

define internal ptr @resolver() {
; CHECK-LABEL: define internal ptr @resolver(
; CHECK-NOT: @__dpor_
; CHECK: {{^}}}
  %a = load i32, ptr @g
  call void @only_for_resolver()
  call void @for_both()
  ret ptr @implementation
}

define internal void @only_for_resolver() {
; CHECK-LABEL: define internal void @only_for_resolver(
; CHECK-NOT: @__dpor_
; CHECK: {{^}}}
  store i32 1, ptr @g
  ret void
}

define internal void @for_both() {
; CHECK-LABEL: define internal void @for_both(
; CHECK: call void @__dpor_write4(ptr @g
  store i32 1, ptr @g
  ret void
}

define void @implementation() {
; CHECK-LABEL: define void @implementation(
; CHECK: call void @__dpor_write4(ptr @g
  store i32 1, ptr @g
  call void @for_both()
  ret void
}

define void @naked() naked noinline {
; CHECK-LABEL: define void @naked(
; CHECK-NOT: @__dpor_
; CHECK: {{^}}}
  call void asm sideeffect "movl $$1, g(%rip); ret", "~{memory}"()
  unreachable
}

define void @disabled() disable_sanitizer_instrumentation {
; CHECK-LABEL: define void @disabled(
; CHECK-NOT: @__dpor_
; CHECK: {{^}}}
  store i32 1, ptr @g
  ret void
}

define available_externally void @elsewhere() {
; CHECK-LABEL: define available_externally void @elsewhere(
; CHECK-NOT: @__dpor_
; CHECK: {{^}}}
  store i32 1, ptr @g
  ret void
}

define void @__dpor_custom() {
; CHECK-LABEL: define void @__dpor_custom(
; CHECK-NOT: call
; CHECK: {{^}}}
  store i32 1, ptr @g
  ret void
}

define void @calls_them() {
; A body that is not instrumented counts as outside.
; CHECK-LABEL: define void @calls_them(
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @naked,
; CHECK-NEXT: call void @naked()
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @disabled,
; CHECK-NEXT: call void @disabled()
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @elsewhere,
; CHECK-NEXT: call void @elsewhere()
; CHECK-NEXT: ret void
  call void @naked()
  call void @disabled()
  call void @elsewhere()
  ret void
}
