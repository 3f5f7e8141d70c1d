// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/name_words.h"

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("core.name_words");

using namespace clipmill;
using Words = std::vector<std::string>;

TEST_CASE("Names fall into words at separators, humps and numbers") {
  CHECK(wordsOfName("Bip001 L UpperArm") == Words{"bip", "001", "l", "upper", "arm"});
  CHECK(wordsOfName("J_Sec_Hair1_02") == Words{"j", "sec", "hair", "1", "02"});
  CHECK(wordsOfName("LHipJoint") == Words{"l", "hip", "joint"});
  CHECK(wordsOfName("mixamorig:LeftForeArm") == Words{"mixamorig", "left", "fore", "arm"});
  CHECK(wordsOfName("IKFoot.L") == Words{"ik", "foot", "l"});
  CHECK(wordsOfName("ARMCONTROL") == Words{"armcontrol"});
  CHECK(wordsOfName("").empty());
  CHECK(wordsOfName("__..").empty());
}

TEST_CASE("Letters beyond ASCII stay together, full-width Latin is Latin") {
  CHECK(wordsOfName("左足ＩＫ") == Words{"左足", "ik"});
  CHECK(wordsOfName("上半身２") == Words{"上半身", "2"});
  CHECK(wordsOfName("ｈａｉｒ～") == Words{"hair"});
  // A full-width letter cut short is kept as it is.
  CHECK(wordsOfName("\xEF\xBC") == Words{"\xEF\xBC"});
}

TEST_CASE("Number words are told from others") {
  CHECK(isNumberWord("001"));
  CHECK(!isNumberWord("l"));
  CHECK(!isNumberWord(""));
}

TEST_SUITE_END();
