; Nothing here can be reached by another thread: a hook is wasted time.
;
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@mine = internal thread_local global [2 x i32] zeroinitializer
@fixed = constant i32 7
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

define i32 @variable() {
  %x = alloca i32
  store i32 1, ptr %x
  %r = load i32, ptr %x
  ret i32 %r
}
; CHECK-LABEL: define {{.*}}@variable(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @element(i64 %i) {
  %x = alloca [4 x i32]
  %e = getelementptr [4 x i32], ptr %x, i64 0, i64 %i
  store i32 1, ptr %e
  ret void
}
; CHECK-LABEL: define {{.*}}@element(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @phi_of_two(i1 %c) {
entry:
  %x = alloca i32
  %y = alloca i32
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %p = phi ptr [ %x, %entry ], [ %y, %left ]
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@phi_of_two(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @loop_pointer(ptr byval([8 x i32]) %unused) {
entry:
  %x = alloca [8 x i32]
  br label %loop
loop:
  %p = phi ptr [ %x, %entry ], [ %next, %loop ]
  store i32 1, ptr %p
  %next = getelementptr i32, ptr %p, i64 1
  %end = getelementptr i32, ptr %x, i64 8
  %done = icmp eq ptr %next, %end
  br i1 %done, label %out, label %loop
out:
  ret void
}
; CHECK-LABEL: define {{.*}}@loop_pointer(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @select_of_two(i1 %c) {
  %x = alloca i32
  %y = alloca i32
  %p = select i1 %c, ptr %x, ptr %y
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@select_of_two(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @select_with_null(i1 %c) {
  %x = alloca i32
  %p = select i1 %c, ptr %x, ptr null
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@select_with_null(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal void @sets(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @harmless_callee() {
  %x = alloca i32
  call void @sets(ptr %x)
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@harmless_callee(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

; Others may call it with shared memory, so it is instrumented; x stays private all the same.
define void @harmless_exported_callee() {
  %x = alloca i32
  %r = call i32 @compares(ptr %x)
  store i32 1, ptr %x
  ret void
}
define i32 @compares(ptr %p) {
  %c = icmp eq ptr %p, null
  %r = zext i1 %c to i32
  ret i32 %r
}
; CHECK-LABEL: define {{.*}}@harmless_exported_callee(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal ptr @same(ptr %p) {
  ret ptr %p
}
define void @callee_gives_back() {
  %x = alloca i32
  %p = call ptr @same(ptr %x)
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@callee_gives_back(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal void @fill(ptr %p, i32 %n) {
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %more
more:
  store i32 %n, ptr %p
  %q = getelementptr i32, ptr %p, i64 1
  %m = sub i32 %n, 1
  call void @fill(ptr %q, i32 %m)
  ret void
end:
  ret void
}
define void @recursive_callee() {
  %x = alloca [4 x i32]
  call void @fill(ptr %x, i32 4)
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@recursive_callee(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal void @outer(ptr %p) {
  call void @inner(ptr %p)
  ret void
}
define internal void @inner(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @two_levels() {
  %x = alloca i32
  %y = alloca i32
  call void @outer(ptr %x)
  call void @outer(ptr %y)
  ret void
}
; CHECK-LABEL: define {{.*}}@two_levels(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define i32 @slot() {
  %slot = alloca ptr
  %x = alloca i32
  store ptr %x, ptr %slot
  %p = load ptr, ptr %slot
  store i32 1, ptr %p
  %r = load i32, ptr %x
  ret i32 %r
}
; CHECK-LABEL: define {{.*}}@slot(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal void @unoptimized(ptr %p) {
  %slot = alloca ptr
  store ptr %p, ptr %slot
  %q = load ptr, ptr %slot
  store i32 1, ptr %q
  ret void
}
define void @parameter_in_slot() {
  %x = alloca i32
  call void @unoptimized(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@parameter_in_slot(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @address_in_local_struct() {
  %s = alloca { i64, ptr }
  %x = alloca i32
  %f = getelementptr { i64, ptr }, ptr %s, i32 0, i32 1
  store ptr %x, ptr %f
  %p = load ptr, ptr %f
  %c = icmp eq ptr %p, %x
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@address_in_local_struct(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

; A block of the heap may have been freed before the access, so that it has a hook although one thread alone can
; reach it.
define void @block() {
  %x = call ptr @malloc(i64 4)
  store i32 1, ptr %x
  call void @free(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@block(
; CHECK: @__dpor_write
; CHECK: {{^}}}

define void @zeroed_block() {
  %x = call ptr @calloc(i64 4, i64 2)
  %e = getelementptr i32, ptr %x, i64 1
  store i32 1, ptr %e
  call void @free(ptr %x)
  ret void
}
; CHECK-LABEL: define {{.*}}@zeroed_block(
; CHECK: @__dpor_write
; CHECK: {{^}}}

define void @new_and_delete() personality ptr @__gxx_personality_v0 {
  %x = invoke ptr @_Znwm(i64 4) to label %ok unwind label %failed
ok:
  store i32 1, ptr %x
  call void @_ZdlPvm(ptr %x, i64 4)
  ret void
failed:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
; CHECK-LABEL: define {{.*}}@new_and_delete(
; CHECK: @__dpor_write
; CHECK: {{^}}}

define void @node_in_private_node() {
  %first = call ptr @malloc(i64 16)
  %second = call ptr @malloc(i64 16)
  store ptr %second, ptr %first
  store ptr %first, ptr %second
  store i32 1, ptr %second
  call void @free(ptr %second)
  call void @free(ptr %first)
  ret void
}
; CHECK-LABEL: define {{.*}}@node_in_private_node(
; CHECK: @__dpor_write
; CHECK: {{^}}}

define void @copied_from() {
  %x = alloca [4 x i32]
  store i32 1, ptr %x
  %y = alloca [4 x i32]
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 16, i1 false)
  ret void
}
; CHECK-LABEL: define {{.*}}@copied_from(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @cleared() {
  %x = alloca [4 x i32]
  call void @llvm.lifetime.start.p0(i64 16, ptr %x)
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@cleared(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @cleared_by_function() {
  %x = alloca [4 x i32]
  %p = call ptr @memset(ptr %x, i32 0, i64 16)
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@cleared_by_function(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define i1 @compared(ptr %other) {
  %x = alloca i32
  store i32 1, ptr %x
  %c = icmp eq ptr %x, %other
  ret i1 %c
}
; CHECK-LABEL: define {{.*}}@compared(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define i64 @known_library_function() {
  %x = alloca [4 x i8]
  store i32 1, ptr %x
  %n = call i64 @strlen(ptr nocapture %x)
  ret i64 %n
}
; CHECK-LABEL: define {{.*}}@known_library_function(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @byval_parameter(ptr byval([4 x i32]) %x) {
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@byval_parameter(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @thread_local_variable() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @mine)
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@thread_local_variable(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @thread_local_directly() {
  store i32 1, ptr getelementptr ([2 x i32], ptr @mine, i64 0, i64 1)
  ret void
}
; CHECK-LABEL: define {{.*}}@thread_local_directly(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define i32 @constant() {
  %r = load i32, ptr @fixed
  ret i32 %r
}
; CHECK-LABEL: define {{.*}}@constant(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define i32 @constant_element(i64 %i) {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %r = load i32, ptr %p
  ret i32 %r
}
; CHECK-LABEL: define {{.*}}@constant_element(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @freeze() {
  %x = alloca i32
  %p = freeze ptr %x
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@freeze(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @private_atomics() {
  %x = alloca i32
  store atomic i32 1, ptr %x seq_cst, align 4
  %a = atomicrmw add ptr %x, i32 1 seq_cst
  %b = cmpxchg ptr %x, i32 1, i32 2 seq_cst seq_cst
  %c = load atomic i32, ptr %x seq_cst, align 4
  ret void
}
; CHECK-LABEL: define {{.*}}@private_atomics(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @private_volatile() {
  %x = alloca i32
  store volatile i32 1, ptr %x
  %a = load volatile i32, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@private_volatile(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @struct_value() {
  %x = alloca i32
  %s = insertvalue { i64, ptr } undef, ptr %x, 1
  %p = extractvalue { i64, ptr } %s, 1
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@struct_value(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @vector_of_addresses() {
  %x = alloca i32
  %v = insertelement <2 x ptr> undef, ptr %x, i32 0
  %p = extractelement <2 x ptr> %v, i32 0
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@vector_of_addresses(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @assumed() {
  %x = alloca i32
  call void @llvm.assume(i1 true) [ "align"(ptr %x, i64 4) ]
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@assumed(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @laundered() {
  %x = alloca i32
  %p = call ptr @llvm.launder.invariant.group.p0(ptr %x)
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: define {{.*}}@laundered(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define void @masked() {
  %x = alloca <4 x i32>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> zeroinitializer, ptr %x, i32 4, <4 x i1> <i1 1, i1 0, i1 1, i1 0>)
  ret void
}
; CHECK-LABEL: define {{.*}}@masked(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal void @variable_argument_list(i32 %n, ...) {
  %list = alloca [24 x i8]
  call void @llvm.va_start(ptr %list)
  %a = va_arg ptr %list, i32
  call void @llvm.va_end(ptr %list)
  ret void
}
; CHECK-LABEL: define {{.*}}@variable_argument_list(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal void @may_throw(ptr %p) {
  store i32 1, ptr %p
  ret void
}
define void @invoked_callee() personality ptr @__gxx_personality_v0 {
  %x = alloca i32
  invoke void @may_throw(ptr %x) to label %ok unwind label %failed
ok:
  ret void
failed:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
; CHECK-LABEL: define {{.*}}@invoked_callee(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define internal { ptr, i32 } @pairs(ptr %p) {
  %s = insertvalue { ptr, i32 } undef, ptr %p, 0
  ret { ptr, i32 } %s
}
define void @returned_struct_of_callee() {
  %x = alloca i32
  %s = call { ptr, i32 } @pairs(ptr %x)
  %p = extractvalue { ptr, i32 } %s, 0
  %c = icmp eq ptr %p, null
  store i32 1, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@returned_struct_of_callee(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

define swiftcc void @swift_error() {
  %x = alloca swifterror ptr
  store ptr null, ptr %x
  %p = load ptr, ptr %x
  ret void
}
; CHECK-LABEL: define {{.*}}@swift_error(
; CHECK-NOT: @__dpor_{{(read|write|load|store|rmw|cas|volatile)}}
; CHECK: {{^}}}

declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare ptr @_Znwm(i64)
declare void @_ZdlPvm(ptr, i64)
declare i32 @__gxx_personality_v0(...)
declare ptr @memset(ptr, i32, i64)
declare i64 @strlen(ptr nocapture) nofree nounwind
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.assume(i1)
declare void @llvm.va_start(ptr)
declare void @llvm.va_end(ptr)
declare ptr @llvm.threadlocal.address.p0(ptr)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
