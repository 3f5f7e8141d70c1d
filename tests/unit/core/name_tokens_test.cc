// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/name_tokens.h"

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("core.name_tokens");

using namespace clipmill;
using Tokens = std::vector<std::string>;

TEST_CASE("Names are split into tokens at separators, humps and numbers") {
  CHECK(tokensOfName("Bip001 L UpperArm") == Tokens{"bip", "001", "l", "upper", "arm"});
  CHECK(tokensOfName("J_Sec_Hair1_02") == Tokens{"j", "sec", "hair", "1", "02"});
  CHECK(tokensOfName("LHipJoint") == Tokens{"l", "hip", "joint"});
  CHECK(tokensOfName("mixamorig:LeftForeArm") == Tokens{"mixamorig", "left", "fore", "arm"});
  CHECK(tokensOfName("IKFoot.L") == Tokens{"ik", "foot", "l"});
  CHECK(tokensOfName("ARMCONTROL") == Tokens{"armcontrol"});
  CHECK(tokensOfName("").empty());
  CHECK(tokensOfName("__..").empty());
}

TEST_CASE("Letters beyond ASCII stay together, full-width Latin is Latin") {
  CHECK(tokensOfName("左足ＩＫ") == Tokens{"左足", "ik"});
  CHECK(tokensOfName("上半身２") == Tokens{"上半身", "2"});
  CHECK(tokensOfName("ｈａｉｒ～") == Tokens{"hair"});
  // A full-width letter cut short is kept as it is.
  CHECK(tokensOfName("\xEF\xBC") == Tokens{"\xEF\xBC"});
}

TEST_CASE("Number tokens are distinguished from others") {
  CHECK(isNumberToken("001"));
  CHECK(!isNumberToken("l"));
  CHECK(!isNumberToken(""));
}

TEST_SUITE_END();
