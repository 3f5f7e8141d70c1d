// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/result.h"

#include <memory>

#include "checks.h"

TEST_SUITE_BEGIN("core.result");

using namespace clipmill;

namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::kMalformed, "number", "is odd", "give an even one"};
  return number / 2;
}

Status checkQuarter(int number) {
  CLIPMILL_TRY(const int once, half(number));
  CLIPMILL_CHECK(half(once));
  return {};
}

}  // namespace

TEST_CASE("an error is described as location, message and remedy, as far as it has them") {
  CHECK(describe({ErrorCode::kMalformed, "a.glb", "is odd", "mend it"}) ==
        "a.glb: is odd; mend it");
  CHECK(describe({ErrorCode::kMalformed, "", "is odd", "mend it"}) == "is odd; mend it");
  CHECK(describe({ErrorCode::kMalformed, "a.glb", "is odd", ""}) == "a.glb: is odd");
}

TEST_CASE("an outer location precedes the inner one and the code stays") {
  const Error inner{ErrorCode::kLimit, "nodes[3]", "is nested too far", ""};
  CHECK(within("a.glb", inner).location == "a.glb: nodes[3]");
  CHECK(within("a.glb", inner).code == ErrorCode::kLimit);
  CHECK(within("a.glb", {ErrorCode::kLimit, "", "is nested too far", ""}).location == "a.glb");
}

TEST_CASE("the macros pass values and return the first error") {
  CHECK(checkQuarter(8).ok());
  REQUIRE(!checkQuarter(6).ok());
  CHECK(checkQuarter(6).error().message == "is odd");
  CHECK(!checkQuarter(7).ok());
}

TEST_CASE("a value that cannot be copied is moved out") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = std::move(result).value();
  CHECK(*taken == 5);
}

TEST_SUITE_END();
