; A loop that does nothing but look at one place until it passes announces its access; a loop that leaves anything
; behind does not.

@x = global i32 0
@y = global i32 0
@p = global ptr null

declare void @llvm.x86.sse2.pause()
declare i32 @sched_yield()
declare void @other()

; With a look before the loop, as the optimizer makes it.
define void @ticket(i32 %mine) {
; CHECK-LABEL: define void @ticket(
; CHECK: [[V:%.*]] = zext i32 %mine to i64
; CHECK-NEXT: call void @__dpor_await(ptr @x, i32 0, i32 32, i64 4294967295, i64 [[V]], ptr
; CHECK-NEXT: call i32 @__dpor_load4(ptr @x, i32 4
; CHECK: call void @__dpor_await(ptr @x, i32 0, i32 32, i64 4294967295,
; CHECK-NEXT: call i32 @__dpor_load4(ptr @x, i32 4
  %first = load atomic i32, ptr @x acquire, align 4
  %now = icmp eq i32 %first, %mine
  br i1 %now, label %out, label %again
again:
  tail call void @llvm.x86.sse2.pause()
  %found = load atomic i32, ptr @x acquire, align 4
  %passes = icmp eq i32 %found, %mine
  br i1 %passes, label %out, label %again
out:
  ret void
}

; What the look before the loop found is used where the loop ends: it was this one or another, but here which one
; is told.
define i32 @first_is_told() {
; CHECK-LABEL: define i32 @first_is_told(
; CHECK-NOT: __dpor_await
; CHECK: call i32 @__dpor_load4(ptr @x, i32 7
; CHECK: call void @__dpor_await(ptr @x, i32 1, i32 32, i64 4294967295, i64 0
  %first = load atomic i32, ptr @x seq_cst, align 4
  %now = icmp ne i32 %first, 0
  br i1 %now, label %out, label %again
again:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp eq i32 %found, 0
  br i1 %fails, label %again, label %out
out:
  ret i32 %first
}

; Merged: what is found last, whoever found it.
define i32 @last_is_told() {
; CHECK-LABEL: define i32 @last_is_told(
; CHECK: call void @__dpor_await(
; CHECK-NEXT: call i32 @__dpor_load4(ptr @x, i32 7
; CHECK: call void @__dpor_await(
; CHECK: ret i32
  %first = load atomic i32, ptr @x seq_cst, align 4
  %now = icmp ne i32 %first, 0
  br i1 %now, label %out, label %again
again:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp eq i32 %found, 0
  br i1 %fails, label %again, label %out
out:
  %last = phi i32 [ %first, %0 ], [ %found, %again ]
  ret i32 %last
}

; A weaker look before the loop orders less: it is another access.
define void @weaker_first() {
; CHECK-LABEL: define void @weaker_first(
; CHECK-NOT: __dpor_await
; CHECK: call i32 @__dpor_load4(ptr @x, i32 2
; CHECK: call void @__dpor_await(
  %first = load atomic i32, ptr @x monotonic, align 4
  %now = icmp ne i32 %first, 0
  br i1 %now, label %out, label %again
again:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp eq i32 %found, 0
  br i1 %fails, label %again, label %out
out:
  ret void
}

; Signed, less than; exchanged; the bits of a mask; the lowest bit; a byte that is extended; a pointer; volatile.
define void @tests(i32 %n) {
; CHECK-LABEL: define void @tests(
; CHECK: call void @__dpor_await(ptr @x, i32 9, i32 32, i64 4294967295, i64
; CHECK: call void @__dpor_await(ptr @x, i32 2, i32 32, i64 4294967295, i64
; CHECK: call void @__dpor_await(ptr @x, i32 0, i32 32, i64 6, i64 0
; CHECK: call void @__dpor_await(ptr @x, i32 0, i32 1, i64 1, i64 0
; CHECK: call void @__dpor_await(ptr @x, i32 0, i32 8, i64 255, i64 4294967293
; CHECK: call void @__dpor_await(ptr @p, i32 1, i32 64, i64 -1, i64 0
; CHECK: call void @__dpor_await(ptr @x, i32 1, i32 32, i64 4294967295, i64 0
; CHECK: call i32 @__dpor_volatile_load4(
  br label %a
a:
  %a1 = load atomic i32, ptr @x seq_cst, align 4
  %a2 = icmp slt i32 %a1, %n
  br i1 %a2, label %a, label %b
b:
  %b1 = load atomic i32, ptr @x seq_cst, align 4
  %b2 = icmp ugt i32 %n, %b1
  br i1 %b2, label %c, label %b
c:
  %c1 = load atomic i32, ptr @x seq_cst, align 4
  %c2 = and i32 %c1, 6
  %c3 = icmp eq i32 %c2, 0
  br i1 %c3, label %d, label %c
d:
  %d1 = load atomic i32, ptr @x seq_cst, align 4
  %d2 = trunc i32 %d1 to i1
  br i1 %d2, label %d, label %e
e:
  %e1 = load atomic i8, ptr @x seq_cst, align 1
  %e2 = sext i8 %e1 to i32
  %e3 = icmp eq i32 %e2, -3
  br i1 %e3, label %f, label %e
f:
  %f1 = load atomic ptr, ptr @p seq_cst, align 8
  %f2 = icmp eq ptr %f1, null
  br i1 %f2, label %f, label %g
g:
  %g1 = load volatile i32, ptr @x, align 4
  %g2 = icmp eq i32 %g1, 0
  br i1 %g2, label %g, label %out
out:
  ret void
}

; Read-modify-writes; a compare-exchange waits for what it expects (10). The last loop has no end.
define void @changes() {
; CHECK-LABEL: define void @changes(
; CHECK: call void @__dpor_await(ptr @x, i32 0, i32 32, i64 4294967295, i64 0
; CHECK-NEXT: call i32 @__dpor_rmw4(ptr @x, i32 1, i32 0
; CHECK: call void @__dpor_await(ptr @x, i32 10, i32 0, i64 0, i64 0
; CHECK-NEXT: call i32 @__dpor_cas4(ptr @x, i32 0, i32 1
; CHECK: call void @__dpor_await(ptr @x, i32 1, i32 64, i64 0, i64 0
  br label %a
a:
  %a1 = atomicrmw xchg ptr @x, i32 1 acquire
  %a2 = icmp eq i32 %a1, 0
  br i1 %a2, label %b, label %a
b:
  %b1 = cmpxchg ptr @x, i32 0, i32 1 acquire monotonic
  %b2 = extractvalue { i32, i1 } %b1, 1
  br i1 %b2, label %c, label %hint
hint:
  %unused = call i32 @sched_yield()
  br label %b
c:
  %c1 = load atomic i32, ptr @x seq_cst, align 4
  br label %c
}

; Without optimization: local variables, of which none keeps anything from one turn to the next.
define void @unoptimized(i32 %n) {
; CHECK-LABEL: define void @unoptimized(
; CHECK: [[N:%.*]] = load i32, ptr %mine
; CHECK: call void @__dpor_await(ptr @x, i32 0, i32 32, i64 4294967295,
  %mine = alloca i32, align 4
  %temporary = alloca i32, align 4
  store i32 %n, ptr %mine, align 4
  br label %loop
loop:
  %found = load atomic i32, ptr @x seq_cst, align 4
  store i32 %found, ptr %temporary, align 4
  %again = load i32, ptr %temporary, align 4
  %wanted = load i32, ptr %mine, align 4
  %fails = icmp ne i32 %again, %wanted
  br i1 %fails, label %body, label %out
body:
  br label %loop
out:
  ret void
}

; Nothing of these only waits: it counts; remembers; writes; calls; looks at two places; the place changes; what it
; compares with is looked at anew; two ways to go on; another way in.
define i32 @counts() {
; CHECK-LABEL: define i32 @counts(
; CHECK-NOT: __dpor_await
; CHECK: ret i32
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %next, %loop ]
  %found = load atomic i32, ptr @x seq_cst, align 4
  %next = add i32 %n, 1
  %fails = icmp eq i32 %found, 0
  br i1 %fails, label %loop, label %out
out:
  ret i32 %n
}

define i32 @remembers() {
; CHECK-LABEL: define i32 @remembers(
; CHECK-NOT: __dpor_await
; CHECK: ret i32
  %last = alloca i32, align 4
  store i32 7, ptr %last, align 4
  br label %loop
loop:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp ne i32 %found, 3
  br i1 %fails, label %body, label %out
body:
  store i32 %found, ptr %last, align 4
  br label %loop
out:
  %result = load i32, ptr %last, align 4
  ret i32 %result
}

define void @writes() {
; CHECK-LABEL: define void @writes(
; CHECK-NOT: __dpor_await
; CHECK: ret void
  br label %loop
loop:
  store i32 1, ptr @y, align 4
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp eq i32 %found, 0
  br i1 %fails, label %loop, label %out
out:
  ret void
}

define void @calls() {
; CHECK-LABEL: define void @calls(
; CHECK-NOT: __dpor_await
; CHECK: ret void
  br label %loop
loop:
  call void @other()
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp eq i32 %found, 0
  br i1 %fails, label %loop, label %out
out:
  ret void
}

define void @two_places() {
; CHECK-LABEL: define void @two_places(
; CHECK-NOT: __dpor_await
; CHECK: ret void
  br label %loop
loop:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp ne i32 %found, 0
  br i1 %fails, label %second, label %out
second:
  %turn = load atomic i32, ptr @y seq_cst, align 4
  %mine = icmp eq i32 %turn, 1
  br i1 %mine, label %loop, label %out
out:
  ret void
}

define void @list(ptr %head) {
; CHECK-LABEL: define void @list(
; CHECK-NOT: __dpor_await
; CHECK: ret void
  br label %loop
loop:
  %place = phi ptr [ %head, %0 ], [ %next, %loop ]
  %next = load atomic ptr, ptr %place seq_cst, align 8
  %fails = icmp ne ptr %next, null
  br i1 %fails, label %loop, label %out
out:
  ret void
}

define void @other_changes() {
; CHECK-LABEL: define void @other_changes(
; CHECK-NOT: __dpor_await
; CHECK: ret void
  br label %loop
loop:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %wanted = load i32, ptr @y, align 4
  %fails = icmp ne i32 %found, %wanted
  br i1 %fails, label %loop, label %out
out:
  ret void
}

define void @three_ways(i1 %b) {
; CHECK-LABEL: define void @three_ways(
; CHECK-NOT: __dpor_await
; CHECK: ret void
  br label %loop
loop:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp ne i32 %found, 0
  br i1 %fails, label %body, label %out
body:
  %many = icmp ugt i32 %found, 9
  br i1 %many, label %out, label %loop
out:
  ret void
}

define void @entered(i1 %b, ptr %a) {
; CHECK-LABEL: define void @entered(
; CHECK-NOT: __dpor_await
; CHECK: ret void
  br i1 %b, label %loop, label %body
loop:
  %found = load atomic i32, ptr @x seq_cst, align 4
  %fails = icmp ne i32 %found, 0
  br i1 %fails, label %body, label %out
body:
  tail call void @llvm.x86.sse2.pause()
  br label %loop
out:
  ret void
}
