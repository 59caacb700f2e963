; The head of a loop that may make events is marked, unless it counts to a number that stays.

@x = global i32 0

declare void @other()

; The place is the loop's.
define void @until() !dbg !5 {
; CHECK-LABEL: define void @until(
; CHECK: [[COUNT:%.*]] = alloca i64, i64 1
; CHECK: store i64 0, ptr [[COUNT]]
; CHECK: again:
; CHECK-NEXT: call void @__dpor_round(ptr [[COUNT]], ptr {{.*}}), !dbg [[PLACE:![0-9]+]]
; CHECK: call i32 @__dpor_rmw4(ptr @x
entry:
  br label %again
again:
  %a = atomicrmw add ptr @x, i32 1 seq_cst, !dbg !8
  %on = icmp ne i32 %a, 7
  br i1 %on, label %again, label %out, !dbg !8, !llvm.loop !9
out:
  ret void
}

; What is called may be an event.
define void @calls(i1 %on) {
; CHECK-LABEL: define void @calls(
; CHECK: call void @__dpor_round(
; CHECK: ret void
entry:
  br label %again
again:
  call void @other()
  br i1 %on, label %again, label %out
out:
  ret void
}

; No events.
define i32 @quiet(ptr %p) {
; CHECK-LABEL: define i32 @quiet(
; CHECK-NOT: @__dpor_round
; CHECK: ret i32
entry:
  br label %again
again:
  %sum = phi i32 [ 0, %entry ], [ %next, %again ]
  %v = load i32, ptr %p
  %next = add i32 %sum, %v
  %on = icmp ult i32 %next, 100
  br i1 %on, label %again, label %out
out:
  ret i32 %sum
}

; Counts to an argument.
define void @counts(i64 %n) {
; CHECK-LABEL: define void @counts(
; CHECK-NOT: @__dpor_round
; CHECK: ret void
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %a = atomicrmw add ptr @x, i32 1 seq_cst
  %next = add i64 %i, 1
  %on = icmp ne i64 %next, %n
  br i1 %on, label %again, label %out
out:
  ret void
}

; The same, in a local variable.
define void @counts_in_memory() {
; CHECK-LABEL: define void @counts_in_memory(
; CHECK-NOT: @__dpor_round
; CHECK: ret void
entry:
  %i = alloca i32
  store i32 0, ptr %i
  br label %head
head:
  %now = load i32, ptr %i
  %on = icmp slt i32 %now, 9
  br i1 %on, label %body, label %out
body:
  %a = atomicrmw add ptr @x, i32 1 seq_cst
  br label %latch
latch:
  %old = load i32, ptr %i
  %next = add i32 %old, 1
  store i32 %next, ptr %i
  br label %head
out:
  ret void
}

; What it counts to is read anew in each turn.
define void @moves() {
; CHECK-LABEL: define void @moves(
; CHECK: call void @__dpor_round(
; CHECK: ret void
entry:
  br label %again
again:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %n = load atomic i32, ptr @x acquire, align 4
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %again, label %out
out:
  ret void
}

; It counts in some turns only.
define void @counts_sometimes(i32 %n) {
; CHECK-LABEL: define void @counts_sometimes(
; CHECK: call void @__dpor_round(
; CHECK: ret void
entry:
  %i = alloca i32
  store i32 0, ptr %i
  br label %head
head:
  %now = load i32, ptr %i
  %on = icmp slt i32 %now, %n
  br i1 %on, label %body, label %out
body:
  %a = atomicrmw add ptr @x, i32 1 seq_cst
  %odd = icmp eq i32 %a, 1
  br i1 %odd, label %step, label %head
step:
  %old = load i32, ptr %i
  %next = add i32 %old, 1
  store i32 %next, ptr %i
  br label %head
out:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "rounds.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 7, !"Dwarf Version", i32 5}
!5 = distinct !DISubprogram(name: "until", file: !1, line: 1, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: 4, scope: !5)
!9 = distinct !{!9, !10, !11}
!10 = !DILocation(line: 3, column: 2, scope: !5)
!11 = !DILocation(line: 5, column: 2, scope: !5)
; CHECK: [[PLACE]] = !DILocation(line: 3
