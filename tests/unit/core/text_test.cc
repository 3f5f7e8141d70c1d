// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/text.h"

#include <limits>
#include <random>

#include "checks.h"

TEST_SUITE_BEGIN("core.text");

using namespace clipmill;

TEST_CASE("a glob matches the whole text") {
  CHECK(matchesGlob("Tail*", "Tail_01"));
  CHECK(matchesGlob("Tail*", "Tail"));
  CHECK(!matchesGlob("Tail*", "bTail"));
  CHECK(!matchesGlob("Tail", "Tail_01"));
  CHECK(matchesGlob("*tail*", "b_tail_3"));
  CHECK(matchesGlob("?air_?", "hair_L"));
  CHECK(!matchesGlob("?air", "air"));
  CHECK(matchesGlob("", ""));
  CHECK(!matchesGlob("", "a"));
  CHECK(matchesGlob("***", ""));
  CHECK(!matchesGlob("tail", "Tail"));
}

TEST_CASE("a star matches no more than the rest of the pattern allows") {
  CHECK(matchesGlob("a*b*c", "a_b_b_c_c"));
  CHECK(matchesGlob("*aab", "aaaaaab"));
  CHECK(!matchesGlob("*aab", "aaaaaba"));
  CHECK(matchesGlob("*[0-9]", "bone12"));
  CHECK(matchesGlob("*[0-9]_end", "bone1_2_end"));
}

TEST_CASE("sets hold single characters and ranges") {
  CHECK(matchesGlob("b[aeiou]ne", "bone"));
  CHECK(!matchesGlob("b[aeiou]ne", "b1ne"));
  CHECK(matchesGlob("[a-cX-Z]", "Y"));
  CHECK(!matchesGlob("[a-c]", "d"));
  CHECK(matchesGlob("[]]", "]"));
  CHECK(matchesGlob("[a-]", "-"));
  CHECK(!matchesGlob("[ab]", "[ab]"));
}

TEST_CASE("a bracket that is not closed matches itself") {
  CHECK(matchesGlob("a[b", "a[b"));
  CHECK(!matchesGlob("a[b", "ab"));
}

TEST_CASE("a glob with many stars on a long text ends at once") {
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "*a";
  CHECK(!matchesGlob(pattern + "b", std::string(3000, 'a')));
}

TEST_CASE("the nearest name differs by a typing error, not arbitrarily") {
  const std::vector<std::string> tokens{"damping_ratio", "drag", "gravity_m_s2"};
  CHECK(nearestWord("dampnig_ratio", tokens) == "damping_ratio");
  CHECK(nearestWord("drog", tokens) == "drag");
  CHECK(nearestWord("xxxx", tokens) == std::nullopt);
  CHECK(nearestWord("a", std::vector<std::string>{"b"}) == std::nullopt);
  CHECK(nearestWord("", tokens) == std::nullopt);
}

TEST_CASE("numbers read back as the same number") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const double value =
        (static_cast<double>(random()) - 9e18) * std::pow(2.0, static_cast<int>(i % 200) - 100);
    CHECK(parseNumber(numberText(value)) == value);
    const float narrow = static_cast<float>(value);
    CHECK(static_cast<float>(*parseNumber(numberText(narrow))) == narrow);
  }
  CHECK(numberText(0.1) == "0.1");
  CHECK(numberText(0.1f) == "0.1");
  CHECK(numberText(std::numeric_limits<double>::infinity()) == "inf");
}

TEST_CASE("a number is all of the text or nothing") {
  CHECK(parseNumber("+1.5e3") == 1500.0);
  CHECK(parseNumber("-2") == -2.0);
  for (const char* text : {"", "+", "1 ", " 1", "1,5", "0x10", "one", "+-5", "++5", "1e", "--1"}) {
    CAPTURE(std::string(text));
    CHECK(parseNumber(text) == std::nullopt);
  }
}

// Whether splitText() takes such a text.
template <class Text>
constexpr bool kCanSplit = requires(Text&& text) {
  splitText(std::forward<Text>(text), ',');
};

TEST_CASE("a temporary string cannot be split, since its parts would outlive it") {
  CHECK_FALSE(kCanSplit<std::string>);
  CHECK_FALSE(kCanSplit<const std::string>);
  CHECK(kCanSplit<std::string&>);
  CHECK(kCanSplit<const std::string&>);
  CHECK(kCanSplit<std::string_view>);
  CHECK(kCanSplit<const char*>);
}

TEST_CASE("texts are split at every separator and trimmed at both ends") {
  CHECK(splitText("a,b,,c", ',') == std::vector<std::string_view>{"a", "b", "", "c"});
  CHECK(splitText("", ',') == std::vector<std::string_view>{""});
  CHECK(splitText(",", ',') == std::vector<std::string_view>{"", ""});
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed("  ") == "");
  CHECK(counted(1, "key") == "1 key");
  CHECK(counted(0, "key") == "0 keys");
}

TEST_CASE("fixed text has the requested number of digits") {
  CHECK(fixedText(0.098084435, 4) == "0.0981");
  CHECK(fixedText(-2.0, 0) == "-2");
  CHECK(fixedText(1e300, 1).size() == 303);
}

TEST_SUITE_END();

TEST_CASE("Text for people has no control characters and keeps all others") {
  CHECK(printable("plain gr\xC3\xBC\xC3\x9F") == "plain gr\xC3\xBC\xC3\x9F");
  CHECK(printable("a\nb\tc\x7f") == "a?b?c?");
  CHECK(printable("a\xC2\x9B"
                  "31m\xC2\xA0") == "a?31m\xC2\xA0");
  CHECK(printable("ends in \xC2") == "ends in \xC2");
}

TEST_CASE("Of a long text both ends are kept, cut between characters") {
  const std::string text = "start" + std::string(1000, '-') + "end";
  const std::string cut = printable(text, 40);
  CHECK(cut.size() == 40);
  CHECK(cut.starts_with("start-"));
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

TEST_CASE("An error is one line of limited length") {
  const Error error{ErrorCode::kMalformed, std::string(100000, 'p') + "\n", "is\nwrong",
                    "do\rthis"};
  const std::string sentence = describe(error);
  CHECK(sentence.size() < 500);
  CHECK(sentence.ends_with("?: is?wrong; do?this"));
}

TEST_CASE("a text becomes a JSON string, and bytes that are no UTF-8 a mark") {
  CHECK(jsonString("") == "\"\"");
  CHECK(jsonString("a\"b\\c\n\t\x01\x7f") == "\"a\\\"b\\\\c\\n\\t\\u0001\x7f\"");
  CHECK(jsonString("\xC3\xA4\xE5\xB0\xBE\xF0\x9F\x98\x80") ==
        "\"\xC3\xA4\xE5\xB0\xBE\xF0\x9F\x98\x80\"");
  const std::string mark = "\xEF\xBF\xBD";
  CHECK(jsonString("a\xff") == "\"a" + mark + "\"");
  // Cut short; longer than need be; a surrogate; beyond the last character.
  CHECK(jsonString("\xE5\xB0") == "\"" + mark + mark + "\"");
  CHECK(jsonString("\xC0\x80") == "\"" + mark + mark + "\"");
  CHECK(jsonString("\xED\xA0\x80") == "\"" + mark + mark + mark + "\"");
  CHECK(jsonString("\xF4\x90\x80\x80") == "\"" + mark + mark + mark + mark + "\"");
}
