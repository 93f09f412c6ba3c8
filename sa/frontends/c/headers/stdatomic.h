#ifndef SACHECK_STDATOMIC_H
#define SACHECK_STDATOMIC_H
#include <stdint.h>
#include <stddef.h>
typedef enum {
    memory_order_relaxed, memory_order_consume, memory_order_acquire,
    memory_order_release, memory_order_acq_rel, memory_order_seq_cst
} memory_order;
typedef _Atomic _Bool atomic_bool;
typedef _Atomic char atomic_char;
typedef _Atomic signed char atomic_schar;
typedef _Atomic unsigned char atomic_uchar;
typedef _Atomic short atomic_short;
typedef _Atomic unsigned short atomic_ushort;
typedef _Atomic int atomic_int;
typedef _Atomic unsigned int atomic_uint;
typedef _Atomic long atomic_long;
typedef _Atomic unsigned long atomic_ulong;
typedef _Atomic long long atomic_llong;
typedef _Atomic unsigned long long atomic_ullong;
typedef _Atomic int8_t atomic_int_least8_t;
typedef _Atomic uint8_t atomic_uint_least8_t;
typedef _Atomic int16_t atomic_int_least16_t;
typedef _Atomic uint16_t atomic_uint_least16_t;
typedef _Atomic int32_t atomic_int_least32_t;
typedef _Atomic uint32_t atomic_uint_least32_t;
typedef _Atomic int64_t atomic_int_least64_t;
typedef _Atomic uint64_t atomic_uint_least64_t;
typedef _Atomic int_fast8_t atomic_int_fast8_t;
typedef _Atomic uint_fast8_t atomic_uint_fast8_t;
typedef _Atomic int_fast16_t atomic_int_fast16_t;
typedef _Atomic uint_fast16_t atomic_uint_fast16_t;
typedef _Atomic int_fast32_t atomic_int_fast32_t;
typedef _Atomic uint_fast32_t atomic_uint_fast32_t;
typedef _Atomic int_fast64_t atomic_int_fast64_t;
typedef _Atomic uint_fast64_t atomic_uint_fast64_t;
typedef _Atomic uint16_t atomic_char16_t;
typedef _Atomic uint32_t atomic_char32_t;
typedef _Atomic __WCHAR_TYPE__ atomic_wchar_t;
typedef _Atomic intmax_t atomic_intmax_t;
typedef _Atomic uintmax_t atomic_uintmax_t;
typedef _Atomic size_t atomic_size_t;
typedef _Atomic ptrdiff_t atomic_ptrdiff_t;
typedef _Atomic intptr_t atomic_intptr_t;
typedef _Atomic uintptr_t atomic_uintptr_t;
typedef struct { _Atomic _Bool __set; } atomic_flag;
#define ATOMIC_FLAG_INIT { 0 }
#define ATOMIC_VAR_INIT(value) (value)
#define kill_dependency(value) (value)
#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_CHAR_LOCK_FREE 2
#define ATOMIC_CHAR16_T_LOCK_FREE 2
#define ATOMIC_CHAR32_T_LOCK_FREE 2
#define ATOMIC_WCHAR_T_LOCK_FREE 2
#define ATOMIC_SHORT_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_LLONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define atomic_is_lock_free(p) ((void) (p), (_Bool) 1)
/* Generic functions: the front end knows them by their names; these are for the compiler's check of types only. */
#ifdef SACHECK_CHECKING
#define atomic_init(p, v) ((void) (*(p) = (v)))
#define atomic_store(p, v) ((void) (*(p) = (v)))
#define atomic_store_explicit(p, v, o) ((void) (o), (void) (*(p) = (v)))
#define atomic_load(p) (*(p))
#define atomic_load_explicit(p, o) ((void) (o), *(p))
#define atomic_exchange(p, v) (*(p) = (v))
#define atomic_exchange_explicit(p, v, o) ((void) (o), *(p) = (v))
#define atomic_compare_exchange_strong(p, e, v) (*(e) = *(p), *(p) = (v), (_Bool) 1)
#define atomic_compare_exchange_weak(p, e, v) atomic_compare_exchange_strong(p, e, v)
#define atomic_compare_exchange_strong_explicit(p, e, v, s, f) \
    ((void) (s), (void) (f), atomic_compare_exchange_strong(p, e, v))
#define atomic_compare_exchange_weak_explicit(p, e, v, s, f) \
    ((void) (s), (void) (f), atomic_compare_exchange_strong(p, e, v))
#define atomic_fetch_add(p, v) (*(p) += (v))
#define atomic_fetch_sub(p, v) (*(p) -= (v))
#define atomic_fetch_or(p, v) (*(p) |= (v))
#define atomic_fetch_and(p, v) (*(p) &= (v))
#define atomic_fetch_xor(p, v) (*(p) ^= (v))
#define atomic_fetch_add_explicit(p, v, o) ((void) (o), *(p) += (v))
#define atomic_fetch_sub_explicit(p, v, o) ((void) (o), *(p) -= (v))
#define atomic_fetch_or_explicit(p, v, o) ((void) (o), *(p) |= (v))
#define atomic_fetch_and_explicit(p, v, o) ((void) (o), *(p) &= (v))
#define atomic_fetch_xor_explicit(p, v, o) ((void) (o), *(p) ^= (v))
#endif
_Bool atomic_flag_test_and_set(volatile atomic_flag *);
_Bool atomic_flag_test_and_set_explicit(volatile atomic_flag *, memory_order);
void atomic_flag_clear(volatile atomic_flag *);
void atomic_flag_clear_explicit(volatile atomic_flag *, memory_order);
void atomic_thread_fence(memory_order);
void atomic_signal_fence(memory_order);
#endif
