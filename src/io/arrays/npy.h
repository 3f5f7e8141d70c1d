// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/result.h"

/// Arrays in the file format of NumPy (numpy.lib.format, versions 1.0 to 3.0).
namespace clipmill::io::arrays {

enum class ElementKind { kFloat, kSigned, kUnsigned, kBool, kUnicode, kBytes };

/// An array in row-major order. Numbers are little-endian, texts UTF-32 or bytes padded with zeros.
struct Array {
  ElementKind kind = ElementKind::kFloat;
  std::size_t element_bytes = 4;
  std::vector<std::size_t> shape;  ///< Empty for a single value.
  Bytes data;

  std::size_t count() const { return element_bytes == 0 ? 0 : data.size() / element_bytes; }
};

/// True where the bytes start as an .npy file does.
bool looksLikeNpy(std::span<const std::byte> bytes);

/// The array in the bytes of an .npy file: floats of 2, 4, 8 bytes, integers of 1 to 8, bool,
/// texts; either byte order, row-major or Fortran order. Errors: kMalformed; kLimit above
/// `max_bytes`; kUnsupported for complex numbers, records, dates, and Python objects, which are
/// never read.
Result<Array> readNpy(std::span<const std::byte> bytes, std::uint64_t max_bytes);

/// The .npy file (version 1.0) of an array, as numpy.save writes it.
Bytes writeNpy(const Array& array);

/// Numbers and truth values as doubles. Error: kMalformed for texts.
Result<std::vector<double>> numbersOf(const Array& array);

/// Texts as UTF-8. Error: kMalformed for numbers.
Result<std::vector<std::string>> textsOf(const Array& array);

/// Arrays of float32, float64, int32 and Unicode texts. `values` fill `shape`.
Array floatArray(std::vector<std::size_t> shape, std::span<const double> values);
Array doubleArray(std::vector<std::size_t> shape, std::span<const double> values);
Array integerArray(std::vector<std::size_t> shape, std::span<const int> values);
Array textArray(std::vector<std::size_t> shape, std::span<const std::string> values);

/// "(120, 22, 3)", for people.
std::string shapeText(std::span<const std::size_t> shape);

}  // namespace clipmill::io::arrays
