// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

namespace clipmill::stages::tet_bake {

/// Sums over rows: the same bits for every instruction set, as each runs over the rows in order.

/// Adds rows^T rows to `gram`, a matrix of `size` x `size` doubles by columns: to its lower
/// triangle with the diagonal. What is above holds anything then. `rows` are of `size` doubles
/// each.
void addGram(std::span<const double> rows, std::size_t size, std::span<double> gram);

/// Adds left^T right to `product`, `size` x `columns` doubles by columns. `left` are rows of `size`
/// doubles each, `right` as many of `columns`.
void addProduct(std::span<const double> left, std::size_t size, std::span<const double> right,
                std::size_t columns, std::span<double> product);

}  // namespace clipmill::stages::tet_bake
