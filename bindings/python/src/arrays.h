// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <pybind11/numpy.h>

#include "core/math.h"

namespace clipmill::python {

/// An array that shows the memory at `first`, kept alive by `owner`. Strides are in bytes.
template <class T>
pybind11::array viewOf(const T* first, std::vector<pybind11::ssize_t> shape,
                       std::vector<pybind11::ssize_t> strides, pybind11::handle owner,
                       bool is_writeable) {
  pybind11::array view(pybind11::dtype::of<T>(), std::move(shape), std::move(strides), first,
                       owner);
  if (!is_writeable) {
    pybind11::detail::array_proxy(view.ptr())->flags &=
        ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  }
  return view;
}

/// Writes an affine map as a matrix of 4 x 4, row by row, that multiplies columns.
inline void writeMatrix(const Affine& map, double* out) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) out[4 * row + column] = map.linear[column][row];
    out[4 * row + 3] = map.translation[row];
  }
  out[12] = out[13] = out[14] = 0.0;
  out[15] = 1.0;
}

}  // namespace clipmill::python
