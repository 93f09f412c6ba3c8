#undef assert
#ifdef NDEBUG
#define assert(condition) ((void) 0)
#else
#define assert(condition) __sacheck_assert(condition)
#endif
#ifndef SACHECK_ASSERT_H
#define SACHECK_ASSERT_H
void __sacheck_assert(_Bool);
#define static_assert _Static_assert
#endif
