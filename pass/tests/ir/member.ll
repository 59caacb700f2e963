; Calls of functions of C++'s library that are not in the module: what they do to the object is told before the call.
;@ llvm: 16

%path = type { [40 x i8] }

declare ptr @_ZNSolsEi(ptr, i32)
declare void @_ZNKSt10filesystem7__cxx114path11parent_pathEv(ptr sret(%path), ptr dereferenceable(40))
declare void @_ZNSt6thread4joinEv(ptr dereferenceable(8))
declare ptr @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_(ptr dereferenceable(32), ptr dereferenceable(32))
declare void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(i1, ptr, ptr, ptr)

; The name of the function is in the site's record.
; CHECK: @dpor.text{{.*}} = private unnamed_addr constant [10 x i8] c"_ZNSolsEi\00"

; A non-const member of a stream: 4, and nothing known of its size.
define void @writes(ptr %stream) {
; CHECK-LABEL: define void @writes(
; CHECK-NEXT: call void @__dpor_member(i32 {{[0-9]+}}, ptr @_ZNSolsEi, ptr %stream, ptr null, ptr null, ptr @dpor.site
; CHECK-NEXT: call void @__dpor_call
; CHECK-NEXT: call ptr @_ZNSolsEi(ptr %stream, i32 1)
  call ptr @_ZNSolsEi(ptr %stream, i32 1)
  ret void
}

; The result's place is no argument of the function's. 40 bytes are read.
define void @reads(ptr %result, ptr %path) {
; CHECK-LABEL: define void @reads(
; CHECK-NEXT: call void @__dpor_member(i32 {{[0-9]+}}, ptr @_ZNKSt10filesystem7__cxx114path11parent_pathEv, ptr %path, ptr null, ptr null, ptr @dpor.site
  call void @_ZNKSt10filesystem7__cxx114path11parent_pathEv(ptr sret(%path) %result, ptr %path)
  ret void
}

; A second object is told, and pointers only.
define void @two(ptr %text, ptr %other) {
; CHECK-LABEL: define void @two(
; CHECK-NEXT: call void @__dpor_member(i32 {{[0-9]+}}, ptr @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_, ptr %text, ptr %other, ptr null, ptr @dpor.site
; CHECK: call void @__dpor_member(i32 {{[0-9]+}}, ptr @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, ptr %text, ptr %other, ptr %text, ptr @dpor.site
  call ptr @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_(ptr %text, ptr %other)
  call void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(i1 true, ptr %text, ptr %other, ptr %text)
  ret void
}

; The runtime sees what this calls.
define void @exempt(ptr %thread) {
; CHECK-LABEL: define void @exempt(
; CHECK-NOT: __dpor_member
; CHECK: ret void
  call void @_ZNSt6thread4joinEv(ptr %thread)
  ret void
}

; A function from the object's table; which one, the runtime finds out.
define void @virtual(ptr %object) {
; CHECK-LABEL: define void @virtual(
; CHECK: call void @__dpor_member(i32 0, ptr %function, ptr %object, ptr null, ptr null, ptr @dpor.site
; CHECK-NEXT: call void @__dpor_call_unseen(ptr %function
  %table = load ptr, ptr %object
  %slot = getelementptr inbounds ptr, ptr %table, i64 2
  %function = load ptr, ptr %slot
  call void %function(ptr %object)
  ret void
}

; From another table.
define void @pointer(ptr %object, ptr %other) {
; CHECK-LABEL: define void @pointer(
; CHECK-NOT: __dpor_member
; CHECK: ret void
  %table = load ptr, ptr %other
  %function = load ptr, ptr %table
  call void %function(ptr %object)
  ret void
}
