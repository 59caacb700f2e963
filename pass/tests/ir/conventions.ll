; A function that is called in a way which passes arguments in registers that calls of C preserve is told in the module's
; record, though it is only declared.

source_filename = "some/where.c"

declare x86_regcallcc void @other(ptr)

; CHECK: @dpor.module = internal global {{.*}}, ptr null, i32 0, i32 2 }, section "dpor_modules"

define fastcc void @f() {
  ret void
}
