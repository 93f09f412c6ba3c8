#ifndef SACHECK_STDALIGN_H
#define SACHECK_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
