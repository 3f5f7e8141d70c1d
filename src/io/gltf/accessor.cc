// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/accessor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <meshoptimizer.h>
#include <nlohmann/json.hpp>

#include "core/cancel.h"
#include "core/reserve.h"
#include "core/to_size.h"
#include "io/gltf/json_fields.h"

namespace clipmill::io::gltf {
namespace {

static_assert(std::endian::native == std::endian::little, "accessors are read as they lie");

std::size_t componentBytes(int component_type) {
  switch (component_type) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      return 0;
  }
}

template <class T>
T loadAs(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
double component(const std::byte* at, bool normalized) {
  const double value = static_cast<double>(loadAs<T>(at));
  if (!normalized) return value;
  return std::max(value / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
}

double componentAt(const std::byte* at, int component_type, bool normalized) {
  switch (component_type) {
    case 5120:
      return component<std::int8_t>(at, normalized);
    case 5121:
      return component<std::uint8_t>(at, normalized);
    case 5122:
      return component<std::int16_t>(at, normalized);
    case 5123:
      return component<std::uint16_t>(at, normalized);
    case 5125:
      return component<std::uint32_t>(at, false);
    default:
      return static_cast<double>(loadAs<float>(at));
  }
}

struct TypeShape {
  const char* name;
  std::size_t rows, columns;
};
constexpr TypeShape kTypes[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1}, {"VEC4", 4, 1},
                                {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};

Error malformed(const std::string& location, std::string message) {
  return {ErrorCode::kMalformed, location, std::move(message), ""};
}

// The extension under its ratified and its vendor name.
const Json* compressionOf(const Json& view) {
  const auto extensions = view.find("extensions");
  if (extensions == view.end() || !extensions->is_object()) return nullptr;
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    const auto found = extensions->find(name);
    if (found != extensions->end()) return &*found;
  }
  return nullptr;
}

// Runs the decoder for a mode; arguments were checked against its preconditions. 0 on success.
int decodeMode(const std::string& mode, std::byte* target, std::size_t count, std::size_t stride,
               std::span<const std::byte> source) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(source.data());
  if (mode == "ATTRIBUTES") {
    return meshopt_decodeVertexBuffer(target, count, stride, bytes, source.size());
  }
  if (mode == "TRIANGLES") {
    return meshopt_decodeIndexBuffer(target, count, stride, bytes, source.size());
  }
  return meshopt_decodeIndexSequence(target, count, stride, bytes, source.size());
}

void applyFilter(const std::string& filter, std::byte* target, std::size_t count,
                 std::size_t stride) {
  if (filter == "OCTAHEDRAL") meshopt_decodeFilterOct(target, count, stride);
  if (filter == "QUATERNION") meshopt_decodeFilterQuat(target, count, stride);
  if (filter == "EXPONENTIAL") meshopt_decodeFilterExp(target, count, stride);
}

// What meshoptimizer asserts about its arguments, as an error instead of an abort.
bool decoderAccepts(const std::string& mode, const std::string& filter, std::size_t count,
                    std::size_t stride) {
  const bool attributes = mode == "ATTRIBUTES";
  const bool triangles = mode == "TRIANGLES";
  if (!attributes && !triangles && mode != "INDICES") return false;
  if (attributes && (stride == 0 || stride > 256 || stride % 4 != 0)) return false;
  if (!attributes && stride != 2 && stride != 4) return false;
  if (triangles && count % 3 != 0) return false;
  if (filter == "NONE") return true;
  if (!attributes) return false;
  if (filter == "OCTAHEDRAL") return stride == 4 || stride == 8;
  if (filter == "QUATERNION") return stride == 8;
  return filter == "EXPONENTIAL";
}

}  // namespace

AccessorReader::AccessorReader(const Document& document, const io::Limits& limits)
    : document_(document), limits_(limits) {}

std::size_t AccessorReader::count() const {
  return Fields(*document_.json, "").array("accessors").size();
}

Result<AccessorReader::Layout> AccessorReader::layoutOf(int accessor) const {
  Fields root(*document_.json, "");
  const Json& accessors = root.array("accessors");
  const std::size_t i = toSize(accessor);
  Fields fields(accessors[i], elementLocation("accessors", i));
  Layout layout;
  layout.count = toSize(fields.requiredInteger("count", 0));
  layout.component_type = static_cast<int>(fields.requiredInteger("componentType", 0, 65535));
  layout.component_bytes = componentBytes(layout.component_type);
  layout.normalized = fields.boolean("normalized", false);
  const std::string type = fields.requiredText("type");
  CLIPMILL_CHECK(fields.status());
  if (layout.component_bytes == 0)
    return malformed(fields.location(), "has an unknown componentType");
  const auto shape = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const TypeShape& t) { return type == t.name; });
  if (shape == std::end(kTypes)) return malformed(fields.location(), "has an unknown type");
  layout.rows = shape->rows;
  layout.columns = shape->columns;
  layout.width = static_cast<int>(shape->rows * shape->columns);
  return layout;
}

Status AccessorReader::charge(double bytes) {
  decoded_bytes_ += bytes;
  if (decoded_bytes_ <= static_cast<double>(limits_.max_decoded_bytes)) return {};
  return Error{ErrorCode::kLimit, "", "decodes to more data than the memory limit allows",
               "raise --max-decoded-mb if the file is meant to be that large"};
}

Result<std::size_t> AccessorReader::bytesInView(int accessor) const {
  CLIPMILL_TRY(const Layout layout, layoutOf(accessor));
  Fields root(*document_.json, "");
  const std::string location = elementLocation("accessors", toSize(accessor));
  Fields fields(root.array("accessors")[toSize(accessor)], location);
  const int view = fields.requiredIndex("bufferView", root.array("bufferViews").size());
  CLIPMILL_CHECK(fields.status());
  Fields view_fields(root.array("bufferViews")[toSize(view)],
                     elementLocation("bufferViews", toSize(view)));
  const auto declared = toSize(view_fields.integer("byteStride", 0, 0, 65535));
  CLIPMILL_CHECK(view_fields.status());
  const std::size_t stride = declared ? declared : layout.columnBytes() * layout.columns;
  if (layout.count == 0) return std::size_t{0};
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 2;
  if (layout.count > kMost / std::max<std::size_t>(stride, 1)) {
    return malformed(location, "extends past the end of its bufferView");
  }
  return (layout.count - 1) * stride + layout.elementBytes();
}

Result<Accessor> AccessorReader::read(int accessor) {
  pollCancel();
  CLIPMILL_TRY(const Layout layout, layoutOf(accessor));
  const std::string location = elementLocation("accessors", toSize(accessor));
  if (Status fits = charge(static_cast<double>(layout.count) * layout.width * sizeof(double));
      !fits) {
    return within(location, fits.error());
  }
  Accessor result{layout.count, layout.width, layout.component_type, layout.normalized, {}};
  Fields root(*document_.json, "");
  Fields fields(root.array("accessors")[toSize(accessor)], location);
  const int view = fields.index("bufferView", root.array("bufferViews").size());
  const auto offset = toSize(fields.integer("byteOffset", 0));
  CLIPMILL_CHECK(fields.status());
  if (view >= 0) {
    CLIPMILL_CHECK(readView(view, offset, layout.count, layout, location, result.values));
  } else {
    result.values.assign(layout.count * toSize(layout.width), 0.0);
  }
  if (fields.has("sparse")) CLIPMILL_CHECK(readSparse(layout, accessor, result.values));
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    if (!std::isfinite(result.values[i])) {
      return malformed(location, "has a value that is not finite, in element " +
                                     std::to_string(i / toSize(layout.width)));
    }
  }
  return result;
}

Result<Accessor> AccessorReader::read(int accessor, int width) {
  CLIPMILL_TRY(Accessor result, read(accessor));
  if (result.width != width) {
    return malformed(elementLocation("accessors", toSize(accessor)),
                     "has " + std::to_string(result.width) + " values per element where " +
                         std::to_string(width) + " are needed");
  }
  return result;
}

Status AccessorReader::readSparse(const Layout& layout, int accessor, std::vector<double>& values) {
  Fields root(*document_.json, "");
  const std::size_t views = root.array("bufferViews").size();
  const std::string location = elementLocation("accessors", toSize(accessor)) + ".sparse";
  Fields outer(root.array("accessors")[toSize(accessor)], location);
  Fields sparse(outer.object("sparse"), location);
  const auto count =
      toSize(sparse.requiredInteger("count", 0, static_cast<std::int64_t>(layout.count)));
  Fields index_fields(sparse.object("indices"), location + ".indices");
  Fields value_fields(sparse.object("values"), location + ".values");
  const int index_view = index_fields.requiredIndex("bufferView", views);
  const auto index_offset = toSize(index_fields.integer("byteOffset", 0));
  const int index_type = static_cast<int>(index_fields.requiredInteger("componentType", 0, 65535));
  const int value_view = value_fields.requiredIndex("bufferView", views);
  const auto value_offset = toSize(value_fields.integer("byteOffset", 0));
  for (const Fields* fields : {&outer, &sparse, &index_fields, &value_fields}) {
    CLIPMILL_CHECK(fields->status());
  }
  if (index_type != 5121 && index_type != 5123 && index_type != 5125) {
    return malformed(location + ".indices", "has an unknown componentType");
  }
  const Layout index_layout{count, 1, index_type, componentBytes(index_type), 1, 1, false};
  std::vector<double> indices, replaced;
  CLIPMILL_CHECK(charge(static_cast<double>(count) * (layout.width + 1) * sizeof(double)));
  CLIPMILL_CHECK(readView(index_view, index_offset, count, index_layout, location, indices));
  CLIPMILL_CHECK(readView(value_view, value_offset, count, layout, location, replaced));
  const std::size_t width = toSize(layout.width);
  for (std::size_t i = 0; i < count; ++i) {
    if (indices[i] >= static_cast<double>(layout.count)) {
      return malformed(location + ".indices", "refers to an element that does not exist");
    }
    std::copy_n(replaced.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                values.begin() + static_cast<std::ptrdiff_t>(toSize(indices[i]) * width));
  }
  return {};
}

Status AccessorReader::readView(int view, std::size_t offset, std::size_t count,
                                const Layout& layout, const std::string& location,
                                std::vector<double>& values) {
  CLIPMILL_TRY(const auto bytes, viewBytes(view));
  Fields root(*document_.json, "");
  Fields fields(root.array("bufferViews")[toSize(view)],
                elementLocation("bufferViews", toSize(view)));
  const std::size_t column_bytes = layout.columnBytes(), element_bytes = layout.elementBytes();
  const auto declared = toSize(fields.integer("byteStride", 0, 0, 65535));
  CLIPMILL_CHECK(fields.status());
  const std::size_t stride = declared ? declared : column_bytes * layout.columns;
  if (count == 0) return {};
  // Compared by division, so that no product of hostile numbers can wrap around.
  if (offset > bytes.size() || element_bytes > bytes.size() - offset ||
      (count - 1) > (bytes.size() - offset - element_bytes) / stride) {
    return malformed(location, "extends past the end of its bufferView");
  }
  reserveToFill(values, count * toSize(layout.width));
  values.resize(count * toSize(layout.width));
  double* out = values.data();
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* element = bytes.data() + offset + i * stride;
    for (std::size_t c = 0; c < layout.columns; ++c) {
      const std::byte* column = element + c * column_bytes;
      for (std::size_t r = 0; r < layout.rows; ++r) {
        *out++ = componentAt(column + r * layout.component_bytes, layout.component_type,
                             layout.normalized);
      }
    }
  }
  return {};
}

Result<std::span<const std::byte>> AccessorReader::viewBytes(int view) {
  const std::string location = elementLocation("bufferViews", toSize(view));
  Fields root(*document_.json, "");
  const Json& described = root.array("bufferViews")[toSize(view)];
  if (described.is_object()) {
    if (const Json* compression = compressionOf(described)) return decompress(view, *compression);
  }
  Fields fields(described, location);
  const int buffer = fields.requiredIndex("buffer", document_.buffers.size());
  const auto offset = toSize(fields.integer("byteOffset", 0));
  const auto length = toSize(fields.requiredInteger("byteLength", 0));
  CLIPMILL_CHECK(fields.status());
  const auto bytes = document_.buffers[toSize(buffer)].bytes;
  if (offset > bytes.size() || length > bytes.size() - offset) {
    return malformed(location, "extends past the end of its buffer");
  }
  return bytes.subspan(offset, length);
}

Result<std::span<const std::byte>> AccessorReader::decompress(int view, const Json& compression) {
  if (auto known = decompressed_.find(view); known != decompressed_.end()) {
    return std::span<const std::byte>(known->second);
  }
  const std::string location =
      elementLocation("bufferViews", toSize(view)) + ".EXT_meshopt_compression";
  Fields fields(compression, location);
  const int buffer = fields.requiredIndex("buffer", document_.buffers.size());
  const auto offset = toSize(fields.integer("byteOffset", 0));
  const auto length = toSize(fields.requiredInteger("byteLength", 0));
  const auto stride = toSize(fields.requiredInteger("byteStride", 1, 256));
  const auto count = toSize(fields.requiredInteger("count", 0));
  const std::string mode = fields.requiredText("mode");
  const std::string filter = fields.text("filter", "NONE");
  CLIPMILL_CHECK(fields.status());
  const auto bytes = document_.buffers[toSize(buffer)].bytes;
  if (offset > bytes.size() || length > bytes.size() - offset) {
    return malformed(location, "extends past the end of its buffer");
  }
  if (!decoderAccepts(mode, filter, count, stride)) {
    return malformed(location, "has a mode, filter or stride that the format does not allow");
  }
  if (Status fits = charge(static_cast<double>(count) * static_cast<double>(stride)); !fits) {
    return within(location, fits.error());
  }
  Bytes target(count * stride);
  if (decodeMode(mode, target.data(), count, stride, bytes.subspan(offset, length)) != 0) {
    return malformed(location, "has data that cannot be decoded");
  }
  applyFilter(filter, target.data(), count, stride);
  return std::span<const std::byte>(decompressed_.emplace(view, std::move(target)).first->second);
}

}  // namespace clipmill::io::gltf
