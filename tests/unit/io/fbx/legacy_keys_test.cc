// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/legacy_keys.h"

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("fbx.legacy_keys");

using namespace clipmill;
using namespace clipmill::io::fbx;
using namespace clipmill::io::fbx::key_flags;

namespace {

// The keys of a channel with these elements in a text file of FBX 6.1.
Result<std::vector<RawKey>> keysOf(const std::string& elements, int version = 6100) {
  const std::string text =
      "; FBX 6.1.0 project file\nFBXHeaderExtension: {\n  FBXVersion: " + std::to_string(version) +
      "\n}\nChannel: \"X\" {\n" + elements + "\n}\n";
  const auto bytes = asBytes(text);
  auto tree = parseTree(Bytes(bytes.begin(), bytes.end()), io::Limits{});
  CHECK_OK(tree);
  return legacyKeys(*(*tree)->root("Channel"));
}

ErrorCode faultOf(const std::string& elements) {
  const auto keys = keysOf(elements);
  REQUIRE_FALSE(keys.ok());
  return keys.error().code;
}

constexpr std::uint32_t kAutoKey = kCubic | kAuto | kTimeIndependent | kClampProgressive;

}  // namespace

TEST_CASE("a channel without keys has none") {
  CHECK(keysOf("Default: 3").value().empty());
  CHECK(keysOf("KeyCount: 0").value().empty());
}

TEST_CASE("linear and constant keys") {
  const auto keys = keysOf("KeyVer: 4005\nKeyCount: 3\nKey: 100,1.5,L,200,-2,C,s,300,3e1,C,n");
  CHECK_OK(keys);
  REQUIRE(keys->size() == 3);
  CHECK((*keys)[0].ticks == 100);
  CHECK((*keys)[0].value == 1.5);
  CHECK((*keys)[0].flags == kLinear);
  CHECK((*keys)[1].flags == kConstant);
  CHECK((*keys)[1].value == -2.0);
  CHECK((*keys)[2].flags == (kConstant | kConstantNext));
  CHECK((*keys)[2].value == 30.0);
}

TEST_CASE("slopes and weights of user keys, over several lines") {
  const auto keys = keysOf(
      "KeyVer: 4005\nKeyCount: 4\nKey: \n  1,10,U,s,2,3,n,2,20,U\n  ,b,-4,5,a,0.25,0.75,3\n"
      "  ,30,U,s,6,7,r,0.5,4,40,U,s,8,9,l,0.125");
  CHECK_OK(keys);
  REQUIRE(keys->size() == 4);
  const RawKey &plain = (*keys)[0], &broken = (*keys)[1], &right = (*keys)[2], &left = (*keys)[3];
  CHECK(plain.flags == (kCubic | kUser));
  CHECK(plain.right_slope == 2.0);
  CHECK(plain.next_left_slope == 3.0);
  CHECK(broken.flags == (kCubic | kUser | kBreak | kWeightedRight | kWeightedNextLeft));
  CHECK(broken.right_slope == -4.0);
  CHECK(broken.right_weight == 0.25);
  CHECK(broken.next_left_weight == 0.75);
  CHECK(right.flags == (kCubic | kUser | kWeightedRight));
  CHECK(right.right_weight == 0.5);
  CHECK(left.flags == (kCubic | kUser | kWeightedNextLeft));
  CHECK(left.next_left_weight == 0.125);
  CHECK(left.value == 40.0);
}

TEST_CASE("auto keys with and without numbers, and TCB keys") {
  const auto keys = keysOf(
      "KeyVer: 4005\nKeyCount: 5\nKey: 1,1,U,a,n,2,2,U,p,10,-10,n,n,3,3,U,d,7,n,"
      "4,4,U,t,0.5,-0.25,1,5,5,U,q,1,2,a,0.1,0.2,a,0.3,0.4");
  CHECK_OK(keys);
  REQUIRE(keys->size() == 5);
  for (int i : {0, 1, 2}) CHECK((*keys)[toSize(i)].flags == kAutoKey);
  CHECK((*keys)[1].right_slope == 0.0);
  CHECK((*keys)[3].flags == (kCubic | kTcb));
  CHECK((*keys)[3].right_slope == 0.5);
  CHECK((*keys)[3].next_left_slope == -0.25);
  CHECK((*keys)[3].bias == 1.0);
  CHECK((*keys)[4].flags == (kAutoKey | kWeightedRight | kWeightedNextLeft));
  CHECK((*keys)[4].right_weight == 0.1);
}

TEST_CASE("older lists leave letters out") {
  const auto v4003 = keysOf("KeyVer: 4003\nKeyCount: 3\nKey: 1,1,C,2,2,U,s,3,4,5,5,U,a");
  CHECK_OK(v4003);
  CHECK(v4003->size() == 3);
  const auto v4004 = keysOf("KeyVer: 4004\nKeyCount: 3\nKey: 1,1,C,n,2,2,U,a,3,3,U,s,1,2,n");
  CHECK_OK(v4004);
  CHECK(v4004->size() == 3);
}

TEST_CASE("corrupt lists are refused") {
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 2\nKey: 1,1,L") == ErrorCode::kMalformed);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1,1,L,2,2,L") == ErrorCode::kMalformed);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1") == ErrorCode::kMalformed);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: L,1,L") == ErrorCode::kMalformed);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1,L") == ErrorCode::kMalformed);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1,1,X") == ErrorCode::kUnsupported);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1,1,U,x") == ErrorCode::kUnsupported);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1,1,U,s,1,2,x") == ErrorCode::kUnsupported);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1,1,U,s,1,2") == ErrorCode::kMalformed);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1,1e999,L") == ErrorCode::kMalformed);
  CHECK(faultOf("KeyVer: 4005\nKeyCount: 1\nKey: 1e30,1,L") == ErrorCode::kMalformed);
}

TEST_CASE("every truncated list is refused") {
  const std::string list = "1,10,U,s,2,3,n,2,20,U,b,-4,5,a,0.25,0.75,3,30,C,s,4,40,U,t,0,0,0";
  CHECK_OK(keysOf("KeyVer: 4005\nKeyCount: 4\nKey: " + list));
  for (std::size_t cut = list.find(','); cut != std::string::npos; cut = list.find(',', cut + 1))
    CHECK(faultOf("KeyVer: 4005\nKeyCount: 4\nKey: " + list.substr(0, cut)) ==
          ErrorCode::kMalformed);
}
