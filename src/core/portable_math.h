// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

/// Elementary functions that give the same bits on every machine.
///
/// The C library picks one of several implementations of sin, exp and the like by the features of
/// the processor (with and without fused multiply-add), and their last bits differ. Whatever
/// reaches an output file is therefore computed by these, which use only +, -, *, / and sqrt:
/// operations that IEEE 754 rounds in one way. Errors are below 2 units in the last place for
/// arguments of moderate size (|x| <= 1e6 for sin and cos); infinities and NaN pass through as in
/// <cmath>.
namespace clipmill::portable {

double sin(double angle_rad);
double cos(double angle_rad);
struct SineCosine {
  double sine, cosine;
};
SineCosine sinCos(double angle_rad);  ///< The bits of sin() and cos(), for little more than one.
double tan(double angle_rad);
double atan(double x);
double atan2(double y, double x);  ///< In (-pi, pi]; 0 for (0, 0).
double asin(double x);             ///< x is clamped to [-1, 1].
double acos(double x);             ///< x is clamped to [-1, 1].
double exp(double x);
double log(double x);  ///< Natural logarithm; -inf at 0, NaN below.
double pow(double base,
           double exponent);  ///< base >= 0; exp(exponent * log(base)), 1 for exponent 0.
double sinh(double x);
double cosh(double x);

}  // namespace clipmill::portable
