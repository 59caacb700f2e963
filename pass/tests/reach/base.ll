; One of each kind of thing whose state the record of a module must have. The function has no hooks: they would stand in
; front of what is looked at.
source_filename = "base"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i64 }

@number = global i32 7, align 4
@text = private unnamed_addr constant [3 x i8] c"ab\00", align 1
@inner = private unnamed_addr constant [1 x ptr] [ptr @text]
@outer = private unnamed_addr constant [1 x ptr] [ptr @inner]
@itself = private unnamed_addr constant [2 x ptr] [ptr @itself, ptr @text]
@other = external thread_local global i32
@inside = internal global ptr getelementptr (i8, ptr @number, i64 1)

declare void @callee(i32, ptr)
declare i32 @personality(...)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define i32 @f(i32 %a, i32 %b, ptr %p, double %d, <2 x i32> %v, %pair %s) disable_sanitizer_instrumentation personality ptr @personality {
entry:
  %slot = alloca i32, i32 2, align 8
  %sum = add nsw i32 %a, %b
  %quotient = udiv i32 %a, %b
  %float = fadd fast double %d, 1.5
  %less = icmp slt i32 %a, %b
  %above = fcmp olt double %d, %float
  %loaded = load i32, ptr %p, align 4, !range !0
  %plain = load i32, ptr %p, align 4, !tbaa !1
  store i32 %sum, ptr %p, align 4
  %atomic = load atomic i32, ptr %p seq_cst, align 4
  %old = atomicrmw add ptr %p, i32 1 acq_rel, align 4
  %exchange = cmpxchg ptr %p, i32 1, i32 2 monotonic monotonic, align 4
  fence acquire
  %element = getelementptr inbounds %pair, ptr %p, i64 0, i32 1
  %field = extractvalue %pair %s, 0
  %part = extractvalue [2 x i32] undef, 0
  %whole = insertvalue [2 x i32] undef, i32 3, 0
  %shuffled = shufflevector <2 x i32> %v, <2 x i32> %v, <2 x i32> <i32 0, i32 3>
  %read = call i32 asm "movl 1, $0", "=r"()
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 9, i1 false)
  call void @callee(i32 %field, ptr @text)
  call void @callee(i32 zeroext 11, ptr @outer)
  call void @callee(i32 12, ptr @itself)
  call void @callee(i32 13, ptr @inside)
  call void @callee(i32 14, ptr @other)
  call void %p() [ "tag"(i32 1) ]
  switch i32 %a, label %last [
    i32 15, label %one
    i32 16, label %two
  ]

one:
  invoke void @callee(i32 17, ptr null)
          to label %last unwind label %pad

two:
  br i1 %less, label %last, label %one

pad:
  %landed = landingpad { ptr, i32 }
          cleanup
  br label %last

last:
  %which = phi i32 [ 18, %entry ], [ 19, %one ], [ 20, %two ], [ 21, %pad ]
  ret i32 %which
}

!0 = !{i32 0, i32 100}
!1 = !{!2, !2, i64 0}
!2 = !{!"int", !3, i64 0}
!3 = !{!"char", !4, i64 0}
!4 = !{!"tree"}
