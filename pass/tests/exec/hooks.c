// The hooks as a program of one thread needs them: each performs its access, by the table in
// runtime/abi/src/hook.rs. Between log_begin() and log_end() each also writes one line, with the
// place as a name given by log_name() plus an offset.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct site {
  const char *file, *function;
  const struct site *inlined_at;
  uint32_t line, column, flags, reserved;
};
struct module_info {
  uint32_t magic, version;
  const char *name;
  uint32_t seen, instrumented, private, llvm;
  uint64_t reserved;
};

static int logging;
static struct { char *start; size_t bytes; const char *name; } names[64];
static int names_count;

void log_name(void *start, size_t bytes, const char *name) {
  names[names_count].start = start;
  names[names_count].bytes = bytes;
  names[names_count++].name = name;
}
void log_begin(void) { logging = 1; }
void log_end(void) { logging = 0; }

static const char *place(void *p) {
  static char text[64];
  for (int i = 0; i < names_count; i++) {
    long offset = (char *)p - names[i].start;
    if (offset >= 0 && (size_t)offset < names[i].bytes) {
      snprintf(text, sizeof text, "%s+%ld", names[i].name, offset);
      return text;
    }
  }
  return "?";
}

static void note(const char *what, void *p, unsigned long bytes, const struct site *site) {
  if (logging)
    printf("%s %s %lu line %u%s\n", what, place(p), bytes, site->line,
           site->inlined_at ? " inlined" : "");
}

void __dpor_module(struct module_info *info) {
  if (info->magic != 0x726f7064 || info->version != 8)
    __builtin_trap();
}
void __dpor_call(struct site *site) { note("call", 0, 0, site); }
void __dpor_call_unseen(void *function, struct site *site) { note("call", 0, 0, site); }
void __dpor_member(uint32_t what, void *function, void *a, void *b, void *c, struct site *s) {
  note(what == 0 ? "virtual-member" : "member", a, what & 255, s);
}
void __dpor_missing_return(char *name, struct site *s) { note("missing-return", 0, 0, s); }
void __dpor_result_ignored(struct site *site) { note("ignored", 0, 0, site); }
void __dpor_fence(uint32_t order, uint32_t single, struct site *site) {
  note(single ? "signal-fence" : "fence", 0, order, site);
}
void __dpor_assembly_unknown(struct site *site) { note("assembly-unknown", 0, 0, site); }
void __dpor_assembly_access(void *p, uint64_t n, struct site *s) { note("assembly", p, n, s); }
void __dpor_read_range(void *p, uint64_t n, struct site *s) { note("read-range", p, n, s); }
void __dpor_write_range(void *p, uint64_t n, struct site *s) { note("write-range", p, n, s); }
void __dpor_volatile_range(void *p, uint64_t n, uint32_t write, struct site *s) {
  note(write ? "volatile-write-range" : "volatile-read-range", p, n, s);
}
static void masked(const char *what, char *p, uint32_t bytes, uint32_t lanes, uint64_t mask,
                   struct site *s) {
  for (uint32_t lane = 0; lane < lanes; lane++)
    if (mask >> lane & 1)
      note(what, p + lane * bytes, bytes, s);
}
void __dpor_read_masked(void *p, uint32_t bytes, uint32_t lanes, uint64_t mask, struct site *s) {
  masked("read-lane", p, bytes, lanes, mask, s);
}
void __dpor_write_masked(void *p, uint32_t bytes, uint32_t lanes, uint64_t mask, struct site *s) {
  masked("write-lane", p, bytes, lanes, mask, s);
}

// Every other update asks for a hook of the write's own.
static uint32_t asks;

#define CHECK_ORDER(o) do { if ((o) < 1 || (o) == 3 || (o) > 7) __builtin_trap(); } while (0)
#define HOOKS(N, T, S)                                                                             \
  void __dpor_read##N(T *p, struct site *s) { note("read", p, N, s); }                             \
  void __dpor_write##N(T *p, struct site *s) { note("write", p, N, s); }                           \
  uint32_t __dpor_update##N(T *p, struct site *written, struct site *read) {                       \
    note("read", p, N, read);                                                                      \
    if ((asks ^= 1))                                                                               \
      return 1;                                                                                    \
    note("write", p, N, written);                                                                  \
    return 0;                                                                                      \
  }                                                                                                \
  T __dpor_load##N(T *p, uint32_t order, struct site *s) {                                         \
    CHECK_ORDER(order);                                                                            \
    note("load", p, N, s);                                                                         \
    return *p;                                                                                     \
  }                                                                                                \
  void __dpor_store##N(T *p, T v, uint32_t order, struct site *s) {                                \
    CHECK_ORDER(order);                                                                            \
    note("store", p, N, s);                                                                        \
    *p = v;                                                                                        \
  }                                                                                                \
  T __dpor_volatile_load##N(T *p, struct site *s) {                                                \
    if (!(s->flags & 1)) __builtin_trap();                                                         \
    note("volatile-load", p, N, s);                                                                \
    return *p;                                                                                     \
  }                                                                                                \
  void __dpor_volatile_store##N(T *p, T v, struct site *s) {                                       \
    if (!(s->flags & 1)) __builtin_trap();                                                         \
    note("volatile-store", p, N, s);                                                               \
    *p = v;                                                                                        \
  }                                                                                                \
  T __dpor_rmw##N(T *p, T v, uint32_t op, uint32_t order, uint32_t used, struct site *s) {         \
    T old = *p;                                                                                    \
    CHECK_ORDER(order);                                                                            \
    note(used ? "rmw-used" : "rmw", p, N, s);                                                      \
    switch (op) {                                                                                  \
    case 0: *p = v; break;                                                                         \
    case 1: *p = old + v; break;                                                                   \
    case 2: *p = old - v; break;                                                                   \
    case 3: *p = old & v; break;                                                                   \
    case 4: *p = ~(old & v); break;                                                                \
    case 5: *p = old | v; break;                                                                   \
    case 6: *p = old ^ v; break;                                                                   \
    case 7: *p = (S)old > (S)v ? old : v; break;                                                   \
    case 8: *p = (S)old < (S)v ? old : v; break;                                                   \
    case 9: *p = old > v ? old : v; break;                                                         \
    case 10: *p = old < v ? old : v; break;                                                        \
    default: __builtin_trap();                                                                     \
    }                                                                                              \
    return old;                                                                                    \
  }                                                                                                \
  T __dpor_rmw_begin##N(T *p, uint32_t order, uint32_t used, struct site *s) {                     \
    CHECK_ORDER(order);                                                                            \
    note(used ? "rmw-begin-used" : "rmw-begin", p, N, s);                                          \
    return *p;                                                                                     \
  }                                                                                                \
  void __dpor_rmw_end##N(T *p, T v, uint32_t order, struct site *s) {                              \
    CHECK_ORDER(order);                                                                            \
    note("rmw-end", p, N, s);                                                                      \
    *p = v;                                                                                        \
  }                                                                                                \
  T __dpor_cas##N(T *p, T expected, T desired, uint32_t success, uint32_t failure, uint32_t weak,  \
                  struct site *s) {                                                                \
    T old = *p;                                                                                    \
    CHECK_ORDER(success);                                                                          \
    CHECK_ORDER(failure);                                                                          \
    note(weak ? "cas-weak" : "cas", p, N, s);                                                      \
    if (old == expected)                                                                           \
      *p = desired;                                                                                \
    return old;                                                                                    \
  }
HOOKS(1, uint8_t, int8_t)
HOOKS(2, uint16_t, int16_t)
HOOKS(4, uint32_t, int32_t)
HOOKS(8, uint64_t, int64_t)
HOOKS(16, unsigned __int128, __int128)
// A single thread finds what it waits for at once: whether its exchange was in vain is left to the access itself.
void __dpor_await(void *p, uint32_t test, uint32_t bits, uint64_t mask, uint64_t value, struct site *s) {
  (void)p, (void)test, (void)bits, (void)mask, (void)value, (void)s;
}
// Turns of loops have no effect but where somebody waits.
void __dpor_turn(uint64_t *r, uint64_t *now, uint32_t n, struct site *s) { (void)r, (void)now, (void)n, (void)s; }
uint32_t __dpor_frame_begin(void *top, struct site *s) { return (void)top, (void)s, 1; }
uint32_t __dpor_frame_end(void *top, struct site *s) { return (void)top, (void)s, 1; }
void __dpor_stack_end(void *top, struct site *s) { (void)top, (void)s; }
void __dpor_scope_begin(void *p, uint64_t n, struct site *s) { (void)p, (void)n, (void)s; }
void __dpor_scope_end(void *p, uint64_t n, struct site *s) { (void)p, (void)n, (void)s; }
void __dpor_round(uint64_t *n, struct site *s) { (void)n, (void)s; }
