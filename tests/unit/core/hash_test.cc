// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/hash.h"

#include "checks.h"
#include "core/file.h"

TEST_SUITE_BEGIN("core.hash");

using clipmill::asBytes;
using clipmill::hashHex;

TEST_CASE("the empty input has the published XXH3-128") {
  CHECK(hashHex({}) == "99aa06d3014798d86001c324468d497f");
}

TEST_CASE("every byte changes the hash") {
  std::string text(1000, 'a');
  const std::string before = hashHex(asBytes(text));
  CHECK(before == hashHex(asBytes(text)));
  CHECK(before.size() == 32);
  text[999] = 'b';
  CHECK(hashHex(asBytes(text)) != before);
  CHECK(hashHex(asBytes("a")) != hashHex(asBytes(std::string_view("a\0", 2))));
}

TEST_SUITE_END();
