/* What dpor-gcc includes first: functions of memory that gcc would write code for, under names by which the compiler does
 * not know them, so that they are called and their accesses are seen. Programs do not include it. */
#if !defined(DPOR_BUILTINS_H) && !defined(__ASSEMBLER__)
#define DPOR_BUILTINS_H
#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif
void *__dpor_named_memcpy(void *, const void *, __SIZE_TYPE__) __asm__("memcpy") __attribute__((__nothrow__));
void *__dpor_named_memmove(void *, const void *, __SIZE_TYPE__) __asm__("memmove") __attribute__((__nothrow__));
void *__dpor_named_memset(void *, int, __SIZE_TYPE__) __asm__("memset") __attribute__((__nothrow__));
void *__dpor_named_mempcpy(void *, const void *, __SIZE_TYPE__) __asm__("mempcpy") __attribute__((__nothrow__));
void *__dpor_named_memcpy_chk(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__) __asm__("__memcpy_chk")
    __attribute__((__nothrow__));
void *__dpor_named_memmove_chk(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__) __asm__("__memmove_chk")
    __attribute__((__nothrow__));
void *__dpor_named_memset_chk(void *, int, __SIZE_TYPE__, __SIZE_TYPE__) __asm__("__memset_chk")
    __attribute__((__nothrow__));
void *__dpor_named_mempcpy_chk(void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__) __asm__("__mempcpy_chk")
    __attribute__((__nothrow__));
#ifdef __cplusplus
}
#endif

#define __builtin_memcpy(...) __dpor_named_memcpy(__VA_ARGS__)
#define __builtin_memmove(...) __dpor_named_memmove(__VA_ARGS__)
#define __builtin_memset(...) __dpor_named_memset(__VA_ARGS__)
#define __builtin_mempcpy(...) __dpor_named_mempcpy(__VA_ARGS__)
#define __builtin___memcpy_chk(...) __dpor_named_memcpy_chk(__VA_ARGS__)
#define __builtin___memmove_chk(...) __dpor_named_memmove_chk(__VA_ARGS__)
#define __builtin___memset_chk(...) __dpor_named_memset_chk(__VA_ARGS__)
#define __builtin___mempcpy_chk(...) __dpor_named_mempcpy_chk(__VA_ARGS__)
#endif
