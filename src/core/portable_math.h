// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

/// Elementary functions that give the same bits on every machine.
///
/// The C library picks one of several implementations of sin, exp and the like by the features of
/// the processor (with and without fused multiply-add), and their last bits differ. Whatever
/// reaches an output file is therefore computed by these, which use only +, -, *, / and sqrt:
/// operations that IEEE 754 rounds in one manner. Each function states its bound of error in ulp
/// (unit of least precision) of the result; infinities and NaN pass through as in <cmath>.
namespace clipmill::portable {

double sin(double angle_rad);  ///< 3 ulp for |angle| <= 1e6.
double cos(double angle_rad);  ///< 3 ulp for |angle| <= 1e6.
struct SineCosine {
  double sine, cosine;
};
SineCosine sinCos(double angle_rad);  ///< The bits of sin() and cos(), for little more than one.
double tan(double angle_rad);         ///< 5 ulp for |angle| <= 1e6.
double atan(double x);                ///< 4 ulp.
double atan2(double y, double x);     ///< 5 ulp. In (-pi, pi]; 0 for (0, 0).
double asin(double x);                ///< 5 ulp. x is clamped to [-1, 1].
double acos(double x);                ///< 5 ulp. x is clamped to [-1, 1].
double exp(double x);                 ///< 1.5 ulp.
double log(double x);                 ///< 2.5 ulp. Natural logarithm; -inf at 0, NaN below.
double pow(double base, double exponent);  ///< 1.5 ulp. NaN for base < 0; 1 for exponent 0.
double sinh(double x);                     ///< 3 ulp.
double cosh(double x);                     ///< 2.5 ulp.

}  // namespace clipmill::portable
