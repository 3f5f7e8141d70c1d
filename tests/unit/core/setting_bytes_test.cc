// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/setting_bytes.h"

#include <set>

#include "checks.h"

TEST_SUITE_BEGIN("core.setting_bytes");

using namespace clipmill;

namespace {

std::string bytesOf(const SettingValue& value) {
  SettingBytes bytes;
  bytes.setting(value);
  return bytes.bytes();
}

}  // namespace

TEST_CASE("a number has eight bytes, the lowest first, and a text its length before it") {
  SettingBytes bytes;
  bytes.number(std::uint64_t{0x0102});
  bytes.text("ab");
  using namespace std::string_literals;
  CHECK(bytes.bytes() == "\x02\x01\0\0\0\0\0\0\x02\0\0\0\0\0\0\0ab"s);
}

TEST_CASE("values of two kinds, and lists cut differently, have different bytes") {
  std::set<std::string> all;
  const std::vector<SettingValue> values = {false,
                                            std::int64_t{0},
                                            0.0,
                                            -0.0,
                                            std::string(),
                                            std::string("0"),
                                            std::vector<double>{},
                                            std::vector<double>{0.0},
                                            std::vector<std::string>{},
                                            std::vector<std::string>{""},
                                            std::vector<std::string>{"a", "b"},
                                            std::vector<std::string>{"ab"},
                                            std::vector<std::string>{"a,b"},
                                            Curve(0.0),
                                            Curve({{0.0, 0.0}, {1.0, 0.0}})};
  for (const SettingValue& value : values) all.insert(bytesOf(value));
  CHECK(all.size() == values.size());
}

TEST_SUITE_END();
