; A store of a virtual table's address whose place in the source is a destructor has a hook of its own, wherever
; it was inlined. In a constructor it is a write, and so is any other store in a destructor.

@_ZTV1A = external constant { [3 x ptr] }
@other = external global [4 x ptr]

define void @destroy(ptr %this) !dbg !4 {
; CHECK-LABEL: define void @destroy(
; CHECK-NEXT: call void @__dpor_destructor_vptr(ptr %this, ptr getelementptr{{.*}}@_ZTV1A{{.*}}, ptr @dpor.site
; CHECK-NEXT: store ptr getelementptr
; CHECK-NEXT: call void @__dpor_write8(ptr %this
; CHECK-NEXT: store ptr getelementptr
; CHECK-NEXT: call void @__dpor_write8(ptr %this
; CHECK-NEXT: store ptr getelementptr
  store ptr getelementptr inbounds ({ [3 x ptr] }, ptr @_ZTV1A, i32 0, i32 0, i32 2), ptr %this, !dbg !7
  store ptr getelementptr inbounds ([4 x ptr], ptr @other, i32 0, i32 2), ptr %this, !dbg !7
  store ptr getelementptr inbounds ({ [3 x ptr] }, ptr @_ZTV1A, i32 0, i32 0, i32 2), ptr %this, !dbg !9
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "x.cc", directory: "/work")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "destroy", scope: !1, file: !1, line: 19, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "~A", linkageName: "_ZN1AD2Ev", scope: !1, file: !1, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "A", linkageName: "_ZN1AC2Ev", scope: !1, file: !1, line: 8, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 10, column: 5, scope: !5, inlinedAt: !8)
!8 = distinct !DILocation(line: 20, column: 3, scope: !4)
!9 = !DILocation(line: 8, column: 7, scope: !6, inlinedAt: !8)
