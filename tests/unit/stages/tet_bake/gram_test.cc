// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <vector>

#include "checks.h"
#include "core/instruction_set_simd.h"
#include "stages/tet_bake/morphs/gram_simd.h"

TEST_SUITE_BEGIN("tet_bake.gram");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

// Row k holds k + 1, 2 (k + 1), 3 (k + 1), and so on.
std::vector<double> multiples(std::size_t rows, std::size_t size, double unit) {
  std::vector<double> numbers;
  for (std::size_t k = 1; k <= rows; ++k) {
    for (std::size_t i = 1; i <= size; ++i) numbers.push_back(unit * static_cast<double>(i * k));
  }
  return numbers;
}

}  // namespace

TEST_CASE("The Gram matrix of multiples is the product of their factors times a sum of squares") {
  for (const std::size_t size : {1u, 2u, 7u, 16u, 33u}) {
    for (const std::size_t rows : {1u, 5u, 24u}) {
      std::vector<double> gram(size * size, 1.0);
      addGram(multiples(rows, size, 1.0), size, gram);
      const double squares = static_cast<double>(rows * (rows + 1) * (2 * rows + 1) / 6);
      bool is_right = true;
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t i = j; i < size; ++i) {
          const double factors = static_cast<double>((i + 1) * (j + 1));
          is_right = is_right && gram[j * size + i] == 1.0 + factors * squares;
        }
      }
      CHECK(is_right);
    }
  }
}

TEST_CASE("A product of rows of different lengths has the products of their factors") {
  constexpr std::size_t kSize = 19, kColumns = 6, kRows = 4;
  std::vector<double> product(kSize * kColumns, 0.0);
  addProduct(multiples(kRows, kSize, 1.0), kSize, multiples(kRows, kColumns, 1.0), kColumns,
             product);
  bool is_right = true;
  for (std::size_t j = 0; j < kColumns; ++j) {
    for (std::size_t i = 0; i < kSize; ++i) {
      is_right =
          is_right && product[j * kSize + i] == 30.0 * static_cast<double>((i + 1) * (j + 1));
    }
  }
  CHECK(is_right);  // 30 = 1 + 4 + 9 + 16
}

TEST_CASE("Every instruction set gives the bits of a plain sum in order") {
  constexpr std::size_t kSize = 37, kRows = 50;
  const std::vector<double> rows = multiples(kRows, kSize, 0.1);
  std::vector<double> plain(kSize * kSize, 0.0);
  for (std::size_t j = 0; j < kSize; ++j) {
    for (std::size_t i = j; i < kSize; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < kRows; ++k) sum += rows[k * kSize + i] * rows[k * kSize + j];
      plain[j * kSize + i] = sum;
    }
  }
  for (const std::string& name : instructionSets()) {
    CAPTURE(name);
    useInstructionSet(name);
    std::vector<double> gram(kSize * kSize, 0.0);
    addGram(rows, kSize, gram);
    std::vector<double> product(kSize * kSize, 0.0);
    addProduct(rows, kSize, rows, kSize, product);
    bool is_same = true;
    for (std::size_t j = 0; j < kSize; ++j) {
      for (std::size_t i = j; i < kSize; ++i) {
        is_same = is_same && gram[j * kSize + i] == plain[j * kSize + i] &&
                  product[j * kSize + i] == plain[j * kSize + i] &&
                  product[i * kSize + j] == plain[j * kSize + i];
      }
    }
    CHECK(is_same);
  }
  useBestInstructionSet();
}
