// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/track_fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "anim/span_fit.h"
#include "core/float_rounding.h"
#include "core/to_size.h"

// How it works. A clip is sampled once on a fine grid. Each track is cut where it jumps; each piece
// is walked from left to right, every key reaching as far as a line or a cubic follows the samples.
// Where even the next frame is too far, keys are put between frames, and where even the next sample
// is too far, the clip itself is asked in between.

namespace clipmill {
namespace {

constexpr std::size_t kSampleBytes = 256u << 20;
// Linear keys are taken where cubic ones would not save more than a third of them.
constexpr double kLinearToCubic = 1.5;
constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

struct FittedKeys {
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<FitKey> keys;
};

// The keys of one track.
class TrackFitter {
 public:
  TrackFitter(const TrackValue& value, const FineGrid& grid, std::span<const double> tolerance,
              ExactPoses& poses, std::vector<double>& samples)
      : grid_(grid),
        measure_(value.path, tolerance, largestOf(samples)),
        pieces_(cutAtJumps(value, grid, measure_, poses, samples)) {
    for (const TrackPiece& piece : pieces_) {
      fitters_.emplace_back(value, grid, measure_, poses, samples, piece);
    }
  }

  FittedKeys fit() {
    const bool is_constant =
        std::ranges::all_of(fitters_, [](const SpanFitter& f) { return f.isConstant(); });
    if (is_constant && pieces_.size() > 1) return {Interpolation::kStep, steps()};
    const std::size_t frames = (grid_.pointCount() - 1) / grid_.pointsPerFrame() + 1;
    const std::size_t usual = frames + 2 * pieces_.size();
    std::vector<FitKey> linear = fitAll(Interpolation::kLinear, usual);
    if (linear.size() <= 2 * pieces_.size()) return {Interpolation::kLinear, std::move(linear)};
    const bool is_linear = linear.size() <= usual;
    const std::size_t enough = is_linear ? worth(linear.size(), 1.0 / kLinearToCubic) : kAnyNumber;
    std::vector<FitKey> cubic = fitAll(Interpolation::kCubicSpline, enough);
    if (cubic.size() > enough) return {Interpolation::kLinear, std::move(linear)};
    if (!is_linear) {
      const std::size_t most = worth(cubic.size(), kLinearToCubic);
      if (most > usual) linear = fitAll(Interpolation::kLinear, most);
      if (linear.size() <= most) return {Interpolation::kLinear, std::move(linear)};
    }
    return {Interpolation::kCubicSpline, std::move(cubic)};
  }

 private:
  static double largestOf(const std::vector<double>& samples) {
    double largest = 0.0;
    for (const double x : samples) largest = std::max(largest, std::fabs(x));
    return largest;
  }

  static std::size_t worth(std::size_t keys, double factor) {
    return toSize(std::floor(static_cast<double>(keys) * factor));
  }

  // Keys of all pieces; more than `most`, and then not all, where so many do not do.
  std::vector<FitKey> fitAll(Interpolation interpolation, std::size_t most) {
    std::vector<FitKey> keys;
    for (SpanFitter& fitter : fitters_) {
      std::vector<FitKey> more = fitter.fit(interpolation, most - keys.size());
      std::ranges::move(more, std::back_inserter(keys));
      if (keys.size() > most) break;
    }
    return keys;
  }

  // One key a piece, and one where the clip ends.
  std::vector<FitKey> steps() const {
    std::vector<FitKey> keys;
    for (const TrackPiece& piece : pieces_) keys.push_back({piece.start_s, piece.first, {}, {}});
    const TrackPiece& last = pieces_.back();
    if (last.end_s > last.start_s) keys.push_back({last.end_s, last.first, {}, {}});
    for (FitKey& key : keys) {
      for (double& x : key.value) x = roundedToFloat(x);
    }
    return keys;
  }

  const FineGrid& grid_;
  ValueMeasure measure_;
  std::vector<TrackPiece> pieces_;
  std::vector<SpanFitter> fitters_;
};

// Tracks with the same times share them.
class SharedTimes {
 public:
  KeyTimes of(const std::vector<FitKey>& keys) {
    std::vector<double> times;
    for (const FitKey& key : keys) times.push_back(key.time_s);
    KeyTimes& shared = known_[times];
    if (!shared) shared = std::make_shared<const std::vector<double>>(std::move(times));
    return shared;
  }

 private:
  std::map<std::vector<double>, KeyTimes> known_;
};

Track trackOf(const TrackValue& value, FittedKeys fitted, SharedTimes& times) {
  Track track{value.node,
              value.path,
              fitted.interpolation,
              static_cast<int>(value.width),
              times.of(fitted.keys),
              {}};
  for (const FitKey& key : fitted.keys) {
    for (const std::vector<double>* part : {&key.in, &key.value, &key.out}) {
      const bool is_cubic = fitted.interpolation == Interpolation::kCubicSpline;
      if (!is_cubic && part != &key.value) continue;
      track.values.insert(track.values.end(), part->begin(), part->end());
    }
  }
  return track;
}

std::span<const double> toleranceOf(const TrackValue& value, const TrackFitSettings& settings) {
  if (value.path == TrackPath::kWeights) {
    return settings.weights.subspan(value.weights_start, value.width);
  }
  const FitTolerances& node = settings.nodes[toSize(value.node)];
  return {value.path == TrackPath::kTranslation ? &node.translation
          : value.path == TrackPath::kRotation  ? &node.angle_rad
                                                : &node.scale,
          1};
}

double rateOf(const Clip& clip, double fps) { return fps > 0.0 ? fps : clip.fps; }

}  // namespace

double fitBytes(const Skeleton& skeleton, const Clip& clip, const TrackMask& mask, double fps) {
  const FineGrid grid(clip, rateOf(clip, fps));
  std::size_t widest = 0;
  for (const TrackValue& value : valuesOf(skeleton, mask)) widest = std::max(widest, value.width);
  return static_cast<double>(grid.pointCount()) * static_cast<double>(widest * sizeof(double));
}

std::vector<Track> fitTracks(const Skeleton& skeleton, const Clip& clip, const TrackMask& mask,
                             const TrackFitSettings& settings) {
  assert(settings.nodes.size() == skeleton.size());
  assert(settings.weights.size() == skeleton.rest_weights.size());
  const FineGrid grid(clip, rateOf(clip, settings.fps));
  const std::vector<TrackValue> values = valuesOf(skeleton, mask);
  ExactPoses poses(skeleton, clip);
  SharedTimes times;
  std::vector<Track> tracks;
  for (std::size_t start = 0, end = 0; start < values.size(); start = end) {
    std::size_t numbers = 0;
    while (end < values.size() &&
           (end == start ||
            (numbers + values[end].width) * grid.pointCount() <= kSampleBytes / sizeof(double))) {
      numbers += values[end++].width;
    }
    const auto group = std::span(values).subspan(start, end - start);
    std::vector<std::vector<double>> samples = sampleFine(skeleton, clip, grid, group);
    for (std::size_t i = 0; i < group.size(); ++i) {
      TrackFitter fitter(group[i], grid, toleranceOf(group[i], settings), poses, samples[i]);
      tracks.push_back(trackOf(group[i], fitter.fit(), times));
      samples[i] = {};
    }
  }
  return tracks;
}

}  // namespace clipmill
