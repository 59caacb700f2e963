; A module whose initializers of mutexes have marks says so in its record and its sites, and lists its own
; variables that have room for one. Not listed: too small, constant, thread-local, another module's to define
; (weak, common, declared), in a section by itself, kept or dropped with others.
; A call that uses a mutex returns to its function.

$group = comdat any

%mutex = type { i32, i32, i32, i32, i32, i16, i16, ptr, ptr }

@dpor_initializers_are_marked = internal constant i8 1, section ".dpor.marked", align 1
@llvm.compiler.used = appending global [1 x ptr] [ptr @dpor_initializers_are_marked], section "llvm.metadata"

@mutex = internal global %mutex zeroinitializer
@exported = global { i64, %mutex } zeroinitializer
@small = global [39 x i8] zeroinitializer
@read_only = internal constant %mutex zeroinitializer
@local = thread_local global %mutex zeroinitializer
@weak = weak global %mutex zeroinitializer
@inline = linkonce_odr global %mutex zeroinitializer, comdat($group)
@grouped = internal global %mutex zeroinitializer, comdat($group)
@common = common global %mutex zeroinitializer
@elsewhere = external global %mutex
@apart = global %mutex zeroinitializer, section "apart"

; CHECK: @dpor.site = private unnamed_addr constant {{.*}}i32 0, i32 0, i32 4, i32 0 }
; CHECK: @dpor.variables = private unnamed_addr constant { ptr, i64, ptr, i64, ptr, i64 } { ptr @mutex, i64 40, ptr @exported, i64 48, ptr null, i64 0 }
; CHECK: @dpor.module = internal global {{.*}} ptr @dpor.variables, i32 1, i32 0 }, section "dpor_modules"

declare i32 @pthread_mutex_lock(ptr)

define i32 @lock() {
; CHECK-LABEL: define i32 @lock(
; CHECK: call void @__dpor_call(
; CHECK-NEXT: {{%result = call i32 @pthread_mutex_lock}}
  %result = tail call i32 @pthread_mutex_lock(ptr @mutex)
  ret i32 %result
}
