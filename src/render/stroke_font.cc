// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/stroke_font.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/to_size.h"

namespace clipmill::render {
namespace {

// A stroke is a row of points "xy" on a grid: x from 0, y from 0 (bottom of tails) over 2 (the
// line that letters rest on) and 7 (top of small letters) to 9 (top of capitals). Strokes are
// parted by blanks. '~' makes a stroke a quadratic B-spline, which starts and ends in its outer
// points and is closed where these are the same.
constexpr int kFirst = ' ', kLast = '~';
constexpr double kBaseline = 2.0, kCapUnits = 7.0, kLetterGap = 2.0, kSpace = 2.4;
constexpr const char* kGlyphs[] = {
    "",                              // space
    "0905 0202",                     // !
    "0907 2927",                     // "
    "1318 3338 0444 0747",           // #
    "~4748080645430304 2129",        // $
    "0259 ~0727290907 ~3252543432",  // %
    "~520709393704024255",           // &
    "0907",                          // '
    "~29070320",                     // (
    "~09272300",                     // )
    "2529 0648 0846",                // *
    "0545 2327",                     // +
    "1200",                          // ,
    "0545",                          // -
    "0202",                          // .
    "0139",                          // /
    "~0242490902",                   // 0
    "182922",                        // 1
    "~0709494602 0242",              // 2
    "~0809494626 ~2646420203",       // 3
    "390444 3932",                   // 4
    "490906 ~0647420203",            // 5
    "~390904 ~0242460602",           // 6
    "094912",                        // 7
    "~0646490906 ~0242460602",       // 8
    "~0545490905 ~474212",           // 9
    "0606 0202",                     // :
    "1616 1200",                     // ;
    "480542",                        // <
    "0444 0646",                     // =
    "084502",                        // >
    "~0709494626 2624 2222",         // ?
    "~62020969644447 ~2444472724",   // @
    "023962 1454",                   // A
    "0209 ~09494606 ~06565202",      // B
    "~575909025254",                 // C
    "0209 ~09595202",                // D
    "49090242 0636",                 // E
    "490902 0636",                   // F
    "~575909025255 5535",            // G
    "0209 5259 0656",                // H
    "0209",                          // I
    "~3934320204",                   // J
    "0209 5905 1652",                // K
    "090242",                        // L
    "0209346962",                    // M
    "02095259",                      // N
    "~0262690902",                   // O
    "0209 ~09595505",                // P
    "~0262690902 4461",              // Q
    "0209 ~09595505 2552",           // R
    "~5859090655520203",             // S
    "0949 2922",                     // T
    "~090402525459",                 // U
    "093269",                        // V
    "0922496289",                    // W
    "0259 0952",                     // X
    "093669 3632",                   // Y
    "09590252",                      // Z
    "29090020",                      // [
    "0931",                          // backslash
    "09292000",                      // ]
    "072947",                        // ^
    "0141",                          // _
    "0918",                          // backquote
    "~0242470702 4742",              // a
    "0209 ~0242470702",              // b
    "~464707024243",                 // c
    "4249 ~0242470702",              // d
    "0545 ~454707024243",            // e
    "~39191712 0737",                // f
    "~0242470702 ~4742400001",       // g
    "0209 ~0407474442",              // h
    "0207 0909",                     // i
    "~27222000 2929",                // j
    "0209 4704 1542",                // k
    "~09030212",                     // l
    "0207 ~0407373432 ~3437676462",  // m
    "0207 ~0407474442",              // n
    "~0242470702",                   // o
    "0007 ~0242470702",              // p
    "4047 ~0242470702",              // q
    "0207 ~040737",                  // r
    "~4647070544420203",             // s
    "~19131232 0737",                // t
    "~0705024245 4742",              // u
    "072247",                        // v
    "0722374267",                    // w
    "0247 0742",                     // x
    "0722 4710",                     // y
    "07470242",                      // z
    "~291905 ~051120",               // {
    "0900",                          // |
    "~091925 ~251100",               // }
    "~05173446",                     // ~
};
static_assert(sizeof kGlyphs / sizeof *kGlyphs == kLast - kFirst + 1);

const char* glyphOf(char c) {
  return c >= kFirst && c <= kLast ? kGlyphs[c - kFirst] : kGlyphs['?' - kFirst];
}

// In units of the grid. Digits are all equally wide, so that numbers align in columns.
double advanceOf(char c) {
  if (c == ' ') return kSpace + kLetterGap;
  if (c >= '0' && c <= '9') return 4.0 + kLetterGap;
  int widest = 0;
  bool is_x = true;
  for (const char* at = glyphOf(c); *at; ++at) {
    if (*at == ' ' || *at == '~') continue;
    if (is_x) widest = std::max(widest, *at - '0');
    is_x = !is_x;
  }
  return widest + kLetterGap;
}

std::vector<Vec2> spline(const std::vector<Vec2>& knots) {
  constexpr int kPieces = 6;
  const std::size_t n = knots.size();
  if (n < 3) return knots;
  const bool closed = knots.front() == knots.back();
  const auto middle = [](const Vec2& a, const Vec2& b) { return 0.5 * (a + b); };
  std::vector<Vec2> points;
  Vec2 start = closed ? middle(knots[n - 2], knots[0]) : knots[0];
  points.push_back(start);
  for (std::size_t i = closed ? 0 : 1; i + 1 < n; ++i) {
    const bool is_last = i + 2 == n;
    const Vec2 end = is_last && !closed ? knots[n - 1] : middle(knots[i], knots[i + 1]);
    for (int k = 1; k <= kPieces; ++k) {
      const double t = static_cast<double>(k) / kPieces, s = 1.0 - t;
      points.push_back(start * (s * s) + knots[i] * (2.0 * s * t) + end * (t * t));
    }
    start = end;
  }
  return points;
}

void drawGlyph(Film& film, const Vec2& origin, char c, const TextStyle& style) {
  const double unit = style.cap_height / kCapUnits;
  for (const char* at = glyphOf(c); *at;) {
    const bool smooth = *at == '~';
    if (smooth) ++at;
    std::vector<Vec2> points;
    for (; *at && *at != ' '; at += 2) {
      points.push_back(origin + unit * Vec2(at[0] - '0', kBaseline - (at[1] - '0')));
    }
    if (*at == ' ') ++at;
    film.stroke(smooth ? spline(points) : points, style.weight, style.color, style.alpha);
  }
}

// One character for each that a reader would count: bytes that continue a sequence go with it.
std::string shownAs(std::string_view text) {
  std::string shown;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0u) == 0x80u) continue;
    shown += c >= kFirst && c <= kLast ? c : '?';
  }
  return shown;
}

}  // namespace

double textWidth(std::string_view text, const TextStyle& style) {
  double units = 0.0;
  for (char c : text) units += advanceOf(c);
  return std::max(units - kLetterGap, 0.0) * style.cap_height / kCapUnits;
}

void drawText(Film& film, const Vec2& baseline_left, std::string_view text,
              const TextStyle& style) {
  Vec2 origin = baseline_left;
  for (char c : shownAs(text)) {
    if (origin.x > film.width()) break;
    drawGlyph(film, origin, c, style);
    origin.x += advanceOf(c) * style.cap_height / kCapUnits;
  }
}

std::string fittedText(std::string_view text, double max_width, const TextStyle& style) {
  // No glyph is narrower than its gap: more characters than this do not fit anyway.
  const auto most =
      toSize(std::max(max_width, 0.0) / (kLetterGap * style.cap_height / kCapUnits) + 2.0);
  const std::string shown = shownAs(text);
  if (shown.size() <= most && textWidth(shown, style) <= max_width) return shown;
  for (std::size_t kept = std::min(shown.size(), most); kept > 0; --kept) {
    const std::size_t tail = kept / 2;
    const std::string shorter =
        shown.substr(0, kept - tail) + ".." + shown.substr(shown.size() - tail);
    if (textWidth(shorter, style) <= max_width) return shorter;
  }
  return "";
}

}  // namespace clipmill::render
