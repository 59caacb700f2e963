; Where levels are compared, loads that may have been made ahead of their conditions have hooks of their own, and others
; where their values are used: a choice, a branch, a phi, a bit that decides nothing, lanes.
;@ env: DPOR_LEVEL=-O2
@g = global i32 0
declare void @use(i32)

; CHECK-LABEL: define i32 @choice(
; CHECK: [[TOKEN:%.*]] = alloca i64
; CHECK: call void @__dpor_read_ahead(ptr @g, i64 4, ptr [[TOKEN]], ptr
; CHECK-NEXT: %v = load i32, ptr @g
; CHECK-NEXT: %r = select i1 %c, i32 %v, i32 0
; CHECK-NEXT: [[IS:%.*]] = select i1 %c, i1 true, i1 false
; CHECK-NEXT: [[WORD:%.*]] = zext i1 [[IS]] to i32
; CHECK-NEXT: call void @__dpor_used_ahead(ptr [[TOKEN]], i32 [[WORD]])
; CHECK-NEXT: ret i32 %r
define i32 @choice(i1 %c) {
  %v = load i32, ptr @g
  %r = select i1 %c, i32 %v, i32 0
  ret i32 %r
}

; The outer condition is asked first: the inner one may be poison without it.
; CHECK-LABEL: define i32 @two_choices(
; CHECK: [[INNER:%.*]] = select i1 %d, i1 false, i1 true
; CHECK-NEXT: [[BOTH:%.*]] = select i1 [[INNER]], i1 true, i1 false
; CHECK-NEXT: [[ALL:%.*]] = select i1 %c, i1 [[BOTH]], i1 false
; CHECK-NEXT: zext i1 [[ALL]] to i32
define i32 @two_choices(i1 %c, i1 %d) {
  %v = load i32, ptr @g
  %w = add i32 %v, 1
  %inner = select i1 %d, i32 7, i32 %w
  %r = select i1 %c, i32 %inner, i32 0
  ret i32 %r
}

; CHECK-LABEL: define void @branch(
; CHECK: call void @__dpor_read_ahead(
; CHECK: yes:
; CHECK-NEXT: call void @__dpor_used_ahead(ptr {{.*}}, i32 1)
define void @branch(i1 %c) {
  %v = load i32, ptr @g
  br i1 %c, label %yes, label %no
yes:
  call void @use(i32 %v)
  br label %no
no:
  ret void
}

; CHECK-LABEL: define i32 @phi(
; CHECK: call void @__dpor_read_ahead(
; CHECK: [[SECOND:%.*]] = select i1 %c, i1 false, i1 true
; CHECK-NEXT: [[IS:%.*]] = select i1 [[SECOND]], i1 true, i1 false
; CHECK-NEXT: [[WORD:%.*]] = zext i1 [[IS]] to i32
; CHECK-NEXT: call void @__dpor_used_ahead(ptr {{.*}}, i32 [[WORD]])
; CHECK-NEXT: br i1 %c
define i32 @phi(i1 %c) {
begin:
  %v = load i32, ptr @g
  br i1 %c, label %yes, label %end
yes:
  call void @use(i32 0)
  br label %end
end:
  %r = phi i32 [ %v, %begin ], [ 1, %yes ]
  ret i32 %r
}

; CHECK-LABEL: define i1 @bit(
; CHECK: call void @__dpor_read_ahead(
; CHECK: select i1 %c, i1 true, i1 false
define i1 @bit(i1 %c) {
  %v = load i32, ptr @g
  %b = icmp eq i32 %v, 3
  %r = and i1 %b, %c
  ret i1 %r
}

; CHECK-LABEL: define <4 x i32> @lanes(
; CHECK: call void @__dpor_read_ahead(
; CHECK: [[BITS:%.*]] = bitcast <4 x i1> %c to i4
; CHECK-NEXT: [[SOME:%.*]] = icmp ugt i4 [[BITS]], 0
; CHECK-NEXT: select i1 [[SOME]], i1 true, i1 false
define <4 x i32> @lanes(<4 x i1> %c) {
  %v = load i32, ptr @g
  %one = insertelement <4 x i32> poison, i32 %v, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %r = select <4 x i1> %c, <4 x i32> %all, <4 x i32> zeroinitializer
  ret <4 x i32> %r
}

; Used for sure, not used at all, not to be moved, and private: ordinary.
; CHECK-LABEL: define i32 @ordinary(
; CHECK-NOT: ahead
; CHECK: ret i32
define i32 @ordinary(ptr %p, i1 %c) {
  %own = alloca i32
  store i32 3, ptr %own
  %o = load i32, ptr %own
  %sure = load i32, ptr @g
  %none = load i32, ptr @g
  %behind = load i32, ptr %p
  %chosen = select i1 %c, i32 %behind, i32 %o
  %sum = add i32 %chosen, %sure
  ret i32 %sum
}
