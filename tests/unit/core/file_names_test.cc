// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/file_names.h"

#include <string>

#include "checks.h"

TEST_SUITE_BEGIN("core.file_names");

using namespace clipmill;

TEST_CASE("Letters of all scripts, blanks and marks stay in a part of a file name") {
  for (const char* name : {"歩く", "走る_速い", "Höhe (neu), 2. Teil", "прыжок", "قفز",
                           "a b.c+d-e&f'g#h$i%j~k", "🦊 tail"}) {
    CHECK(fitForFileName(name) == name);
  }
}

TEST_CASE("What file systems forbid becomes an underscore in a part of a file name") {
  CHECK(fitForFileName("a/b\\c:d*e?f\"g<h>i|j") == "a_b_c_d_e_f_g_h_i_j");
  CHECK(fitForFileName(std::string("a\0b\x1f"
                                   "c\x7f"
                                   "d\n",
                                   8)) == "a_b_c_d_");
  CHECK(fitForFileName("a\xC2\x85z") == "a_z");  // a control character of two bytes
  CHECK(fitForFileName("walk. .") == "walk___");
  CHECK(fitForFileName("..") == "__");
  CHECK(fitForFileName(" .walk") == " .walk");
  CHECK(fitForFileName("").empty());
}

TEST_CASE("Bytes that are no UTF-8 become underscores one by one") {
  CHECK(fitForFileName("a\xFF\xFEz") == "a__z");
  CHECK(fitForFileName("\xE6\xAD") == "__");            // cut off
  CHECK(fitForFileName("\xC0\xAF") == "__");            // longer than need be: a slash
  CHECK(fitForFileName("\xED\xA0\x80x") == "___x");     // a surrogate
  CHECK(fitForFileName("\xF4\x90\x80\x80") == "____");  // beyond U+10FFFF
}

TEST_CASE("Names that Windows keeps for devices get an underscore behind their first part") {
  CHECK(withoutDeviceName("CON") == "CON_");
  CHECK(withoutDeviceName("nul.glb") == "nul_.glb");
  CHECK(withoutDeviceName("Aux .tar.gz") == "Aux_ .tar.gz");
  CHECK(withoutDeviceName("com1.fbx") == "com1_.fbx");
  CHECK(withoutDeviceName("LPT\xC2\xB2") == "LPT\xC2\xB2_");
  CHECK(withoutDeviceName("conin$") == "conin$_");
  for (const char* name : {"CONE", "com", "com10", "lptx", "a.con", "", "conin", ".nul"}) {
    CHECK(withoutDeviceName(name) == name);
  }
}

TEST_CASE("Capitals of Latin, Greek and Cyrillic become small letters, and all else stays") {
  CHECK(smallLetters("Walk_2.GLB") == "walk_2.glb");
  CHECK(smallLetters("ÄÖÜß×Þ") == "äöüß×þ");
  CHECK(smallLetters("ŁódŹ ŐĀ Ệ") == "łódź őā ệ");
  CHECK(smallLetters("ΆΑΩΣ") == "Άαωσ");
  CHECK(smallLetters("ПРЫЖОК Ёё Ѓ Ґ") == "прыжок ёё ѓ ґ");
  CHECK(smallLetters("Ａｂ歩く🦊") == "ａｂ歩く🦊");
  CHECK(smallLetters("A\xFFZ") == "a\xFFz");
}

TEST_SUITE_END();
