; A load and the store to the same bytes next behind it have one hook, before the load. Before the store there is
; another if it asks for it.

define void @adds(ptr %p) {
; CHECK-LABEL: define void @adds(
; CHECK: [[ASKS:%.*]] = call i32 @__dpor_update8(ptr %p, ptr @dpor.site{{.*}}, ptr @dpor.site
; CHECK-NEXT: %v = load i64, ptr %p
; CHECK-NEXT: %w = add i64 %v, 1
; CHECK-NEXT: [[IS:%.*]] = icmp ugt i32 [[ASKS]], 0
; CHECK-NEXT: br i1 [[IS]], label %[[ASIDE:.*]], label %[[ON:[^,]*]]{{.*}}!prof
; CHECK: [[ASIDE]]:
; CHECK-NEXT: call void @__dpor_write8(ptr %p, ptr @dpor.site
; CHECK-NEXT: br label %[[ON]]
; CHECK: [[ON]]:
; CHECK-NEXT: store i64 %w, ptr %p
; CHECK-NEXT: ret void
  %v = load i64, ptr %p
  %w = add i64 %v, 1
  store i64 %w, ptr %p
  ret void
}

; Each place in the program is its own.
define void @places(ptr %p) !dbg !5 {
; CHECK-LABEL: define void @places(
; CHECK: call i32 @__dpor_update4(ptr %p, ptr [[WRITE:@dpor.site[.0-9]*]], ptr [[READ:@dpor.site[.0-9]*]])
; CHECK: load i32
; CHECK: call void @__dpor_write4(ptr %p, ptr [[WRITE]])
; CHECK: store i32
; CHECK: call void @__dpor_read4(ptr %p, ptr [[READ]])
  %v = load i32, ptr %p, !dbg !8
  %w = mul i32 %v, 3
  store i32 %w, ptr %p, !dbg !9
  %again = load i32, ptr %p, !dbg !8
  ret void
}

; The same bytes by another type; what is stored has nothing to do with what is loaded.
define float @exchanges(ptr %p, i32 %new) {
; CHECK-LABEL: define float @exchanges(
; CHECK: call i32 @__dpor_update4(
; CHECK: call void @__dpor_write4(
; CHECK: ret float %old
  %old = load float, ptr %p
  store i32 %new, ptr %p
  ret float %old
}

; In a loop of one block, whose phis come from the block that the store is in.
define void @loops(ptr %p, i64 %n) {
; CHECK-LABEL: define void @loops(
; CHECK: again:
; CHECK-NEXT: phi i64 [ 0, %entry ], [ %next, %[[END:.*]] ]
; CHECK: call i32 @__dpor_update8(
; CHECK: [[END]]:
; CHECK-NEXT: store i64 %w, ptr %p
; CHECK: br i1 %on, label %again, label %out
; CHECK: out:
; CHECK-NEXT: phi i64 [ %w, %[[END]] ]
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %v = load i64, ptr %p
  %w = add i64 %v, %i
  store i64 %w, ptr %p
  %next = add i64 %i, 1
  %on = icmp ult i64 %next, %n
  br i1 %on, label %again, label %out
out:
  %last = phi i64 [ %w, %again ]
  ret void
}

; Other bytes, or more of them.
define void @elsewhere(ptr %p, ptr %q) {
; CHECK-LABEL: define void @elsewhere(
; CHECK-NOT: @__dpor_update
; CHECK: ret void
  %a = load i64, ptr %p
  store i64 %a, ptr %q
  %b = load i32, ptr %p
  %c = zext i32 %b to i64
  store i64 %c, ptr %p
  ret void
}

; What is between may not return, is an access of its own, or may divide by zero.
define void @between(ptr %p, ptr %q) {
; CHECK-LABEL: define void @between(
; CHECK-NOT: @__dpor_update
; CHECK: ret void
  %a = load i64, ptr %p
  call void @other()
  store i64 %a, ptr %p
  %b = load i64, ptr %p
  %c = load i64, ptr %q
  store i64 %b, ptr %p
  %d = load i64, ptr %q
  %e = udiv i64 1, %d
  store i64 %e, ptr %q
  ret void
}

; Not in another block: control may not get there.
define void @conditional(ptr %p, i1 %is) {
; CHECK-LABEL: define void @conditional(
; CHECK-NOT: @__dpor_update
; CHECK: ret void
  %a = load i64, ptr %p
  br i1 %is, label %yes, label %no
yes:
  store i64 1, ptr %p
  ret void
no:
  ret void
}

; Atomic and volatile accesses have hooks of their own.
define void @not_plain(ptr %p) {
; CHECK-LABEL: define void @not_plain(
; CHECK-NOT: @__dpor_update
; CHECK: ret void
  %a = load atomic i64, ptr %p monotonic, align 8
  store i64 %a, ptr %p
  %b = load i64, ptr %p
  store atomic i64 %b, ptr %p monotonic, align 8
  %c = load volatile i64, ptr %p
  store i64 %c, ptr %p
  %d = load i64, ptr %p
  store volatile i64 %d, ptr %p
  ret void
}

; Private memory has none.
define i64 @private() {
; CHECK-LABEL: define i64 @private(
; CHECK-NOT: @__dpor
; CHECK: ret i64
  %p = alloca i64
  store i64 1, ptr %p
  %v = load i64, ptr %p
  %w = add i64 %v, 1
  store i64 %w, ptr %p
  %x = load i64, ptr %p
  ret i64 %x
}

declare void @other()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "clang", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "update.c", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "places", file: !1, line: 1, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: 2, column: 9, scope: !5)
!9 = !DILocation(line: 3, column: 5, scope: !5)
