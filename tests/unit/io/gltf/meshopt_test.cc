// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Views compressed with EXT_meshopt_compression, made with the library's own encoder.
#include <cmath>
#include <limits>
#include <random>

#include <meshoptimizer.h>

#include "checks.h"
#include "io/gltf/accessor.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.meshopt");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::test;

struct Compressed {
  std::vector<unsigned char> stream;
  std::string mode;
  std::string filter = "NONE";
  std::size_t count = 0;
  std::size_t stride = 0;
};

Compressed vertices(const void* data, std::size_t count, std::size_t stride,
                    const std::string& filter = "NONE") {
  Compressed result{{}, "ATTRIBUTES", filter, count, stride};
  result.stream.resize(meshopt_encodeVertexBufferBound(count, stride));
  result.stream.resize(
      meshopt_encodeVertexBuffer(result.stream.data(), result.stream.size(), data, count, stride));
  return result;
}

// Buffer 0 holds the stream, buffer 1 is the placeholder that the view seems to lie in.
TinyGltf fileOf(const Compressed& c, int component_type, const char* type, std::size_t count,
                const std::string& more = "") {
  TinyGltf gltf;
  gltf.bin = rawBytes(c.stream);
  const std::size_t decoded = c.count * c.stride;
  gltf.views = {"{\"buffer\":1,\"byteLength\":" + std::to_string(decoded) +
                ",\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":" +
                std::to_string(c.stream.size()) + ",\"byteStride\":" + std::to_string(c.stride) +
                ",\"count\":" + std::to_string(c.count) + ",\"mode\":\"" + c.mode +
                "\",\"filter\":\"" + c.filter + "\"}}}"};
  gltf.addAccessor(0, count, component_type, type, more);
  return gltf;
}

Result<Accessor> read(const TinyGltf& gltf) {
  std::string json = gltf.json();
  const std::string buffer =
      "\"buffers\":[{\"byteLength\":" + std::to_string(gltf.bin.size()) + "}";
  const std::size_t at = json.find(buffer);
  REQUIRE(at != std::string::npos);
  json.insert(at + buffer.size(), ",{\"byteLength\":1024}");
  const auto document = documentOf(glbOf(json, &gltf.bin));
  return AccessorReader(*document, {}).read(0);
}

}  // namespace

TEST_CASE("Compressed attributes decode to the same bits") {
  std::vector<float> numbers;
  for (int i = 0; i < 60; ++i) numbers.push_back(static_cast<float>(i * i) * 0.37f - 5.0f);
  const auto accessor = read(fileOf(vertices(numbers.data(), 20, 12), 5126, "VEC3", 20));
  CHECK_OK(accessor);
  CHECK(accessor->values == std::vector<double>(numbers.begin(), numbers.end()));
}

TEST_CASE("Compressed triangles and index sequences decode to the same indices") {
  const std::vector<unsigned int> indices = {0, 1, 2, 2, 1, 3, 3, 4, 2, 5, 6, 7};
  Compressed triangles{{}, "TRIANGLES", "NONE", indices.size(), 4};
  triangles.stream.resize(meshopt_encodeIndexBufferBound(indices.size(), 8));
  triangles.stream.resize(meshopt_encodeIndexBuffer(
      triangles.stream.data(), triangles.stream.size(), indices.data(), indices.size()));
  Compressed sequence{{}, "INDICES", "NONE", indices.size(), 2};
  sequence.stream.resize(meshopt_encodeIndexSequenceBound(indices.size(), 8));
  sequence.stream.resize(meshopt_encodeIndexSequence(sequence.stream.data(), sequence.stream.size(),
                                                     indices.data(), indices.size()));
  const auto in_order = read(fileOf(sequence, 5123, "SCALAR", 12));
  CHECK_OK(in_order);
  CHECK(in_order->values == std::vector<double>(indices.begin(), indices.end()));
  // Triangles may start at another corner, never with other corners.
  const auto rotated = read(fileOf(triangles, 5125, "SCALAR", 12));
  CHECK_OK(rotated);
  for (std::size_t t = 0; t < indices.size(); t += 3) {
    const double* v = &rotated->values[t];
    const bool same = (v[0] == indices[t] && v[1] == indices[t + 1] && v[2] == indices[t + 2]) ||
                      (v[1] == indices[t] && v[2] == indices[t + 1] && v[0] == indices[t + 2]) ||
                      (v[2] == indices[t] && v[0] == indices[t + 1] && v[1] == indices[t + 2]);
    CHECK(same);
  }
}

TEST_CASE("The exponential filter reproduces numbers within its precision") {
  const std::vector<float> numbers = {1.0f, -0.37f, 1234.5f, 0.001f, 0.0f, 77.7f};
  std::vector<std::uint32_t> coded(numbers.size());
  meshopt_encodeFilterExp(coded.data(), 2, 12, 20, numbers.data());
  const auto accessor = read(fileOf(vertices(coded.data(), 2, 12, "EXPONENTIAL"), 5126, "VEC3", 2));
  CHECK_OK(accessor);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // The encoder shares one exponent in a vector.
    const double largest = 1234.5;
    CHECK(std::abs(accessor->values[i] - numbers[i]) < largest * std::ldexp(1.0, -18));
  }
}

TEST_CASE("The quaternion filter reproduces rotations") {
  const std::vector<float> rotations = {0,    0,     0,    1,    0.5f, 0.5f, 0.5f,  0.5f,
                                        0.6f, -0.8f, 0.0f, 0.0f, 0.1f, 0.7f, -0.1f, 0.7f};
  std::vector<std::int16_t> coded(rotations.size());
  meshopt_encodeFilterQuat(coded.data(), 4, 8, 16, rotations.data());
  const auto accessor = read(
      fileOf(vertices(coded.data(), 4, 8, "QUATERNION"), 5122, "VEC4", 4, ",\"normalized\":true"));
  CHECK_OK(accessor);
  for (std::size_t i = 0; i < 4; ++i) {
    const double* v = &accessor->values[4 * i];
    const float* t = &rotations[4 * i];
    const double dot = v[0] * t[0] + v[1] * t[1] + v[2] * t[2] + v[3] * t[3];
    CHECK(std::abs(std::abs(dot) - 1.0) < 1e-4);
  }
}

TEST_CASE("The octahedral filter reproduces directions") {
  const std::vector<float> directions = {0,  0, 1, 0, 0.6f,  0.0f, -0.8f, 0,
                                         -1, 0, 0, 0, 0.48f, 0.6f, 0.64f, 0};
  std::vector<std::int8_t> coded(16);
  meshopt_encodeFilterOct(coded.data(), 4, 4, 8, directions.data());
  const auto accessor = read(
      fileOf(vertices(coded.data(), 4, 4, "OCTAHEDRAL"), 5120, "VEC4", 4, ",\"normalized\":true"));
  CHECK_OK(accessor);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(std::abs(accessor->values[4 * i + k] - directions[4 * i + k]) < 0.02);
    }
  }
}

TEST_CASE("Settings that the decoder does not accept are malformed") {
  const std::vector<float> numbers(12, 1.0f);
  const Compressed good = vertices(numbers.data(), 4, 12);
  const auto refused = [&](auto change) {
    Compressed bad = good;
    change(bad);
    const auto accessor = read(fileOf(bad, 5126, "SCALAR", 1));
    REQUIRE(!accessor.ok());
    CHECK((accessor.error().code == ErrorCode::kMalformed ||
           accessor.error().code == ErrorCode::kLimit));
  };
  refused([](Compressed& c) { c.mode = "VERTICES"; });
  refused([](Compressed& c) { c.filter = "DELTA"; });
  refused([](Compressed& c) { c.stride = 10; });
  refused([](Compressed& c) { c.stride = 260; });
  refused([](Compressed& c) { c.filter = "QUATERNION"; });
  refused([](Compressed& c) { c.filter = "OCTAHEDRAL"; });
  refused([](Compressed& c) { c.mode = "TRIANGLES"; });
  refused([](Compressed& c) { c.mode = "INDICES"; });
  refused([](Compressed& c) { c.count = std::numeric_limits<std::size_t>::max() / 4; });
  refused([](Compressed& c) { c.count = 1000; });
  refused([](Compressed& c) { c.stream.resize(c.stream.size() / 2); });
  refused([](Compressed& c) {
    c.stream.clear();
    c.stream.push_back(0xa0);
  });
}

TEST_CASE("A corrupted stream is refused or decodes to finite numbers, whatever byte it is in") {
  std::vector<float> numbers;
  for (int i = 0; i < 96; ++i) numbers.push_back(static_cast<float>(i) * 0.5f);
  const Compressed good = vertices(numbers.data(), 32, 12);
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    Compressed bad = good;
    bad.stream[random() % bad.stream.size()] ^= static_cast<unsigned char>(1 + random() % 255);
    const auto accessor = read(fileOf(bad, 5126, "VEC3", 32));
    if (accessor.ok()) {
      for (double value : accessor->values) CHECK(std::isfinite(value));
    } else {
      CHECK(accessor.error().code == ErrorCode::kMalformed);
    }
  }
}
