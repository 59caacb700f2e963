; A function with hooks keeps none of the promises that the optimizer wrote down before.

@g = global i32 0

; CHECK: define i32 @reads() #[[GAINED:[0-9]+]]
define i32 @reads() memory(read) nosync nofree norecurse willreturn nounwind {
  %a = load i32, ptr @g
  ret i32 %a
}

; CHECK: define i32 @computes(i32 %x) #[[KEPT:[0-9]+]]
define i32 @computes(i32 %x) memory(none) nosync nofree norecurse willreturn nounwind {
  %a = add i32 %x, 1
  ret i32 %a
}

; CHECK: define i32 @calls(
; CHECK: %a = call i32 @reads(){{$}}
define i32 @calls() {
  %a = call i32 @reads() memory(read) willreturn
  ret i32 %a
}

; CHECK: attributes #[[GAINED]] = { nounwind }
; CHECK: attributes #[[KEPT]] = { {{.*}}memory(none){{.*}} }
