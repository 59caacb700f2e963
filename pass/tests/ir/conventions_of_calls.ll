; A call through a pointer in such a way is told, too.

source_filename = "some/where.c"

; CHECK: @dpor.module = internal global {{.*}}, ptr null, i32 0, i32 2 }, section "dpor_modules"

define coldcc void @f(ptr %function) {
  call x86_regcallcc void %function()
  ret void
}
