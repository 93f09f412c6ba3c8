#ifndef SACHECK_CTYPE_H
#define SACHECK_CTYPE_H
int isdigit(int);
int isxdigit(int);
int isblank(int);
int isprint(int);
int ispunct(int);
int iscntrl(int);
int isgraph(int);
int isalpha(int);
int isalnum(int);
int isspace(int);
int isupper(int);
int islower(int);
int toupper(int);
int tolower(int);
#endif
