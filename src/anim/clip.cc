// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/clip.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// Where a time lies among the keys of one timeline.
struct KeyPosition {
  std::size_t key = 0;    // the last key at or before the time; 0 before the first
  double fraction = 0.0;  // between this key and the next; 0 outside the keys
  double interval_s = 0.0;
};

// slerp on the numbers of two keys as they are written (docs/methods.md, skeletal animation).
// Players take the angle from the dot product of the keys even where these are not of unit length,
// so we do too; only the result is normalised.
Quat slerpKeys(const Quat& a, const Quat& b_in, double t) {
  constexpr double kNearlyEqual = 0.99999999;
  const double dot = glm::dot(a, b_in);
  const Quat b = dot < 0.0 ? -b_in : b_in;
  const double cosine = std::abs(dot);
  if (cosine > kNearlyEqual) return normalizedOrIdentity(a + (b - a) * t);
  const double angle = portable::acos(cosine);
  return normalizedOrIdentity(a * portable::sin((1.0 - t) * angle) + b * portable::sin(t * angle));
}

class KeyframeSource : public PoseSource, public std::enable_shared_from_this<KeyframeSource> {
 public:
  KeyframeSource(const Skeleton& skeleton, std::vector<Track> tracks, KeySampling sampling)
      : tracks_(std::move(tracks)), sampling_(sampling) {
    std::unordered_map<const void*, std::size_t> position_of;  // looked up, never walked
    for (const Track& track : tracks_) {
      assert(track.times_s && !track.times_s->empty());
      const Node& node = skeleton.nodes[toSize(track.node)];
      weights_start_.push_back(toSize(node.weights_start));
      const auto [known, is_new] = position_of.try_emplace(track.times_s.get(), timelines_.size());
      timeline_of_.push_back(known->second);
      if (is_new) timelines_.push_back(track.times_s);
    }
  }

  std::unique_ptr<PoseCursor> cursor() const override;

 private:
  friend class KeyframeCursor;
  std::vector<Track> tracks_;
  std::vector<std::size_t> timeline_of_;
  std::vector<std::size_t> weights_start_;
  std::vector<KeyTimes> timelines_;
  KeySampling sampling_;
};

// One position per timeline is found for each time, then every track only reads and mixes.
class KeyframeCursor : public PoseCursor {
 public:
  explicit KeyframeCursor(std::shared_ptr<const KeyframeSource> source)
      : source_(std::move(source)), positions_(source_->timelines_.size()) {
    for (std::size_t i = 0; i < source_->tracks_.size(); ++i) read_.push_back(i);
  }

  void limitTo(std::span<const std::size_t> nodes) override {
    std::vector<std::size_t> sorted(nodes.begin(), nodes.end());
    std::sort(sorted.begin(), sorted.end());
    std::erase_if(read_, [&](std::size_t i) {
      const Track& track = source_->tracks_[i];
      return track.path != TrackPath::kWeights &&
             !std::binary_search(sorted.begin(), sorted.end(), toSize(track.node));
    });
  }

  void sample(double time_s, PoseView pose) override {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      advance(*source_->timelines_[i], time_s, positions_[i]);
    }
    for (const std::size_t i : read_) {
      sampleTrack(source_->tracks_[i], positions_[source_->timeline_of_[i]],
                  source_->weights_start_[i], pose);
    }
  }

 private:
  void advance(const std::vector<double>& times, double time_s, KeyPosition& position) const {
    std::size_t key = position.key;
    if (times[key] > time_s) {
      const auto after = std::upper_bound(times.begin(), times.begin() + key, time_s);
      key = after == times.begin() ? 0 : toSize(after - times.begin()) - 1;
    }
    while (key + 1 < times.size() && times[key + 1] <= time_s) ++key;
    position.key = key;
    const bool inside = key + 1 < times.size() && times[key] < time_s;
    position.interval_s = inside ? times[key + 1] - times[key] : 0.0;
    position.fraction = inside ? (time_s - times[key]) / position.interval_s : 0.0;
    if (source_->sampling_ == KeySampling::kNearest) {
      if (position.fraction >= 0.5) ++position.key;
      position.fraction = 0.0;
    }
  }

  static void sampleTrack(const Track& track, const KeyPosition& at, std::size_t weights_start,
                          PoseView pose) {
    const std::size_t node = toSize(track.node);
    double* target =
        track.path == TrackPath::kWeights ? pose.weights.data() + weights_start : nullptr;
    double small[4] = {0, 0, 0, 0};
    if (!target) target = small;
    if (track.path == TrackPath::kRotation && track.interpolation == Interpolation::kLinear &&
        at.fraction > 0.0) {
      const double* v = &track.values[at.key * 4];
      pose.locals[node].rotation = slerpKeys(quatAt(v), quatAt(v + 4), at.fraction);
      return;
    }
    mix(track, at, target);
    switch (track.path) {
      case TrackPath::kTranslation:
        pose.locals[node].translation = Vec3(small[0], small[1], small[2]);
        break;
      case TrackPath::kRotation:
        pose.locals[node].rotation = normalizedOrIdentity(quatAt(small));
        break;
      case TrackPath::kScale:
        pose.locals[node].scale = Vec3(small[0], small[1], small[2]);
        break;
      case TrackPath::kWeights:
        break;
    }
  }

  // The track's value at a position, component by component.
  static void mix(const Track& track, const KeyPosition& at, double* target) {
    const std::size_t width = toSize(track.width);
    const bool cubic = track.interpolation == Interpolation::kCubicSpline;
    const std::size_t stride = width * (cubic ? 3 : 1);
    const double* value = &track.values[at.key * stride] + (cubic ? width : 0);
    if (at.fraction == 0.0 || track.interpolation == Interpolation::kStep) {
      std::copy(value, value + width, target);
      return;
    }
    const double* next = value + stride;
    const double f = at.fraction;
    if (!cubic) {
      for (std::size_t i = 0; i < width; ++i) target[i] = value[i] + (next[i] - value[i]) * f;
      return;
    }
    const double f2 = f * f, f3 = f2 * f;  // Hermite basis, glTF 2.0 appendix C.5
    const double* out_tangent = value + width;
    const double* in_tangent = next - width;
    for (std::size_t i = 0; i < width; ++i) {
      target[i] = (2 * f3 - 3 * f2 + 1) * value[i] +
                  at.interval_s * (f3 - 2 * f2 + f) * out_tangent[i] +
                  (-2 * f3 + 3 * f2) * next[i] + at.interval_s * (f3 - f2) * in_tangent[i];
    }
  }

  std::shared_ptr<const KeyframeSource> source_;
  std::vector<std::size_t> read_;  // indices of tracks
  std::vector<KeyPosition> positions_;
};

std::unique_ptr<PoseCursor> KeyframeSource::cursor() const {
  return std::make_unique<KeyframeCursor>(shared_from_this());
}

}  // namespace

std::shared_ptr<const PoseSource> keyframeSource(const Skeleton& skeleton,
                                                 std::vector<Track> tracks, KeySampling sampling) {
  return std::make_shared<KeyframeSource>(skeleton, std::move(tracks), sampling);
}

double inferFrameRate(double start_s, std::span<const KeyTimes> timelines) {
  constexpr double kTolerance_s = 1e-4, kAllKeys = 1.0 - 1e-12, kMostKeys = 2.0 / 3.0;
  const auto shareOnFrames = [&](double fps) {
    std::size_t on_frames = 0, count = 0;
    for (const KeyTimes& times : timelines) {
      count += times->size();
      for (double time : *times) {
        const double frame = (time - start_s) * fps;
        on_frames += std::abs(frame - std::floor(frame + 0.5)) <= kTolerance_s * fps ? 1 : 0;
      }
    }
    return count == 0 ? 1.0 : static_cast<double>(on_frames) / static_cast<double>(count);
  };
  for (const double share : {kAllKeys, kMostKeys}) {
    for (double fps : {30.0, 24.0, 25.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 144.0, 240.0}) {
      if (shareOnFrames(fps) > share) return fps;
    }
  }
  return 30.0;
}

}  // namespace clipmill
