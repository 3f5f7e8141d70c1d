// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/movie.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "checks.h"
#include "core/to_size.h"
#include "render/decoded_webp.h"
#include "render/walking_mast.h"

TEST_SUITE_BEGIN("render.movie");

using namespace clipmill;
using namespace clipmill::render;
using namespace clipmill::test;

namespace {

// Quick to draw.
MovieSettings smallSettings() {
  MovieSettings settings;
  settings.width = 96;
  settings.height = 80;
  settings.fps = 10.0;
  settings.threads = 1;
  return settings;
}

Movie drawn(const std::vector<SheetRow>& rows, const MovieSettings& settings) {
  auto movie = drawMovie(rows, settings);
  CHECK_OK(movie);
  return std::move(movie).value();
}

}  // namespace

TEST_CASE("movieFrames: durations differ from the frame interval by at most 1 ms and add up") {
  for (double fps : {1.0, 12.0, 23.976, 25.0, 29.97, 30.0, 50.0}) {
    for (double duration_s : {0.001, 0.03, 0.7333, 1.0, 2.0666667, 10.0, 120.0}) {
      const MovieFrames frames = movieFrames(duration_s, fps);
      REQUIRE(!frames.start_ms.empty());
      CHECK(frames.start_ms.size() == frames.times_s.size());
      CHECK(frames.start_ms[0] == 0);
      CHECK(frames.end_ms == static_cast<int>(std::lround(1000.0 * duration_s)));
      for (std::size_t i = 0; i < frames.start_ms.size(); ++i) {
        // No drift: each start is its own time, rounded.
        CHECK(std::abs(frames.start_ms[i] - 1000.0 * frames.times_s[i]) <= 0.5);
        CHECK(frames.times_s[i] == static_cast<double>(i) / fps);
        if (i == 0) continue;
        CHECK(std::abs(frames.start_ms[i] - frames.start_ms[i - 1] - 1000.0 / fps) <= 1.0);
      }
      const int last_ms = frames.end_ms - frames.start_ms.back();
      const double interval_ms = 1000.0 / fps;
      CHECK(last_ms <= std::max(1.5 * interval_ms, interval_ms + 20.0) + 1.0);
      if (frames.start_ms.size() > 1) {
        CHECK(last_ms >= 20);
        CHECK(last_ms >= 0.5 * interval_ms);
      }
    }
  }
}

TEST_CASE("drawMovie: frames, durations and canvas are those of the clip and the settings") {
  const Scene scene = walkingMast(2.0, 40.0);
  const SheetRow row{&scene, 0, "", "walk.glb"};
  for (std::size_t panels : {std::size_t{1}, std::size_t{2}}) {
    const Movie movie = drawn(std::vector<SheetRow>(panels, row), smallSettings());
    const DecodedWebp decoded = decodeWebp(movie.webp);
    CHECK(decoded.loops == 0);
    CHECK(decoded.height == 80);
    CHECK(decoded.width == (panels == 1 ? 96 : 2 * 96 + 4));
    CHECK(decoded.frames.size() == 10);
    CHECK(decoded.ends_ms.back() == 1000);
    CHECK(movie.warnings.empty());
  }
}

TEST_CASE("drawMovie: the bytes are the same for any number of threads") {
  const Scene before = walkingMast(2.0, 0.0), after = walkingMast(3.0, 40.0);
  const std::vector<SheetRow> rows = {{&before, 0, "before", "a"}, {&after, 0, "after", "b"}};
  MovieSettings settings = smallSettings();
  settings.fps = 20.0;  // more than one block of frames
  const Bytes first = drawn(rows, settings).webp;
  for (int threads : {2, 5, 0}) {
    settings.threads = threads;
    CHECK(drawn(rows, settings).webp == first);
  }
}

TEST_CASE(
    "drawMovie: two panels of the same clip are the same, and changed joints have another "
    "colour") {
  const Scene still = walkingMast(0.0, 5.0), bent = walkingMast(0.0, 70.0);
  // Blocks of lossy WebP do not cross the middle where the panels start at multiples of 16.
  MovieSettings settings = smallSettings();
  settings.has_labels = false;
  settings.has_joints = true;
  const auto orange = [&](const Movie& movie, int from, int to) {
    const DecodedWebp decoded = decodeWebp(movie.webp);
    std::size_t count = 0;
    for (int y = 0; y < decoded.height; ++y) {
      for (int x = from; x < to; ++x) {
        const std::size_t i = 4 * toSize(y * decoded.width + x);
        const auto& frame = decoded.frames.back();
        if (frame[i] > frame[i + 2] + 60) ++count;
      }
    }
    return count;
  };
  const SheetRow before{&still, 0, "before", "a"}, after{&bent, 0, "after", "b"};
  const Movie same = drawn({before, before}, settings), other = drawn({before, after}, settings);
  CHECK(orange(same, 0, 196) == 0);
  CHECK(orange(other, 0, 90) == 0);
  CHECK(orange(other, 100, 196) > 5);
}

TEST_CASE("drawMovie: labels change pixels only where panels have space for them") {
  const Scene scene = walkingMast(0.0, 40.0);
  const SheetRow row{&scene, 0, "before", "a"};
  for (const auto& [width, has_space] : {std::pair{96, false}, std::pair{128, true}}) {
    MovieSettings settings = smallSettings();
    settings.width = settings.height = width;
    const Bytes with = drawn({row}, settings).webp;
    settings.has_labels = false;
    CHECK((drawn({row}, settings).webp != with) == has_space);
  }
}

TEST_CASE("drawMovie: a clip that is longer than the limit is shortened with a warning") {
  Scene scene = walkingMast(2.0, 40.0);
  MovieSettings settings = smallSettings();
  settings.max_s = 0.5;
  const Movie movie = drawn({{&scene, 0, "", "walk.glb"}}, settings);
  CHECK(decodeWebp(movie.webp).ends_ms.back() == 500);
  CHECK(movie.warnings.count("movie_shortened") == 1);
}

TEST_CASE("drawMovie: the longest clip gives the length, a shorter one holds its last pose") {
  const Scene first = walkingMast(0.0, 40.0);
  Scene longer = walkingMast(0.0, 40.0);
  longer.clips[0].end_s = 1.5;
  const SheetRow a{&first, 0, "", "a"}, b{&longer, 0, "", "b"};
  CHECK(drawn({a, b}, smallSettings()).frames.end_ms == 1500);
  CHECK(drawn({b, a}, smallSettings()).frames.end_ms == 1500);
}

TEST_CASE("drawMovie: settings out of range and clips without length are refused") {
  const Scene scene = walkingMast(1.0, 40.0);
  const SheetRow row{&scene, 0, "", "f"};
  const auto code = [&](const std::vector<SheetRow>& rows, auto change) {
    MovieSettings settings = smallSettings();
    change(settings);
    const auto movie = drawMovie(rows, settings);
    CHECK(!movie.ok());
    return movie.ok() ? ErrorCode::kInternal : movie.error().code;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto keep = [](MovieSettings&) {};
  CHECK(code({}, keep) == ErrorCode::kUsage);
  CHECK(code({row, row, row}, keep) == ErrorCode::kUsage);
  for (double fps : {0.5, 51.0, nan}) {
    CHECK(code({row}, [&](MovieSettings& s) { s.fps = fps; }) == ErrorCode::kUsage);
  }
  for (double seconds : {0.0, 121.0, nan}) {
    CHECK(code({row}, [&](MovieSettings& s) { s.max_s = seconds; }) == ErrorCode::kUsage);
  }
  for (int size : {63, 1921, -1}) {
    CHECK(code({row}, [&](MovieSettings& s) { s.width = size; }) == ErrorCode::kUsage);
    CHECK(code({row}, [&](MovieSettings& s) { s.height = size; }) == ErrorCode::kUsage);
  }
  CHECK(code({{&scene, -1, "", "rest"}}, keep) == ErrorCode::kUnsupported);
  Scene still = walkingMast(1.0, 40.0);
  still.clips[0].end_s = still.clips[0].start_s;
  CHECK(code({{&still, 0, "", "still"}}, keep) == ErrorCode::kUnsupported);
}

TEST_CASE("drawMovie: hostile positions, lengths and names give a movie or an error") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  MovieSettings settings = smallSettings();
  settings.width = settings.height = 128;
  settings.max_s = 0.3;
  for (double bad : {1e300, std::numeric_limits<double>::infinity(), nan}) {
    for (int node : {0, 1}) {
      Scene far = walkingMast(1.0, 40.0);
      far.skeleton.nodes[toSize(node)].rest.translation = Vec3(0, bad, 0);
      far.clips[0].name = "</script>\n\x1B[2J" + std::string(100000, '\xFF');
      const auto movie = drawMovie({{&far, 0, "before", std::string(5000, 'W')}}, settings);
      if (!movie) CHECK(movie.error().code == ErrorCode::kUnsupported);
    }
    Scene endless = walkingMast(1.0, 40.0);
    endless.clips[0].end_s = bad;
    const auto movie = drawMovie({{&endless, 0, "", "endless"}}, settings);
    if (!movie) CHECK(movie.error().code == ErrorCode::kUnsupported);
  }
}
