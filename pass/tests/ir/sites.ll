; Sites: path, function, line, column, and where it was inlined. Equal places share one record.

; CHECK: @dpor.text{{.*}} = private unnamed_addr constant [{{[0-9]+}} x i8] c"/work/src/x.c\00", align 1
; CHECK: @dpor.text{{.*}} c"outer\00"
; CHECK: @dpor.site = private unnamed_addr constant { ptr, ptr, ptr, i32, i32, i32, i32 } { ptr @dpor.text, ptr @dpor.text.{{[0-9]+}}, ptr null, i32 20, i32 3, i32 0, i32 0 }
; CHECK: c"_ZL5innerv\00"
; CHECK: @dpor.site.{{[0-9]+}} = {{.*}} ptr @dpor.site, i32 10, i32 5, i32 0, i32 0 }
; CHECK: @dpor.site.{{[0-9]+}} = {{.*}} { ptr @dpor.text, ptr @dpor.text.{{[0-9]+}}, ptr null, i32 21, i32 7, i32 1, i32 0 }
; CHECK: @dpor.site.{{[0-9]+}} = {{.*}} { ptr null, ptr @dpor.text.{{[0-9]+}}, ptr null, i32 0, i32 0, i32 0, i32 0 }

@g = global i32 0

define void @outer() !dbg !4 {
; CHECK-LABEL: define void @outer(
; CHECK-NEXT: call void @__dpor_write4(ptr @g, ptr @[[INNER:dpor.site.[0-9]+]]), !dbg ![[LOCATION:[0-9]+]]
; CHECK-NEXT: store i32 1, ptr @g, align 4, !dbg ![[LOCATION]]
; CHECK-NEXT: call void @__dpor_write4(ptr @g, ptr @[[INNER]]), !dbg
  store i32 1, ptr @g, !dbg !7
  store i32 2, ptr @g, !dbg !7
  store volatile i32 3, ptr @g, !dbg !9
  ret void
}

define void @without_debug_information() {
  store i32 1, ptr @g
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "src/x.c", directory: "/work")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "outer", scope: !1, file: !1, line: 19, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "inner", linkageName: "_ZL5innerv", scope: !1, file: !1, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 20, column: 3, scope: !4)
!7 = !DILocation(line: 10, column: 5, scope: !5, inlinedAt: !8)
!8 = distinct !DILocation(line: 20, column: 3, scope: !4)
!9 = !DILocation(line: 21, column: 7, scope: !4)
