// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/text.h"

#include "checks.h"

TEST_SUITE_BEGIN("core.text");

using namespace clipmill;

TEST_CASE("Text for people has no control characters and keeps all others") {
  CHECK(printable("plain gr\xC3\xBC\xC3\x9F") == "plain gr\xC3\xBC\xC3\x9F");
  CHECK(printable("a\nb\tc\x7f") == "a?b?c?");
  CHECK(printable("a\xC2\x9B"
                  "31m\xC2\xA0") == "a?31m\xC2\xA0");
  CHECK(printable("ends in \xC2") == "ends in \xC2");
}

TEST_CASE("Of a long text both ends are kept, cut between characters") {
  const std::string text = "begin" + std::string(1000, '-') + "end";
  const std::string cut = printable(text, 40);
  CHECK(cut.size() == 40);
  CHECK(cut.starts_with("begin-"));
  CHECK(cut.ends_with("-end"));
  CHECK(printable(text, 2000) == text);
  for (std::size_t most = 4; most < 30; ++most) {
    std::string wide;
    for (int i = 0; i < 50; ++i) wide += "\xE2\x82\xAC";
    const std::string kept = printable(wide, most);
    CHECK(kept.size() <= most);
    CHECK((kept.size() - 4) % 3 == 0);
  }
}

TEST_CASE("An error is one line of moderate length") {
  const Error error{ErrorCode::kMalformed, std::string(100000, 'p') + "\n", "is\nwrong",
                    "do\rthis"};
  const std::string sentence = describe(error);
  CHECK(sentence.size() < 500);
  CHECK(sentence.ends_with("?: is?wrong; do?this"));
}
