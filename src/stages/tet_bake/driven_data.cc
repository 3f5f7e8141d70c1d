// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/driven_data.h"

#include <algorithm>
#include <set>

#include "core/to_size.h"
#include "stages/tet_bake/drivers/driver_text.h"
#include "stages/tet_bake/drivers/pose_samples.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr const char* kDriversKey = "clipmill_drivers";
constexpr const char* kDriversEnding = ".drivers.json";
constexpr std::size_t kMaxClipFrames = 300;
// Parts of the examples for cross-validation.
constexpr std::size_t kDriverParts = 4;
// All samples together weigh as much as so many times all frames of the clips.
constexpr double kSamplesWeight = 0.5;

// The part of the frames of a clip, by clip where there are enough of them.
int driverPartOf(std::size_t clip, std::size_t clip_count, std::size_t frame,
                 std::size_t frame_count) {
  if (clip_count >= kDriverParts) return static_cast<int>(clip % kDriverParts);
  return static_cast<int>((clip + kDriverParts * frame / frame_count) % kDriverParts);
}

}  // namespace

DrivenData::DrivenData(const StageInput& input, const TetBakeSettings& settings, const BakeRig& rig)
    : scene_(input.scene),
      settings_(settings),
      rig_(rig),
      threads_(input.threads),
      clip_count_(input.motions.size()),
      bind_(input.scene, rig.bones) {
  const std::span<const Motion> motions = input.motions;
  const std::vector<char> is_animated = animatedNodes(scene_.skeleton, motions);
  joints_ = jointsOfRegions(rig.surface, scene_.skeleton, rig.regions, is_animated);
  motions_.assign(motions.begin(), motions.end());
  addSamples();
  for (const Motion& motion : motions_) addPoses(motion);
}

Result<Baked> DrivenData::solve() const {
  return bakeMotions(scene_, rig_, motions_, settings_, threads_);
}

std::vector<Affine> DrivenData::worldsOf(const Baked& baked, std::size_t column) const {
  const std::size_t motion = motionOf(baked, column);
  return worldsAt(scene_, rig_, motions_[motion], column - baked.start[motion]);
}

DriverFrames DrivenData::framesFor(const Baked& baked, std::optional<std::size_t> left_out) const {
  DriverFrames frames;
  const std::size_t clip_frames = baked.start[clip_count_];
  const std::size_t step =
      std::max<std::size_t>(1, (clip_frames + kMaxClipFrames - 1) / kMaxClipFrames);
  for (std::size_t m = 0; m < clip_count_; ++m) {
    if (left_out && m % kClipHalves == *left_out) continue;
    const std::size_t count = baked.start[m + 1] - baked.start[m];
    // Frames of a clip are counted from the start of all, so that short clips have some too.
    for (std::size_t f = (step - baked.start[m] % step) % step; f < count; f += step) {
      frames.columns.push_back(baked.start[m] + f);
      frames.parts.push_back(driverPartOf(m, clip_count_, f, count));
    }
  }
  frames.weights.assign(frames.columns.size(), 1.0);
  if (motions_.size() > clip_count_) addSamplesTo(baked, left_out, frames);
  return frames;
}

void DrivenData::addSamplesTo(const Baked& baked, std::optional<std::size_t> left_out,
                              DriverFrames& frames) const {
  const auto clip_frames = static_cast<double>(frames.columns.size());
  const std::size_t first = baked.start[clip_count_];
  const std::size_t count = baked.start.back() - first;
  for (std::size_t s = 0; s < count; ++s) {
    if (left_out && s % kClipHalves == *left_out) continue;
    frames.columns.push_back(first + s);
    frames.parts.push_back(static_cast<int>(s % kDriverParts));
  }
  const double samples = static_cast<double>(frames.columns.size()) - clip_frames;
  frames.weights.resize(frames.columns.size(), kSamplesWeight * clip_frames / samples);
}

void DrivenData::addDriverFiles(std::span<const PoseDriver> drivers,
                                std::span<const std::string> constant, Additions& additions) const {
  if (drivers.empty()) return;
  const auto textOf = [&](bool with_lines) {
    return driversJson(scene_.skeleton, bind_, drivers, constant, with_lines);
  };
  const std::string lines = textOf(true) + "\n";
  const auto bytes = asBytes(lines);
  additions.files.push_back({kDriversEnding, Bytes(bytes.begin(), bytes.end())});
  additions.extras.push_back({kDriversKey, textOf(false)});
}

void DrivenData::addSamples() {
  std::set<int> nodes;
  for (const std::vector<int>& joints : joints_) nodes.insert(joints.begin(), joints.end());
  const auto count = settings_.pose_samples.value_or(kDefaultPoseSamples);
  if (count == 0 || nodes.empty() || clip_count_ == 0) return;
  const double variation_deg = settings_.pose_variation_deg.value_or(kDefaultPoseVariation_deg);
  const std::vector<int> all(nodes.begin(), nodes.end());
  Motion samples =
      samplePoses(scene_, bind_, motions_, all, {toSize(count), variation_deg * kDegree});
  motions_.push_back(std::move(samples));
}

void DrivenData::addPoses(const Motion& motion) {
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    std::vector<Quat>& pose = poses_.emplace_back();
    for (std::size_t n = 0; n < scene_.skeleton.size(); ++n) {
      pose.push_back(bind_.relative(static_cast<int>(n), motion.localsOf(f)));
    }
  }
}

}  // namespace clipmill::stages::tet_bake
