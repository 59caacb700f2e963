; The head of a loop that may wait for several places is marked; a loop whose turns leave anything behind is not.

@x = global i32 0
@y = global i32 0
@z = global i32 0

declare void @other()

; Two places, without anything that a turn depends on.
define void @two() {
; CHECK-LABEL: define void @two(
; CHECK: [[RECORD:%.*]] = alloca i64, i64 2
; CHECK: store i64 0, ptr [[RECORD]]
; CHECK: again:
; CHECK-NEXT: call void @__dpor_round(
; CHECK-NEXT: call void @__dpor_turn(ptr [[RECORD]], ptr {{%.*}}, i32 0, ptr
; CHECK-NEXT: call i32 @__dpor_load4(ptr @x, i32 4
entry:
  br label %again
again:
  %a = load atomic i32, ptr @x acquire, align 4
  %on = icmp eq i32 %a, 0
  br i1 %on, label %second, label %out
second:
  %b = load atomic i32, ptr @y acquire, align 4
  %more = icmp eq i32 %b, 0
  br i1 %more, label %again, label %out
out:
  ret void
}

; What a turn depends on is shown.
define void @with_phi() {
; CHECK-LABEL: define void @with_phi(
; CHECK: alloca i64, i64 3
; CHECK: [[OLD:%.*]] = phi i32
; CHECK: zext i32 [[OLD]] to i64
; CHECK: call void @__dpor_turn({{.*}}, i32 1, ptr
entry:
  br label %again
again:
  %old = phi i32 [ 0, %entry ], [ %a, %again ]
  %a = load atomic i32, ptr @x acquire, align 4
  %b = load atomic i32, ptr @y acquire, align 4
  %sum = add i32 %a, %b
  %on = icmp ne i32 %sum, %old
  br i1 %on, label %again, label %out
out:
  ret void
}

; Turns are counted, so that no two are the same.
define void @counted() {
; CHECK-LABEL: define void @counted(
; CHECK-NOT: @__dpor_turn
; CHECK: ret void
entry:
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %next, %again ]
  %a = load atomic i32, ptr @x acquire, align 4
  %b = load atomic i32, ptr @y acquire, align 4
  %next = add i32 %n, 1
  %sum = add i32 %a, %b
  %on = icmp ne i32 %sum, %n
  br i1 %on, label %again, label %out
out:
  ret void
}

; A plain store that others see: its hook tells whether a turn came to it, and the highest bit that it may.
define void @stores() {
; CHECK-LABEL: define void @stores(
; CHECK: call void @__dpor_turn(ptr %{{.*}}, ptr %{{.*}}, i32 -2147483648,
; CHECK: ret void
entry:
  br label %again
again:
  %a = load atomic i32, ptr @x acquire, align 4
  %b = load atomic i32, ptr @y acquire, align 4
  store i32 %a, ptr @z, align 4
  %on = icmp ne i32 %a, %b
  br i1 %on, label %again, label %out
out:
  ret void
}

; A call of what nobody knows.
define void @calls() {
; CHECK-LABEL: define void @calls(
; CHECK-NOT: @__dpor_turn
; CHECK: ret void
entry:
  br label %again
again:
  %a = load atomic i32, ptr @x acquire, align 4
  %b = load atomic i32, ptr @y acquire, align 4
  call void @other()
  %on = icmp ne i32 %a, %b
  br i1 %on, label %again, label %out
out:
  ret void
}

; A turn may leave the loop before it looks, by what another thread wrote without an event: bit 30 says that it may
; read so.
define void @leaves_unseen() {
; CHECK-LABEL: define void @leaves_unseen(
; CHECK: call void @__dpor_turn(ptr %{{.*}}, ptr %{{.*}}, i32 1073741824,
; CHECK: ret void
entry:
  br label %again
again:
  %p = load i32, ptr @z, align 4
  %over = icmp ne i32 %p, 0
  br i1 %over, label %out, label %look
look:
  %a = load atomic i32, ptr @x acquire, align 4
  %b = load atomic i32, ptr @y acquire, align 4
  %on = icmp ne i32 %a, %b
  br i1 %on, label %again, label %out
out:
  ret void
}

; One place: it is announced, and not marked.
define void @one() {
; CHECK-LABEL: define void @one(
; CHECK-NOT: @__dpor_turn
; CHECK: call void @__dpor_await(
entry:
  br label %again
again:
  %a = load atomic i32, ptr @x acquire, align 4
  %on = icmp eq i32 %a, 0
  br i1 %on, label %again, label %out
out:
  ret void
}

declare void @llvm.x86.sse2.pause()

; What says only for how long the thread pauses is not shown.
define void @backs_off() {
; CHECK-LABEL: define void @backs_off(
; CHECK: call void @__dpor_turn({{.*}}, i32 0, ptr
; CHECK: ret void
entry:
  br label %head
head:
  %delay = phi i32 [ 1, %entry ], [ %longer, %latch ]
  %a = load atomic i32, ptr @x acquire, align 4
  %on = icmp eq i32 %a, 0
  br i1 %on, label %pause, label %out
pause:
  %i = phi i32 [ 0, %head ], [ %j, %pause ]
  call void @llvm.x86.sse2.pause()
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %delay
  br i1 %more, label %pause, label %latch
latch:
  %longer = shl i32 %delay, 1
  %b = load atomic i32, ptr @y acquire, align 4
  %again = icmp eq i32 %b, 0
  br i1 %again, label %head, label %out
out:
  ret void
}

; The same, but others can see it.
define void @backs_off_and_tells() {
; CHECK-LABEL: define void @backs_off_and_tells(
; CHECK: call void @__dpor_turn({{.*}}, i32 1, ptr
; CHECK: ret void
entry:
  br label %head
head:
  %delay = phi i32 [ 1, %entry ], [ %longer, %latch ]
  %a = load atomic i32, ptr @x acquire, align 4
  %on = icmp eq i32 %a, 0
  br i1 %on, label %pause, label %out
pause:
  %i = phi i32 [ 0, %head ], [ %j, %pause ]
  call void @llvm.x86.sse2.pause()
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %delay
  br i1 %more, label %pause, label %latch
latch:
  %longer = shl i32 %delay, 1
  store atomic i32 %delay, ptr @y release, align 4
  br label %head
out:
  ret void
}

; It is how long to pause that decides whether the thread looks.
define void @backs_off_and_looks() {
; CHECK-LABEL: define void @backs_off_and_looks(
; CHECK: call void @__dpor_turn({{.*}}, i32 1, ptr
; CHECK: ret void
entry:
  br label %head
head:
  %delay = phi i32 [ 1, %entry ], [ %longer, %latch ]
  %a = load atomic i32, ptr @x acquire, align 4
  %on = icmp eq i32 %a, 0
  br i1 %on, label %second, label %out
second:
  %long = icmp sgt i32 %delay, 8
  br i1 %long, label %look, label %latch
look:
  %b = load atomic i32, ptr @y acquire, align 4
  br label %latch
latch:
  %longer = shl i32 %delay, 1
  br label %head
out:
  ret void
}
