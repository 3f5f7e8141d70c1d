// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/channel_keys.h"

#include <algorithm>

#include "anim/hermite.h"
#include "anim/motion.h"
#include "anim/pose.h"
#include "core/cancel.h"
#include "core/to_size.h"

namespace clipmill::io::fbx {
namespace {

// An inverse scale of frames a second: no file has more.
constexpr double kMostFramesPerSecond = 1000.0;

const Track* trackOf(std::span<const Track* const> tracks, TrackPath path) {
  for (const Track* track : tracks) {
    if (track->path == path) return track;
  }
  return nullptr;
}

bool hasCubicAngles(const Track& track) {
  return track.interpolation == Interpolation::kCubicSpline &&
         track.angles_deg.size() == 3 * track.times_s->size();
}

NewChannels emptyChannels(int node, ChainProperty property, Interpolation interpolation,
                          const KeyTimes& times) {
  NewChannels channels;
  channels.node = node;
  channels.property = property;
  for (NewCurve& curve : channels.axes) {
    curve.interpolation = interpolation;
    curve.times_s = times;
  }
  return channels;
}

// Translation or scale, key by key; `shift` is what the chain adds.
NewChannels vectorChannels(int node, ChainProperty property, const Track& track,
                           const Vec3& shift) {
  NewChannels channels = emptyChannels(node, property, track.interpolation, track.times_s);
  const bool is_cubic = track.interpolation == Interpolation::kCubicSpline;
  const std::size_t stride = is_cubic ? 9 : 3;
  for (std::size_t k = 0; k < track.times_s->size(); ++k) {
    const double* key = &track.values[k * stride];
    for (int axis = 0; axis < 3; ++axis) {
      NewCurve& curve = channels.axes[toSize(axis)];
      curve.values.push_back(key[axis + (is_cubic ? 3 : 0)] - shift[axis]);
      if (!is_cubic) continue;
      curve.left_slopes.push_back(key[axis]);
      curve.right_slopes.push_back(key[axis + 6]);
    }
  }
  return channels;
}

// Angles of a linear rotation track. Players mix them one by one, which leaves the arc that the
// track means; where they leave it too far, the interval is halved.
class AngleKeys {
 public:
  AngleKeys(const EulerRotation& channel, const Track& track) : channel_(channel), track_(track) {}

  void fill(Vec3 angles_deg, NewChannels& channels) {
    for (std::size_t k = 0; k < track_.times_s->size(); ++k) {
      angles_deg = k == 0 ? anglesAt(0, angles_deg) : anglesAt(k, keys_.back().angles_deg);
      if (k == 0 || track_.interpolation == Interpolation::kStep) {
        keys_.push_back({(*track_.times_s)[k], rotationAt(k), angles_deg});
      } else {
        leadTo({(*track_.times_s)[k], rotationAt(k), angles_deg}, kMaxHalvings);
      }
    }
    writeTo(channels);
  }

 private:
  // A point at a distance of one metre is off by no more than a millimetre.
  static constexpr double kMaxOffArc_rad = 1e-3;
  static constexpr int kMaxHalvings = 6;

  struct Key {
    double time_s;
    Quat rotation;
    Vec3 angles_deg;
  };

  Quat rotationAt(std::size_t k) const {
    const double* q = &track_.values[4 * k];
    return normalizedOrIdentity(Quat(q[3], q[0], q[1], q[2]));
  }

  // Given angles hold until a key is added: those that follow may then be a revolution away.
  Vec3 anglesAt(std::size_t k, const Vec3& near_deg) const {
    const bool are_given = !track_.angles_deg.empty() && keys_.size() == k;
    return are_given ? track_.angles_deg[k] : anglesNear(channel_, rotationAt(k), near_deg);
  }

  double offArc(const Key& from, const Key& to) const {
    constexpr double kProbes[] = {0.25, 0.5, 0.75};
    const Vec3 rotated_deg = glm::abs(to.angles_deg - from.angles_deg);
    // An angle that is given half a revolution away means the longer arc.
    if (std::max({rotated_deg.x, rotated_deg.y, rotated_deg.z}) >= 180.0) return 0.0;
    const Arc arc(from.rotation, to.rotation);
    double worst_rad = 0.0;
    for (const double u : kProbes) {
      const Vec3 mixed_deg = from.angles_deg + u * (to.angles_deg - from.angles_deg);
      worst_rad = std::max(worst_rad, angleBetween(arc.at(u), localRotation(channel_, mixed_deg)));
    }
    return worst_rad;
  }

  void leadTo(const Key& to, int halvings) {
    const Key from = keys_.back();
    if (halvings == 0 || !(offArc(from, to) > kMaxOffArc_rad)) {
      keys_.push_back(to);
      return;
    }
    const Quat middle = Arc(from.rotation, to.rotation).at(0.5);
    leadTo({0.5 * (from.time_s + to.time_s), middle, anglesNear(channel_, middle, from.angles_deg)},
           halvings - 1);
    leadTo({to.time_s, to.rotation, anglesNear(channel_, to.rotation, keys_.back().angles_deg)},
           halvings - 1);
  }

  void writeTo(NewChannels& channels) const {
    std::vector<double> times_s;
    for (const Key& key : keys_) times_s.push_back(key.time_s);
    const auto shared = std::make_shared<const std::vector<double>>(std::move(times_s));
    for (int axis = 0; axis < 3; ++axis) {
      NewCurve& curve = channels.axes[toSize(axis)];
      curve.times_s = shared;
      for (const Key& key : keys_) curve.values.push_back(key.angles_deg[axis]);
    }
  }

  const EulerRotation& channel_;
  const Track& track_;
  std::vector<Key> keys_;
};

// Cubic angles as they are.
void fillCubic(const Track& track, NewChannels& channels) {
  for (std::size_t k = 0; k < track.angles_deg.size(); k += 3) {
    for (int axis = 0; axis < 3; ++axis) {
      NewCurve& curve = channels.axes[toSize(axis)];
      curve.left_slopes.push_back(track.angles_deg[k][axis]);
      curve.values.push_back(track.angles_deg[k + 1][axis]);
      curve.right_slopes.push_back(track.angles_deg[k + 2][axis]);
    }
  }
}

NewChannels angleChannels(int node, const TransformChain& chain, const Track& track) {
  NewChannels channels =
      emptyChannels(node, ChainProperty::kRotation, track.interpolation, track.times_s);
  if (hasCubicAngles(track)) {
    fillCubic(track, channels);
    return channels;
  }
  const EulerRotation channel = rotationChannel(chain);
  AngleKeys(channel, track).fill(chain.rotation_deg, channels);
  return channels;
}

// All key times of the tracks, and the frames of the clip between the first and the last.
KeyTimes denseTimes(std::span<const Track* const> tracks, const Clip& clip) {
  std::vector<double> times;
  for (const Track* track : tracks) {
    times.insert(times.end(), track->times_s->begin(), track->times_s->end());
  }
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  const TimeGrid grid = makeGrid(*first, *last, std::min(clip.fps, kMostFramesPerSecond));
  for (std::size_t f = 0; f < grid.frame_count; ++f) times.push_back(grid.timeOf(f));
  std::sort(times.begin(), times.end());
  constexpr double kSameInstant_s = 1e-7;
  std::vector<double> distinct;
  for (const double time : times) {
    if (distinct.empty() || time - distinct.back() > kSameInstant_s) distinct.push_back(time);
  }
  return std::make_shared<const std::vector<double>>(std::move(distinct));
}

// The angles of a cubic rotation, mixed one by one.
Vec3 cubicAnglesAt(const Track& track, double time_s) {
  const std::vector<double>& times = *track.times_s;
  const auto after = std::upper_bound(times.begin() + 1, times.end() - 1, time_s);
  const std::size_t k = toSize(after - times.begin()) - 1;
  const double length_s = times[k + 1] - times[k];
  const Hermite basis(std::clamp((time_s - times[k]) / length_s, 0.0, 1.0));
  const Vec3* from = &track.angles_deg[3 * k + 1];  // followed by: slopes out, slopes in, angles
  return basis.from * from[0] + basis.to * from[3] +
         length_s * (basis.out * from[1] + basis.in * from[2]);
}

std::vector<Transform> sampledLocals(const Skeleton& skeleton, const TransformChain& chain,
                                     int node, std::span<const Track* const> tracks,
                                     const Clip& clip, const std::vector<double>& times) {
  std::vector<Track> copies;
  for (const Track* track : tracks) copies.push_back(*track);
  const auto edit = keyframeSource(skeleton, std::move(copies))->cursor();
  const auto source = clip.source ? clip.source->cursor() : nullptr;
  const Track* rotation = trackOf(tracks, TrackPath::kRotation);
  const bool has_cubic_angles = rotation && hasCubicAngles(*rotation);
  Pose pose = restPose(skeleton);
  std::vector<Transform> locals;
  for (const double time : times) {
    pollCancel();
    if (source) source->sample(time, pose.view());
    edit->sample(time, pose.view());
    Transform& local = locals.emplace_back(pose.locals[toSize(node)]);
    if (has_cubic_angles) {
      local.rotation = localRotation(rotationChannel(chain), cubicAnglesAt(*rotation, time));
    }
  }
  return locals;
}

// Sampled densely: exact at every key and frame, linear between them.
std::vector<NewChannels> denseChannels(const Skeleton& skeleton, TransformChain chain, int node,
                                       std::span<const Track* const> tracks, const Clip& clip,
                                       bool bake_all) {
  const KeyTimes times = denseTimes(tracks, clip);
  constexpr Interpolation kLinear = Interpolation::kLinear;
  NewChannels translation = emptyChannels(node, ChainProperty::kTranslation, kLinear, times);
  NewChannels rotation = emptyChannels(node, ChainProperty::kRotation, kLinear, times);
  NewChannels scaling = emptyChannels(node, ChainProperty::kScaling, kLinear, times);
  for (const Transform& local : sampledLocals(skeleton, chain, node, tracks, clip, *times)) {
    const ChainChannels values = channelsOf(chain, local);
    chain.rotation_deg = values.rotation_deg;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int a = static_cast<int>(axis);
      translation.axes[axis].values.push_back(values.translation[a]);
      rotation.axes[axis].values.push_back(values.rotation_deg[a]);
      scaling.axes[axis].values.push_back(values.scaling[a]);
    }
  }
  std::vector<NewChannels> channels;
  if (bake_all || hasOffsetPivots(chain) || trackOf(tracks, TrackPath::kTranslation)) {
    channels.push_back(std::move(translation));
  }
  if (bake_all || trackOf(tracks, TrackPath::kRotation)) channels.push_back(std::move(rotation));
  if (bake_all || trackOf(tracks, TrackPath::kScale)) channels.push_back(std::move(scaling));
  return channels;
}

}  // namespace

std::vector<NewChannels> channelsFor(const Skeleton& skeleton, const TransformChain& chain,
                                     int node, std::span<const Track* const> tracks,
                                     const Clip& clip, bool bake_all) {
  const Track* translation = trackOf(tracks, TrackPath::kTranslation);
  const Track* rotation = trackOf(tracks, TrackPath::kRotation);
  const Track* scale = trackOf(tracks, TrackPath::kScale);
  const bool is_quaternion = rotation && rotation->interpolation == Interpolation::kCubicSpline &&
                             !hasCubicAngles(*rotation);
  if (bake_all || hasOffsetPivots(chain) || is_quaternion) {
    return denseChannels(skeleton, chain, node, tracks, clip, bake_all);
  }
  std::vector<NewChannels> channels;
  if (translation) {
    const Vec3 shift = localTransform(chain).translation - chain.translation;
    channels.push_back(vectorChannels(node, ChainProperty::kTranslation, *translation, shift));
  }
  if (rotation) channels.push_back(angleChannels(node, chain, *rotation));
  if (scale) channels.push_back(vectorChannels(node, ChainProperty::kScaling, *scale, Vec3(0.0)));
  return channels;
}

}  // namespace clipmill::io::fbx
