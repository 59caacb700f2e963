; Every address here gets to where another thread could use it: a missing hook is a missed race.
;
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@published = global ptr null
@pair = global <2 x ptr> zeroinitializer
@number = global i64 0
@counter = internal global i32 0
@published_local = internal thread_local global i32 0
@returned_local = internal thread_local global i32 0
@named_everywhere = thread_local global i32 0
@constant_elsewhere = external constant i32

define void @stored_to_global() {
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@stored_to_global(
; CHECK: call void @__dpor_write4(ptr %x,

define void @passed_to_unknown() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @unknown(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@passed_to_unknown(
; CHECK: call void @__dpor_write4(ptr %x,

define ptr @heap_block_returned() {
  %x = call ptr @malloc(i64 4)
  store i32 1, ptr %x
  ret ptr %x
}
; CHECK-LABEL: define {{.*}}@heap_block_returned(
; CHECK: call void @__dpor_write4(ptr %x,

define void @thread_argument() {
  %thread = alloca i64
  %x = alloca i32
  store i32 1, ptr %x
  %r = call i32 @pthread_create(ptr %thread, ptr null, ptr @start, ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@thread_argument(
; CHECK: call void @__dpor_write4(ptr %x,

; The thread gets a struct, and the address in it.
define void @field_of_thread_argument() {
  %thread = alloca i64
  %s = alloca { i64, ptr }
  %x = alloca i32
  store i32 1, ptr %x
  %field = getelementptr { i64, ptr }, ptr %s, i32 0, i32 1
  store ptr %x, ptr %field
  %r = call i32 @pthread_create(ptr %thread, ptr null, ptr @start, ptr %s)
  ret void
}
; CHECK-LABEL: define {{.*}}@field_of_thread_argument(
; CHECK: call void @__dpor_write4(ptr %x,

define void @through_phi(i1 %c) {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 1, ptr %x
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %p = phi ptr [ %x, %entry ], [ %y, %left ]
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@through_phi(
; CHECK: call void @__dpor_write4(ptr %x,

define void @through_select(i1 %c) {
  %x = alloca i32
  %y = alloca i32
  store i32 1, ptr %x
  %p = select i1 %c, ptr %x, ptr %y
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@through_select(
; CHECK: call void @__dpor_write4(ptr %x,

define void @as_integer() {
  %x = alloca i32
  store i32 1, ptr %x
  %n = ptrtoint ptr %x to i64
  store i64 %n, ptr @number
  ret void
}
; CHECK-LABEL: define {{.*}}@as_integer(
; CHECK: call void @__dpor_write4(ptr %x,

define void @variable_argument_of_unknown() {
  %x = alloca i32
  store i32 1, ptr %x
  call void (i32, ...) @unknown_variadic(i32 1, ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@variable_argument_of_unknown(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @keeps_variable_argument(i32 %n, ...) {
  %list = alloca [24 x i8]
  call void @llvm.va_start(ptr %list)
  %p = va_arg ptr %list, ptr
  store ptr %p, ptr @published
  ret void
}
define void @variable_argument_of_known() {
  %x = alloca i32
  store i32 1, ptr %x
  call void (i32, ...) @keeps_variable_argument(i32 1, ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@variable_argument_of_known(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @store_it(ptr %p) {
  store ptr %p, ptr @published
  ret void
}
define void @callee_stores() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @store_it(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@callee_stores(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @pass_on(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 0
  call void @store_it(ptr %q)
  ret void
}
define void @two_calls_deep() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @pass_on(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@two_calls_deep(
; CHECK: call void @__dpor_write4(ptr %x,

define internal ptr @give_back(ptr %p) {
  ret ptr %p
}
define void @callee_returns() {
  %x = alloca i32
  store i32 1, ptr %x
  %p = call ptr @give_back(ptr %x)
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@callee_returns(
; CHECK: call void @__dpor_write4(ptr %x,

define void @through_slot() {
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr %slot
  %p = load ptr, ptr %slot
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@through_slot(
; CHECK: call void @__dpor_write4(ptr %x,

define void @through_slot_as_integer() {
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr %slot
  %n = load i64, ptr %slot
  store i64 %n, ptr @number
  ret void
}
; CHECK-LABEL: define {{.*}}@through_slot_as_integer(
; CHECK: call void @__dpor_write4(ptr %x,

define void @through_slot_bytewise() {
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr %slot
  %n = load i8, ptr %slot
  %m = zext i8 %n to i64
  store i64 %m, ptr @number
  ret void
}
; CHECK-LABEL: define {{.*}}@through_slot_bytewise(
; CHECK: call void @__dpor_write4(ptr %x,

define void @slot_passed_on() {
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr %slot
  call void @unknown(ptr %slot)
  ret void
}
; CHECK-LABEL: define {{.*}}@slot_passed_on(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @publish_what_is_there(ptr %p) {
  %q = load ptr, ptr %p
  store ptr %q, ptr @published
  ret void
}
define void @slot_read_by_callee() {
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr %slot
  call void @publish_what_is_there(ptr %slot)
  ret void
}
; CHECK-LABEL: define {{.*}}@slot_read_by_callee(
; CHECK: call void @__dpor_write4(ptr %x,

define void @slot_copied_out() {
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr %slot
  call void @llvm.memcpy.p0.p0.i64(ptr @published, ptr %slot, i64 8, i1 false)
  ret void
}
; CHECK-LABEL: define {{.*}}@slot_copied_out(
; CHECK: call void @__dpor_write4(ptr %x,

define void @stored_in_published_block() {
  %block = call ptr @malloc(i64 8)
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %x, ptr %block
  store ptr %block, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@stored_in_published_block(
; CHECK: call void @__dpor_write4(ptr %x,

define void @stored_in_local_or_global(i1 %c) {
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  %where = select i1 %c, ptr %slot, ptr @published
  store ptr %x, ptr %where
  ret void
}
; CHECK-LABEL: define {{.*}}@stored_in_local_or_global(
; CHECK: call void @__dpor_write4(ptr %x,

define void @slot_of_slot() {
  %outer = alloca ptr
  %slot = alloca ptr
  %x = alloca i32
  store i32 1, ptr %x
  store ptr %slot, ptr %outer
  %inner = load ptr, ptr %outer
  store ptr %x, ptr %inner
  %p = load ptr, ptr %slot
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@slot_of_slot(
; CHECK: call void @__dpor_write4(ptr %x,

define void @address_of_element() {
  %x = alloca [4 x i32]
  store i32 1, ptr %x
  %e = getelementptr [4 x i32], ptr %x, i64 0, i64 2
  store ptr %e, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@address_of_element(
; CHECK: call void @__dpor_write4(ptr %x,

define void @atomic_store() {
  %x = alloca i32
  store i32 1, ptr %x
  store atomic ptr %x, ptr @published release, align 8
  ret void
}
; CHECK-LABEL: define {{.*}}@atomic_store(
; CHECK: call void @__dpor_write4(ptr %x,

define void @exchanged() {
  %x = alloca i32
  store i32 1, ptr %x
  %old = atomicrmw xchg ptr @published, ptr %x seq_cst
  ret void
}
; CHECK-LABEL: define {{.*}}@exchanged(
; CHECK: call void @__dpor_write4(ptr %x,

define void @compare_exchanged() {
  %x = alloca i32
  store i32 1, ptr %x
  %r = cmpxchg ptr @published, ptr null, ptr %x seq_cst seq_cst
  ret void
}
; CHECK-LABEL: define {{.*}}@compare_exchanged(
; CHECK: call void @__dpor_write4(ptr %x,

define void @indirect_call(ptr %f) {
  %x = alloca i32
  store i32 1, ptr %x
  call void %f(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@indirect_call(
; CHECK: call void @__dpor_write4(ptr %x,

define void @assembly_register() {
  %x = alloca i32
  store i32 1, ptr %x
  call void asm sideeffect "", "r,~{memory}"(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@assembly_register(
; CHECK: call void @__dpor_write4(ptr %x,

define { i64, ptr } @in_returned_struct() {
  %x = call ptr @malloc(i64 4)
  store i32 1, ptr %x
  %s = insertvalue { i64, ptr } { i64 1, ptr undef }, ptr %x, 1
  ret { i64, ptr } %s
}
; CHECK-LABEL: define {{.*}}@in_returned_struct(
; CHECK: call void @__dpor_write4(ptr %x,

define void @in_vector() {
  %x = alloca i32
  store i32 1, ptr %x
  %v = insertelement <2 x ptr> undef, ptr %x, i32 0
  store <2 x ptr> %v, ptr @pair
  ret void
}
; CHECK-LABEL: define {{.*}}@in_vector(
; CHECK: call void @__dpor_write4(ptr %x,

define void @thrown() {
  %x = call ptr @malloc(i64 4)
  store i32 1, ptr %x
  call void @__cxa_throw(ptr %x, ptr null, ptr null)
  unreachable
}
; CHECK-LABEL: define {{.*}}@thrown(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @down(ptr %p, i32 %n) {
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %more
more:
  %m = sub i32 %n, 1
  call void @down(ptr %p, i32 %m)
  ret void
end:
  store ptr %p, ptr @published
  ret void
}
define void @recursion() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @down(ptr %x, i32 3)
  ret void
}
; CHECK-LABEL: define {{.*}}@recursion(
; CHECK: call void @__dpor_write4(ptr %x,

define weak void @weak_function(ptr %p) {
  ret void
}
define void @weak_callee() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @weak_function(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@weak_callee(
; CHECK: call void @__dpor_write4(ptr %x,

; Another module's copy may be compiled differently.
define linkonce_odr void @inline_function(ptr %p) {
  ret void
}
define void @inline_callee() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @inline_function(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@inline_callee(
; CHECK: call void @__dpor_write4(ptr %x,

define available_externally void @elsewhere(ptr %p) {
  ret void
}
define void @available_externally_callee() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @elsewhere(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@available_externally_callee(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @naked_function(ptr %p) naked noinline {
  call void asm sideeffect "movq %rdi, published(%rip); ret", "~{memory}"()
  unreachable
}
define void @naked_callee() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @naked_function(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@naked_callee(
; CHECK: call void @__dpor_write4(ptr %x,

; A programmer's noescape: other threads may use it until the call returns.
define void @noescape_unknown() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @parallel_for(ptr nocapture %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@noescape_unknown(
; CHECK: call void @__dpor_write4(ptr %x,

define void @reallocated() {
  %x = call ptr @malloc(i64 4)
  store i32 1, ptr %x
  %y = call ptr @realloc(ptr %x, i64 8)
  store ptr %y, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@reallocated(
; CHECK: call void @__dpor_write4(ptr %x,

define void @operand_bundle() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @unknown(ptr null) [ "other"(ptr %x) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@operand_bundle(
; CHECK: call void @__dpor_write4(ptr %x,

define void @frozen() {
  %x = alloca i32
  store i32 1, ptr %x
  %p = freeze ptr %x
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@frozen(
; CHECK: call void @__dpor_write4(ptr %x,

define void @byval_parameter_published(ptr byval(i32) %x) {
  store i32 1, ptr %x
  store ptr %x, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@byval_parameter_published(
; CHECK: call void @__dpor_write4(ptr %x,

define void @returned_by_mempcpy(ptr %from) {
  %x = alloca [4 x i32]
  store i32 1, ptr %x
  %p = call ptr @mempcpy(ptr %x, ptr %from, i64 4)
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@returned_by_mempcpy(
; CHECK: call void @__dpor_write4(ptr %x,

define void @internal_global() {
  store i32 1, ptr @counter
  ret void
}
; CHECK-LABEL: define {{.*}}@internal_global(
; CHECK: call void @__dpor_write4(ptr @counter,

define void @thread_local_published() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @published_local)
  store i32 1, ptr %p
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@thread_local_published(
; CHECK: call void @__dpor_write4(ptr %p,

define internal ptr @address_of_mine() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @returned_local)
  ret ptr %p
}
define void @thread_local_returned() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @returned_local)
  store i32 1, ptr %p
  %q = call ptr @address_of_mine()
  store ptr %q, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@thread_local_returned(
; CHECK: call void @__dpor_write4(ptr %p,

define void @thread_local_of_all_modules() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @named_everywhere)
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@thread_local_of_all_modules(
; CHECK: call void @__dpor_write4(ptr %p,

define void @parameter_of_exported(ptr %x) {
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@parameter_of_exported(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @address_taken(ptr %x) {
  store i32 1, ptr %x
  ret void
}
define void @takes_address() {
  %y = alloca i32
  call void @address_taken(ptr %y)
  store ptr @address_taken, ptr @published
  ret void
}
; CHECK-LABEL: define {{.*}}@address_taken(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @one_caller_shares(ptr %x) {
  store i32 1, ptr %x
  ret void
}
define void @callers_of_it() {
  %y = alloca i32
  call void @one_caller_shares(ptr %y)
  call void @one_caller_shares(ptr @counter)
  ret void
}
; CHECK-LABEL: define {{.*}}@one_caller_shares(
; CHECK: call void @__dpor_write4(ptr %x,

define void @loaded_from_memory() {
  %x = load ptr, ptr @published
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@loaded_from_memory(
; CHECK: call void @__dpor_write4(ptr %x,

define void @local_or_shared(i1 %c) {
  %y = alloca i32
  %x = select i1 %c, ptr %y, ptr @counter
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@local_or_shared(
; CHECK: call void @__dpor_write4(ptr %x,

; Declared const, but another module may write it before it is constant.
define i32 @external_constant() {
  %r = load i32, ptr @constant_elsewhere
  ret i32 %r
}
; CHECK-LABEL: define {{.*}}@external_constant(
; CHECK: call void @__dpor_read4(ptr @constant_elsewhere,

; Lanes that are masked out keep what was passed through.
define void @passed_through_mask(ptr %p, <2 x i1> %m) {
  %x = alloca i32
  store i32 1, ptr %x
  %v = insertelement <2 x ptr> undef, ptr %x, i32 0
  %w = call <2 x ptr> @llvm.masked.load.v2p0.p0(ptr %p, i32 8, <2 x i1> %m, <2 x ptr> %v)
  store <2 x ptr> %w, ptr @pair
  ret void
}
; CHECK-LABEL: define {{.*}}@passed_through_mask(
; CHECK: call void @__dpor_write4(ptr %x,

define void @scattered_address(<2 x ptr> %p, <2 x i1> %m) {
  %x = alloca i32
  store i32 1, ptr %x
  %v = insertelement <2 x ptr> undef, ptr %x, i32 0
  call void @llvm.masked.scatter.v2p0.v2p0(<2 x ptr> %v, <2 x ptr> %p, i32 8, <2 x i1> %m)
  ret void
}
; CHECK-LABEL: define {{.*}}@scattered_address(
; CHECK: call void @__dpor_write4(ptr %x,

define internal void @called_by_function_left_alone(ptr %x) {
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@called_by_function_left_alone(
; CHECK: call void @__dpor_write4(ptr %x,
define void @left_alone() disable_sanitizer_instrumentation {
  %y = alloca i32
  call void @called_by_function_left_alone(ptr %y)
  ret void
}

declare <2 x ptr> @llvm.masked.load.v2p0.p0(ptr, i32, <2 x i1>, <2 x ptr>)
declare void @llvm.masked.scatter.v2p0.v2p0(<2 x ptr>, <2 x ptr>, i32, <2 x i1>)

define void @musttail_argument(ptr %a) {
  %x = call ptr @malloc(i64 4)
  store i32 1, ptr %x
  musttail call void @unknown(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@musttail_argument(
; CHECK: call void @__dpor_write4(ptr %x,

declare void @unknown(ptr)
declare void @unknown_variadic(i32, ...)
declare void @parallel_for(ptr nocapture)
declare ptr @start(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare ptr @malloc(i64)
declare ptr @realloc(ptr nocapture, i64)
declare void @__cxa_throw(ptr, ptr, ptr)
declare ptr @mempcpy(ptr, ptr, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.va_start(ptr)
declare ptr @llvm.threadlocal.address.p0(ptr)
