// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/gram_simd.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/tet_bake/morphs/gram_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace clipmill::stages::tet_bake::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<double> kDoubles;
constexpr std::size_t kColumns = 4;

// Two vectors of each of four columns, summed in registers over all rows. `panel`: the rows of the
// two vectors, one after another. `columns`: the first number of each, the next `stride` further
// on.
HWY_INLINE void sumTile(const double* panel, std::size_t row_count, std::size_t stride,
                        const double* const* columns, double* sums) {
  const std::size_t lanes = hn::Lanes(kDoubles);
  auto a0 = hn::Zero(kDoubles), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;
  for (std::size_t k = 0; k < row_count; ++k) {
    const auto first = hn::LoadU(kDoubles, panel + k * 2 * lanes);
    const auto second = hn::LoadU(kDoubles, panel + k * 2 * lanes + lanes);
    const auto a = hn::Set(kDoubles, columns[0][k * stride]);
    const auto b = hn::Set(kDoubles, columns[1][k * stride]);
    const auto c = hn::Set(kDoubles, columns[2][k * stride]);
    const auto d = hn::Set(kDoubles, columns[3][k * stride]);
    a0 = hn::Add(a0, hn::Mul(a, first));
    a1 = hn::Add(a1, hn::Mul(a, second));
    b0 = hn::Add(b0, hn::Mul(b, first));
    b1 = hn::Add(b1, hn::Mul(b, second));
    c0 = hn::Add(c0, hn::Mul(c, first));
    c1 = hn::Add(c1, hn::Mul(c, second));
    d0 = hn::Add(d0, hn::Mul(d, first));
    d1 = hn::Add(d1, hn::Mul(d, second));
  }
  hn::StoreU(a0, kDoubles, sums);
  hn::StoreU(a1, kDoubles, sums + lanes);
  hn::StoreU(b0, kDoubles, sums + 2 * lanes);
  hn::StoreU(b1, kDoubles, sums + 3 * lanes);
  hn::StoreU(c0, kDoubles, sums + 4 * lanes);
  hn::StoreU(c1, kDoubles, sums + 5 * lanes);
  hn::StoreU(d0, kDoubles, sums + 6 * lanes);
  hn::StoreU(d1, kDoubles, sums + 7 * lanes);
}

// Of a lower triangle, tiles that are wholly above the diagonal are left out.
void AddProduct(std::span<const double> left, std::size_t size, std::span<const double> right,
                std::size_t column_count, bool is_lower, std::span<double> product) {
  const std::size_t row_count = left.size() / size;
  const std::size_t width = 2 * hn::Lanes(kDoubles);
  std::vector<double> panel(row_count * width), sums(kColumns * width);
  for (std::size_t i = 0; i < size; i += width) {
    const std::size_t end = std::min(i + width, size);
    for (std::size_t k = 0; k < row_count; ++k) {
      std::copy_n(left.data() + k * size + i, end - i, panel.data() + k * width);
    }
    const std::size_t column_end = is_lower ? end : column_count;
    for (std::size_t j = 0; j < column_end; j += kColumns) {
      const std::size_t count = std::min(kColumns, column_count - j);
      const double* columns[kColumns];
      for (std::size_t c = 0; c < kColumns; ++c) columns[c] = right.data() + j + c % count;
      sumTile(panel.data(), row_count, column_count, columns, sums.data());
      for (std::size_t c = 0; c < count; ++c) {
        double* column = product.data() + (j + c) * size;
        for (std::size_t r = i; r < end; ++r) column[r] += sums[c * width + r - i];
      }
    }
  }
}

}  // namespace clipmill::stages::tet_bake::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clipmill::stages::tet_bake {

HWY_EXPORT(AddProduct);

void addGram(std::span<const double> rows, std::size_t size, std::span<double> gram) {
  HWY_DYNAMIC_DISPATCH(AddProduct)(rows, size, rows, size, true, gram);
}

void addProduct(std::span<const double> left, std::size_t size, std::span<const double> right,
                std::size_t columns, std::span<double> product) {
  HWY_DYNAMIC_DISPATCH(AddProduct)(left, size, right, columns, false, product);
}

}  // namespace clipmill::stages::tet_bake
#endif  // HWY_ONCE
