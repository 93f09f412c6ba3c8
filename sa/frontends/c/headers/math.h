#ifndef SACHECK_MATH_H
#define SACHECK_MATH_H
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
double sqrt(double);
double pow(double, double);
double fabs(double);
double floor(double);
double ceil(double);
double round(double);
double sin(double);
double cos(double);
double tan(double);
double exp(double);
double log(double);
double log2(double);
double log10(double);
double fmod(double, double);
double fmin(double, double);
double fmax(double, double);
#endif
