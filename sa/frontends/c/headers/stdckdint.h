#ifndef SACHECK_STDCKDINT
#define SACHECK_STDCKDINT
#define __STDC_VERSION_STDCKDINT_H__ 202311L
#define ckd_add(to, a, b) ((_Bool) __builtin_add_overflow(a, b, to))
#define ckd_sub(to, a, b) ((_Bool) __builtin_sub_overflow(a, b, to))
#define ckd_mul(to, a, b) ((_Bool) __builtin_mul_overflow(a, b, to))
#endif
