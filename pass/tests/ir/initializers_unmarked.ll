; A module without the header that calls a function on mutexes says that its initializers have no marks.

@mutex = internal global [40 x i8] zeroinitializer

; CHECK: @dpor.site = private unnamed_addr constant {{.*}}i32 0, i32 0, i32 0, i32 0 }
; CHECK: @dpor.module = internal global {{.*}} ptr null, i32 2, i32 0 }, section "dpor_modules"

declare i32 @pthread_mutex_lock(ptr)

define i32 @lock() {
  %result = call i32 @pthread_mutex_lock(ptr @mutex)
  ret i32 %result
}
