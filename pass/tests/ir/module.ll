; The module's record, its constructor, and a second run that changes nothing.
;@ passes: dpor,dpor

source_filename = "some/where.c"
@g = global i32 0
@h = global i32 0
@constant = internal constant i32 1

; 5 accesses: the load of @g, the store to @h and that in @skipped are seen, the store has a hook and so
; has the load; @constant and the variable are private. 5 = 2 + 2 + 1.
; magic 1919905892 = 0x726f7064, version 7
; CHECK: @dpor.module = internal global { i32, i32, ptr, i32, i32, i32, i32, ptr, ptr, i32, i32 } { i32 1919905892, i32 8, ptr @dpor.text{{.*}}, i32 5, i32 2, i32 2, i32 {{[0-9]+}}, ptr @dpor.functions, ptr null, i32 0, i32 0 }, section "dpor_modules", align 8
; CHECK: @llvm.used = appending global [1 x ptr] [ptr @dpor.module], section "llvm.metadata"
; CHECK: @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @dpor.constructor, ptr null }]

define i32 @f() {
; CHECK-LABEL: define i32 @f(
; CHECK-NEXT: %x = alloca i32
; CHECK-NEXT: call void @__dpor_read4(
; CHECK-NEXT: load
; CHECK-NEXT: call void @__dpor_write4(
; CHECK-NEXT: store
; CHECK-NEXT: load
; CHECK-NEXT: store
  %x = alloca i32
  %a = load i32, ptr @g
  store i32 %a, ptr @h
  %b = load i32, ptr @constant
  store i32 %b, ptr %x
  ret i32 %a
}

define void @skipped() disable_sanitizer_instrumentation {
  store i32 1, ptr @g
  ret void
}

; CHECK: define internal void @dpor.constructor()
; CHECK-NEXT: call void @__dpor_module(ptr @dpor.module)
; CHECK-NEXT: ret void
; CHECK-NOT: define
