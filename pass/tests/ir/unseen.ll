; What a call may read without a hook: nothing, what its arguments point to, anything.
;@ llvm: 16

@text = private constant [3 x i8] c"%d\00"
@g = global i32 0

declare i32 @pthread_mutex_lock(ptr)
declare ptr @malloc(i64)
declare i32 @printf(ptr, ...)
declare i32 @fputs(ptr, ptr)
declare i32 @vprintf(ptr, ptr)
declare i64 @strlen(ptr)
declare void @nothing(ptr) memory(none)
declare void @writes(ptr) memory(write)
declare void @its_argument(ptr) memory(argmem: read)
declare void @anything()
declare i64 @syscall(i64, ...)

; Those that code outside can call: by name, or because it was given the address.
; CHECK: @dpor.functions = private {{.*}}constant { ptr, ptr, ptr, ptr, ptr, ptr } { ptr @known, ptr @tail, ptr @futex, ptr @attributes, ptr @with_address, ptr null }

define void @known(ptr %m, ptr %file) {
; CHECK-LABEL: define void @known(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call i32 @pthread_mutex_lock(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call ptr @malloc(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call i32 (ptr, ...) @printf(ptr @text, i32 1)
; CHECK-NEXT: call void @__dpor_call_unseen(ptr null,
; CHECK-NEXT: call i32 (ptr, ...) @printf(ptr @text, ptr @g)
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call i32 @fputs(ptr @text, ptr %file)
; CHECK-NEXT: call void @__dpor_call_unseen(ptr null,
; CHECK-NEXT: call i32 @fputs(ptr @g, ptr %file)
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @vprintf,
; CHECK-NEXT: call i32 @vprintf(
  %a = call i32 @pthread_mutex_lock(ptr %m)
  %b = call ptr @malloc(i64 8)
  %c = call i32 (ptr, ...) @printf(ptr @text, i32 1)
  %d = call i32 (ptr, ...) @printf(ptr @text, ptr @g)
  %e = call i32 @fputs(ptr @text, ptr %file)
  %f = call i32 @fputs(ptr @g, ptr %file)
  %h = call i32 @vprintf(ptr @text, ptr %file)
  ret void
}

; What accesses memory of the program's returns to it, so that the runtime knows whose call it is.
define i32 @tail(ptr %text, ptr %file) {
; CHECK-LABEL: define i32 @tail(
; CHECK: %n = call i64 @strlen(
; CHECK: %r = call i32 @fputs(
  %n = tail call i64 @strlen(ptr %text)
  %r = tail call i32 @fputs(ptr %text, ptr %file)
  ret i32 %r
}

; A futex call reads its word, which is an event, and what a time-out points to.
define void @futex(ptr %time) {
; CHECK-LABEL: define void @futex(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call i64 (i64, ...) @syscall(i64 202, ptr @g, i32 0, i32 0, ptr null)
; CHECK-NEXT: call void @__dpor_call_unseen(ptr null,
; CHECK-NEXT: call i64 (i64, ...) @syscall(i64 202, ptr @g, i32 0, i32 0, ptr %time)
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @syscall,
; CHECK-NEXT: call i64 (i64, ...) @syscall(i64 39)
  %a = call i64 (i64, ...) @syscall(i64 202, ptr @g, i32 0, i32 0, ptr null)
  %b = call i64 (i64, ...) @syscall(i64 202, ptr @g, i32 0, i32 0, ptr %time)
  %c = call i64 (i64, ...) @syscall(i64 39)
  ret void
}

define void @attributes() {
; CHECK-LABEL: define void @attributes(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call void @nothing(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call void @writes(
; CHECK-NEXT: call void @__dpor_call(
; CHECK-NEXT: call void @its_argument(ptr @text)
; CHECK-NEXT: call void @__dpor_call_unseen(ptr null,
; CHECK-NEXT: call void @its_argument(ptr @g)
; CHECK-NEXT: call void @__dpor_call_unseen(ptr @anything,
; CHECK-NEXT: call void @anything()
; CHECK-NEXT: call void @private_one()
  call void @nothing(ptr @g)
  call void @writes(ptr @g)
  call void @its_argument(ptr @text)
  call void @its_argument(ptr @g)
  call void @anything()
  call void @private_one()
  store ptr @with_address, ptr @g
  ret void
}

define internal void @private_one() {
  ret void
}

define internal void @with_address() {
  ret void
}
