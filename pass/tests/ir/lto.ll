; What clang 19 -flto hands over.
;@ fails: error: dpor: link-time optimization (-flto) is not supported yet: compile without -flto

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"ThinLTO", i32 0}
