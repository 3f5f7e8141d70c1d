// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/accessor.h"

#include <cmath>
#include <limits>

#include "checks.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.accessor");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::test;

using Values = std::vector<double>;

Result<Accessor> readFirst(const TinyGltf& gltf, const io::Limits& limits = {}) {
  const auto document = documentOf(gltf.glb());
  return AccessorReader(*document, limits).read(0);
}

// The values of an accessor over these numbers.
template <class T>
Values readBack(const std::vector<T>& numbers, std::size_t count, int type, const char* shape,
                const std::string& more = "", const std::string& view_more = "") {
  TinyGltf gltf;
  gltf.addAccessor(gltf.addView(rawBytes(numbers), view_more), count, type, shape, more);
  const auto accessor = readFirst(gltf);
  CHECK_OK(accessor);
  return accessor->values;
}

ErrorCode faultOf(const TinyGltf& gltf) {
  const auto accessor = readFirst(gltf);
  REQUIRE(!accessor.ok());
  CHECK(describe(accessor.error()).find("accessors[0]") == 0);
  return accessor.error().code;
}

// An accessor of VEC3 floats over a view of `bytes` zeros.
TinyGltf zeros(std::size_t bytes, std::size_t count, const std::string& more = "",
               const std::string& view_more = "") {
  TinyGltf gltf;
  gltf.addAccessor(gltf.addView(Bytes(bytes), view_more), count, 5126, "VEC3", more);
  return gltf;
}

}  // namespace

TEST_CASE("Components of every type are read unchanged") {
  CHECK(readBack<std::int8_t>({-128, -1, 0, 127}, 4, 5120, "SCALAR") == Values{-128, -1, 0, 127});
  CHECK(readBack<std::uint8_t>({0, 1, 255, 7}, 2, 5121, "VEC2") == Values{0, 1, 255, 7});
  CHECK(readBack<std::int16_t>({-32768, 32767, 5, 6}, 1, 5122, "VEC4") ==
        Values{-32768, 32767, 5, 6});
  CHECK(readBack<std::uint16_t>({0, 65535}, 2, 5123, "SCALAR") == Values{0, 65535});
  CHECK(readBack<std::uint32_t>({0, 4294967295u}, 2, 5125, "SCALAR") == Values{0, 4294967295.0});
  CHECK(readBack<float>({0.5f, -2.25f, 1e30f}, 1, 5126, "VEC3") ==
        Values{0.5, -2.25, static_cast<double>(1e30f)});
}

TEST_CASE("Normalised integers span 0 to 1 and -1 to 1, and both lowest signed ones are -1") {
  const char* flag = ",\"normalized\":true";
  CHECK(readBack<std::int8_t>({-128, -127, 0, 127}, 4, 5120, "SCALAR", flag) ==
        Values{-1, -1, 0, 1});
  CHECK(readBack<std::uint8_t>({0, 51, 255, 0}, 4, 5121, "SCALAR", flag) == Values{0, 0.2, 1, 0});
  CHECK(readBack<std::int16_t>({-32768, -32767, 32767, 0}, 4, 5122, "SCALAR", flag) ==
        Values{-1, -1, 1, 0});
  CHECK(readBack<std::uint16_t>({65535, 13107}, 2, 5123, "SCALAR", flag) == Values{1, 0.2});
}

TEST_CASE("A stride skips the bytes between elements") {
  CHECK(readBack<float>({1, 2, 3, -1, 4, 5, 6, -1}, 2, 5126, "VEC3", "", ",\"byteStride\":16") ==
        Values{1, 2, 3, 4, 5, 6});
  CHECK(readBack<float>({-1, 1, -1, 2}, 2, 5126, "SCALAR", ",\"byteOffset\":4",
                        ",\"byteStride\":8") == Values{1, 2});
}

TEST_CASE("Columns of small matrices start on four bytes") {
  CHECK(readBack<std::uint8_t>({1, 2, 9, 9, 3, 4, 9, 9}, 1, 5121, "MAT2") == Values{1, 2, 3, 4});
  CHECK(readBack<std::uint8_t>({1, 2, 3, 9, 4, 5, 6, 9, 7, 8, 9, 99}, 1, 5121, "MAT3") ==
        Values{1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(readBack<std::uint16_t>({1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0}, 1, 5123, "MAT3") ==
        Values{1, 2, 3, 4, 5, 6, 7, 8, 9});
  // The last column needs no padding behind it.
  CHECK(readBack<std::uint8_t>({1, 2, 9, 9, 3, 4}, 1, 5121, "MAT2") == Values{1, 2, 3, 4});
}

TEST_CASE("An accessor without a bufferView has zeros") {
  TinyGltf gltf;
  gltf.addAccessor(-1, 3, 5126, "VEC2");
  const auto accessor = readFirst(gltf);
  CHECK_OK(accessor);
  CHECK(accessor->values == Values(6, 0.0));
}

TEST_CASE("Sparse values replace some elements, over a bufferView or over zeros") {
  for (const bool over_view : {false, true}) {
    TinyGltf gltf;
    const int indices = gltf.addView(rawBytes<std::uint8_t>({0, 2}));
    const int values = gltf.addView(rawBytes<float>({5, 6, 7, 8}));
    const int base = over_view ? gltf.addView(rawBytes<float>({1, 1, 2, 2, 3, 3})) : -1;
    gltf.addAccessor(base, 3, 5126, "VEC2",
                     ",\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":" +
                         std::to_string(indices) + ",\"componentType\":5121},\"values\":{" +
                         "\"bufferView\":" + std::to_string(values) + "}}");
    const auto accessor = readFirst(gltf);
    CHECK_OK(accessor);
    const double kept = over_view ? 2.0 : 0.0;
    CHECK(accessor->values == Values{5, 6, kept, kept, 7, 8});
  }
}

TEST_CASE("Sparse indices beyond the accessor, and more of them than elements, are malformed") {
  for (const char* sparse_count : {"1", "4", "9223372036854775807"}) {
    TinyGltf gltf;
    const int indices = gltf.addView(rawBytes<std::uint16_t>({3, 3, 3, 3}));
    const int values = gltf.addView(Bytes(64));
    gltf.addAccessor(
        -1, 3, 5126, "SCALAR",
        ",\"sparse\":{\"count\":" + std::string(sparse_count) +
            ",\"indices\":{\"bufferView\":" + std::to_string(indices) +
            ",\"componentType\":5123},\"values\":{\"bufferView\":" + std::to_string(values) + "}}");
    CHECK(faultOf(gltf) == ErrorCode::kMalformed);
  }
}

TEST_CASE("One byte too few is malformed, just enough is not") {
  CHECK_OK(readFirst(zeros(24, 2)));
  CHECK(faultOf(zeros(23, 2)) == ErrorCode::kMalformed);
  CHECK_OK(readFirst(zeros(28, 2, ",\"byteOffset\":4")));
  CHECK(faultOf(zeros(28, 2, ",\"byteOffset\":5")) == ErrorCode::kMalformed);
  CHECK_OK(readFirst(zeros(32 + 12, 2, "", ",\"byteStride\":32")));
  CHECK(faultOf(zeros(32 + 11, 2, "", ",\"byteStride\":32")) == ErrorCode::kMalformed);
  CHECK_OK(readFirst(zeros(0 + 1, 0, ",\"byteOffset\":1")));
}

TEST_CASE("Counts, offsets and strides near the end of the integers are refused, not computed") {
  for (const char* number : {"9223372036854775807", "9223372036854775800", "4611686018427387904",
                             "1537228672809129302", "18446744073709551615", "-1", "1e300", "0.5"}) {
    CAPTURE(number);
    const std::string n = number;
    TinyGltf by_count;
    by_count.addView(Bytes(64));
    by_count.accessors = {
        "{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":" + n + "}"};
    const ErrorCode code = faultOf(by_count);
    CHECK((code == ErrorCode::kMalformed || code == ErrorCode::kLimit));
    CHECK(faultOf(zeros(64, 2, ",\"byteOffset\":" + n)) == ErrorCode::kMalformed);
    const auto strided = readFirst(zeros(64, 2, "", ",\"byteStride\":" + n));
    REQUIRE(!strided.ok());
    CHECK(strided.error().code == ErrorCode::kMalformed);
    TinyGltf by_view = zeros(64, 2);
    by_view.views[0] = "{\"buffer\":0,\"byteLength\":" + n + ",\"byteOffset\":8}";
    CHECK(!readFirst(by_view).ok());
    by_view.views[0] = "{\"buffer\":0,\"byteLength\":8,\"byteOffset\":" + n + "}";
    CHECK(!readFirst(by_view).ok());
  }
}

TEST_CASE("A value that is not finite is malformed, with its element") {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    TinyGltf gltf;
    gltf.addFloats({0, 0, 0, 0, bad, 0}, "VEC3");
    const auto accessor = readFirst(gltf);
    REQUIRE(!accessor.ok());
    CHECK(accessor.error().code == ErrorCode::kMalformed);
    CHECK(accessor.error().message.ends_with("element 1"));
  }
}

TEST_CASE("Unknown types and a wrong width are malformed") {
  TinyGltf gltf;
  gltf.addAccessor(gltf.addView(Bytes(64)), 1, 5124, "SCALAR");
  CHECK(faultOf(gltf) == ErrorCode::kMalformed);
  gltf.accessors.clear();
  gltf.addAccessor(0, 1, 5126, "VEC5");
  CHECK(faultOf(gltf) == ErrorCode::kMalformed);
  gltf.accessors.clear();
  gltf.addAccessor(0, 1, 5126, "VEC3");
  const auto document = documentOf(gltf.glb());
  CHECK(!AccessorReader(*document, {}).read(0, 4).ok());
}

TEST_CASE("Repeated decoding counts against the limit each time") {
  TinyGltf gltf;
  gltf.addFloats(std::vector<float>(300, 1.0f), "VEC3");
  const auto document = documentOf(gltf.glb());
  io::Limits limits;
  limits.max_decoded_bytes = 3 * 300 * sizeof(double);
  AccessorReader reader(*document, limits);
  for (int i = 0; i < 3; ++i) CHECK_OK(reader.read(0));
  const auto fourth = reader.read(0);
  REQUIRE(!fourth.ok());
  CHECK(fourth.error().code == ErrorCode::kLimit);
}

TEST_CASE("A placeholder buffer has nothing to read") {
  TinyGltf gltf = zeros(24, 2);
  gltf.members = "";
  std::string json = gltf.json();
  const auto document = documentOf(glbOf(json));  // no BIN chunk
  CHECK(!AccessorReader(*document, {}).read(0).ok());
}
