// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/film.h"

#include <limits>

#include "checks.h"
#include "render/stroke_font.h"

TEST_SUITE_BEGIN("render.film");

using namespace clipmill;
using namespace clipmill::render;

namespace {

// How much of a black film became white, in pixels.
double inkOf(const Film& film) {
  double sum = 0.0;
  for (int y = 0; y < film.height(); ++y) {
    for (int x = 0; x < film.width(); ++x) sum += film.at(x, y).x;
  }
  return sum;
}

Film blackFilm() { return Film(120, 90, Vec3(0.0)); }

const TextStyle kWhite{12.0, 1.5, Vec3(1.0), 1.0};

double inkOfText(const std::string& text) {
  Film film(400, 40, Vec3(0.0));
  drawText(film, Vec2(10, 25), text, kWhite);
  return inkOf(film);
}

}  // namespace

TEST_CASE("discs and strokes cover their area") {
  for (const double radius : {2.0, 5.3, 20.0}) {
    Film film = blackFilm();
    film.disc(Vec2(60.2, 44.9), radius, Vec3(1.0), 1.0);
    // An edge that fades over one pixel adds a twelfth: the integral of the ramp about the centre.
    CHECK(inkOf(film) == test::nearTo(kPi * (radius * radius + 1.0 / 12.0), 0.01));
  }
  Film film = blackFilm();
  const Vec2 line[] = {{20, 30}, {100, 60}};
  film.stroke(line, 3.0, Vec3(1.0), 1.0);
  const double length = std::sqrt(80.0 * 80.0 + 30.0 * 30.0);
  CHECK(inkOf(film) == test::nearTo(3.0 * length + kPi * 1.5 * 1.5, 0.01));
}

TEST_CASE("a stroke over itself is not denser") {
  Film once = blackFilm(), twice = blackFilm();
  const Vec2 line[] = {{20, 30}, {100, 60}}, back[] = {{20, 30}, {100, 60}, {20, 30}};
  once.stroke(line, 3.0, Vec3(1.0), 0.5);
  twice.stroke(back, 3.0, Vec3(1.0), 0.5);
  CHECK(hashHex(once.develop()) == hashHex(twice.develop()));
}

TEST_CASE("shapes outside the image or with NaN are left out") {
  Film film = blackFilm();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Vec2 bad[] = {{10, 10}, {nan, 20}}, far[] = {{10, 10}, {inf, 20}};
  const Vec2 outside[] = {{-1e7, -50}, {1e7, -50}};
  film.stroke(bad, 2.0, Vec3(1.0), 1.0);
  film.stroke(far, 2.0, Vec3(1.0), 1.0);
  film.stroke(outside, 2.0, Vec3(1.0), 1.0);
  film.disc(Vec2(-30, 400), 5.0, Vec3(1.0), 1.0);
  CHECK(inkOf(film) == 0.0);
}

TEST_CASE("every printable character has its own shape, and the blank has none") {
  CHECK(inkOfText(" ") == 0.0);
  std::vector<std::string> seen;
  for (char c = '!'; c <= '~'; ++c) {
    Film film(40, 40, Vec3(0.0));
    drawText(film, Vec2(10, 25), std::string(1, c), kWhite);
    CHECK(inkOf(film) > 1.5);
    const std::string hash = hashHex(film.develop());
    CHECK_MESSAGE(std::find(seen.begin(), seen.end(), hash) == seen.end(), c);
    seen.push_back(hash);
  }
}

TEST_CASE("text has the reported width") {
  const std::string text = "Run (2) 0.25 s";
  const double width = textWidth(text, kWhite);
  Film film(400, 40, Vec3(0.0));
  drawText(film, Vec2(10, 25), text, kWhite);
  int last = 0;
  for (int x = 0; x < film.width(); ++x) {
    for (int y = 0; y < film.height(); ++y) {
      if (film.at(x, y).x > 0.3) last = x;
    }
  }
  CHECK(std::abs(last + 0.5 - (10.0 + width)) < 2.0);
}

TEST_CASE("hostile names are shown as question marks and cut to fit") {
  CHECK(fittedText("Stra\xC3\x9F"
                   "e",
                   1000, kWhite) == "Stra?e");
  CHECK(fittedText("\xE8\xB5\xB0\xE3\x82\x8B", 1000, kWhite) == "??");
  CHECK(fittedText("a\nb\x1B[31m\x7F", 1000, kWhite) == "a?b?[31m?");
  CHECK(fittedText(std::string("a\0b", 3), 1000, kWhite) == "a?b");
  CHECK(fittedText("\xFF\xFE", 1000, kWhite) == "??");
  const std::string endless(1000000, 'w');
  const std::string fitted = fittedText(endless, 200, kWhite);
  CHECK(textWidth(fitted, kWhite) <= 200.0);
  CHECK(textWidth(fitted, kWhite) > 150.0);
  CHECK(fitted.find("..") != std::string::npos);
  CHECK(fittedText("name", 0.0, kWhite).empty());
  CHECK(fittedText("", 100.0, kWhite).empty());
  CHECK(inkOfText("\xC3\x9F") == doctest::Approx(inkOfText("?")));
}
