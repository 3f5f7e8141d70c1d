// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/hermite.h"

#include "core/float_rounding.h"

namespace clipmill {

SlopeFit::SlopeFit(std::span<const double> from, std::span<const double> to, double length_s)
    : from_(from), to_(to), length_s_(length_s), ra_(from.size(), 0.0), rb_(from.size(), 0.0) {}

void SlopeFit::add(double fraction, const double* value) {
  const Hermite basis(fraction);
  aa_ += basis.out * basis.out;
  ab_ += basis.out * basis.in;
  bb_ += basis.in * basis.in;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const double rest = value[i] - basis.from * from_[i] - basis.to * to_[i];
    ra_[i] += basis.out * rest;
    rb_[i] += basis.in * rest;
  }
}

double SlopeFit::outOf(std::size_t number) const {
  return roundedToFloat((bb_ * ra_[number] - ab_ * rb_[number]) / determinant() / length_s_);
}

double SlopeFit::inOf(std::size_t number) const {
  return roundedToFloat((aa_ * rb_[number] - ab_ * ra_[number]) / determinant() / length_s_);
}

}  // namespace clipmill
