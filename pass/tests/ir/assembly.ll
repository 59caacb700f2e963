; Inline assembly.
;@ env: DPOR_PASS=shared-all

define void @operands(ptr %p, i32 %n) {
; "+m" is an output and an input of one place: one access.
; CHECK-LABEL: define void @operands(
; CHECK-NEXT: call void @__dpor_assembly_access(ptr %p, i64 4, ptr @dpor.site
; CHECK-NEXT: call i32 asm
; CHECK-NEXT: call void @__dpor_assembly_access(ptr %p, i64 8,
; CHECK-NEXT: call void asm
; CHECK-NEXT: ret void
  %a = call i32 asm sideeffect "lock; xaddl $0,$1", "=r,=*m,0,*m,~{memory},~{dirflag},~{fpsr},~{flags}"(ptr elementtype(i32) %p, i32 %n, ptr elementtype(i32) %p)
  call void asm sideeffect "movq $$1,$0", "=*m,~{dirflag}"(ptr elementtype(i64) %p)
  ret void
}

define void @harmless() {
; CHECK-LABEL: define void @harmless(
; CHECK-NEXT: call void asm sideeffect ""
; CHECK-NEXT: call void asm sideeffect "rep; nop"
; CHECK-NEXT: call void asm sideeffect "pause # wait"
; CHECK-NEXT: call void asm sideeffect "nop
; CHECK-NEXT: call i64 asm "movq %rsp,$0"
; CHECK-NEXT: ret void
  call void asm sideeffect "", "~{memory}"()
  call void asm sideeffect "rep; nop", "~{memory}"()
  call void asm sideeffect "pause # wait", "~{memory}"()
  call void asm sideeffect "nop\0A\09nop", "~{memory}"()
  %a = call i64 asm "movq %rsp,$0", "=r"()
  ret void
}

define void @fences() {
; CHECK-LABEL: define void @fences(
; CHECK-NEXT: call void @__dpor_fence(i32 7, i32 0,
; CHECK-NEXT: call void asm sideeffect "mfence"
; CHECK-NEXT: call void @__dpor_fence(i32 7, i32 0,
; CHECK-NEXT: call void asm sideeffect "lock; addl $$0,0(%rsp)"
; CHECK-NEXT: ret void
  call void asm sideeffect "mfence", "~{memory}"()
  call void asm sideeffect "lock; addl $$0,0(%rsp)", "~{memory},~{cc}"()
  ret void
}

define void @unknown(ptr %p) {
; CHECK-LABEL: define void @unknown(
; CHECK-NEXT: call void @__dpor_assembly_unknown(
; CHECK-NEXT: call void asm sideeffect "movl
; CHECK-NEXT: call void @__dpor_assembly_unknown(
; CHECK-NEXT: call void asm sideeffect "mfence; movl
; CHECK-NEXT: call void @__dpor_assembly_unknown(
; CHECK-NEXT: call void asm sideeffect "lock; addl $$1,0(%rsp)"
  call void asm sideeffect "movl $$1,($0)", "r,~{memory}"(ptr %p)
  call void asm sideeffect "mfence; movl $$1,($0)", "r,~{memory}"(ptr %p)
  call void asm sideeffect "lock; addl $$1,0(%rsp)", "~{memory}"()
  ret void
}

define void @marks(ptr %p, ptr %q) {
; What valgrind.h writes reaches no memory; one locked instruction is an access where its operand points to.
; CHECK-LABEL: define void @marks(
; CHECK-NEXT: call i64 asm sideeffect "rolq
; CHECK-NEXT: call void @__dpor_assembly_access(ptr %p, i64 4,
; CHECK-NEXT: call void asm sideeffect "lock ; incl
; CHECK-NEXT: call void @__dpor_assembly_access(ptr %q, i64 8,
; CHECK-NEXT: call i64 asm sideeffect "lock; xaddq
; CHECK-NEXT: call void @__dpor_assembly_unknown(
; CHECK-NEXT: call void asm sideeffect "lock; incl ($0)
; CHECK-NEXT: ret void
  %a = call i64 asm sideeffect "rolq $$3,  %rdi ; rolq $$13, %rdi\0A\09rolq $$61, %rdi ; rolq $$51, %rdi\0A\09xchgq %rbx,%rbx", "={dx},{ax},0,~{cc},~{memory},~{dirflag},~{fpsr},~{flags}"(ptr %p, i64 0)
  call void asm sideeffect "lock ; incl ($0)", "r,~{memory},~{cc}"(ptr %p)
  %b = call i64 asm sideeffect "lock; xaddq $0,($1)", "=r,r,0,~{memory},~{cc}"(ptr %q, i64 1)
  call void asm sideeffect "lock; incl ($0)", "r,~{memory},~{cc}"(i64 8)
  ret void
}
