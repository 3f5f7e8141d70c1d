// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The format is that of Biovision; described by M. Meredith and S. Maddock, "Motion Capture File
// Formats Explained", University of Sheffield CS-01-11, section 3. Where it leaves open whether a
// position channel adds to the OFFSET or replaces it, we follow Blender and Assimp: it replaces.
#include "io/bvh/read.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "anim/pose.h"
#include "core/file.h"
#include "core/text.h"
#include "io/bvh/words.h"
#include "scene/stick_mesh.h"

namespace clipmill::bvh {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr double kShortestFrame_s = 1e-6, kLongestFrame_s = 1e6;
constexpr double kMostNodes = 1e6;
// A node, its bind matrix, its bone and what is kept of its names, roughly.
constexpr double kBytesOfNode = 2048.0;

struct Channel {
  bool turns = false;
  int axis = 0;
};

// A joint's channels stand side by side in every frame, joint after joint in the file's order.
struct Hierarchy {
  Skeleton skeleton;
  std::vector<std::vector<Channel>> channels;  // of every node
  std::size_t channel_count = 0;
};

struct Motion {
  std::size_t frame_count = 0;
  double frame_s = 0.0;
  std::vector<Track> tracks;
};

std::string_view withoutByteOrderMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// -- Hierarchy

std::optional<Channel> channelOf(std::string_view word) {
  constexpr std::string_view kAxes = "xyz";
  if (word.empty()) return std::nullopt;
  const std::size_t axis = kAxes.find(static_cast<char>(word.front() | 0x20));
  if (axis == std::string_view::npos) return std::nullopt;
  const bool turns = isWord(word.substr(1), "rotation");
  if (!turns && !isWord(word.substr(1), "position")) return std::nullopt;
  return Channel{turns, static_cast<int>(axis)};
}

class HierarchyReader {
 public:
  HierarchyReader(Words& words, const io::Limits& limits) : words_(words), limits_(limits) {}

  // Up to and with the word MOTION.
  Result<Hierarchy> read() {
    CLIPMILL_CHECK(words_.expect("HIERARCHY"));
    while (true) {
      const std::string_view word = words_.next();
      if (word.empty()) return words_.fault("ends before its MOTION");
      if (isWord(word, "MOTION")) break;
      CLIPMILL_CHECK(readEntry(word));
    }
    if (!open_.empty()) return words_.fault("has MOTION inside a joint: a '}' is missing");
    if (hierarchy_.skeleton.nodes.empty()) return words_.fault("has no ROOT");
    return std::move(hierarchy_);
  }

 private:
  Status readEntry(std::string_view word) {
    if (isWord(word, "ROOT") && open_.empty()) return beginJoint();
    if (isWord(word, "JOINT") && isInJoint()) return beginJoint();
    if (isWord(word, "End") && isInJoint()) {
      CLIPMILL_CHECK(words_.expect("Site"));
      words_.restOfLine();  // some writers give a name
      return beginNode(node(open_.back()).name + "_End", true);
    }
    if (word == "}" && !open_.empty()) {
      open_.pop_back();
      is_end_site_ = false;
      return {};
    }
    if (isWord(word, "OFFSET") && !open_.empty()) return readOffset();
    if (isWord(word, "CHANNELS") && isInJoint()) return readChannels();
    return words_.fault("has '" + std::string(word) + "' where it does not belong");
  }

  bool isInJoint() const { return !open_.empty() && !is_end_site_; }
  Node& node(int index) { return hierarchy_.skeleton.nodes[static_cast<std::size_t>(index)]; }

  Status beginJoint() {
    std::string name(words_.restOfLine());
    if (name.empty()) name = "#" + std::to_string(hierarchy_.skeleton.size());
    return beginNode(std::move(name), false);
  }

  Status beginNode(std::string name, bool is_end_site) {
    CLIPMILL_CHECK(words_.expect("{"));
    const std::size_t index = hierarchy_.skeleton.size();
    name_bytes_ += static_cast<double>(name.size());
    const double bytes = kBytesOfNode * static_cast<double>(index) + name_bytes_;
    if (static_cast<int>(open_.size()) >= limits_.max_depth ||
        static_cast<double>(index) >= kMostNodes ||
        !(bytes <= static_cast<double>(limits_.max_decoded_bytes))) {
      Error error = words_.fault("has too many joints, or joints nested too deeply");
      error.code = ErrorCode::kLimit;
      return error;
    }
    Node added;
    added.name = std::move(name);
    added.parent = open_.empty() ? -1 : open_.back();
    added.source_id = static_cast<int>(index);
    hierarchy_.skeleton.nodes.push_back(std::move(added));
    hierarchy_.channels.emplace_back();
    open_.push_back(static_cast<int>(index));
    is_end_site_ = is_end_site;
    return {};
  }

  Status readOffset() {
    Vec3& offset = node(open_.back()).rest.translation;
    for (int axis = 0; axis < 3; ++axis) {
      CLIPMILL_TRY(offset[axis], words_.number());
    }
    return {};
  }

  Status readChannels() {
    std::vector<Channel>& channels = hierarchy_.channels[static_cast<std::size_t>(open_.back())];
    if (!channels.empty()) return words_.fault("gives a joint CHANNELS twice");
    CLIPMILL_TRY(const double count, words_.number());
    constexpr double kMost = 64.0;
    if (!(count >= 0.0 && count <= kMost && count == std::floor(count))) {
      return words_.fault("gives a joint " + numberText(count) + " channels");
    }
    for (double i = 0.0; i < count; ++i) {
      const std::string word(words_.next());
      const auto channel = channelOf(word);
      if (!channel) {
        Error error = words_.fault("has a channel '" + word + "'");
        error.code = ErrorCode::kUnsupported;
        error.remedy = "channels are Xposition to Zposition and Xrotation to Zrotation";
        return error;
      }
      channels.push_back(*channel);
    }
    hierarchy_.channel_count += channels.size();
    return {};
  }

  Words& words_;
  const io::Limits& limits_;
  Hierarchy hierarchy_;
  std::vector<int> open_;  // nodes whose brace is open, outermost first
  bool is_end_site_ = false;
  double name_bytes_ = 0.0;
};

// -- Motion

// What one node does in one frame, and the tracks that it goes to.
struct Mover {
  std::size_t node = 0;
  bool moves = false, turns = false;
  std::vector<double> positions, rotations;
};

Vec3 axisOf(int axis) {
  Vec3 unit(0.0);
  unit[axis] = 1.0;
  return unit;
}

Status readFrame(Words& words, const Hierarchy& hierarchy, std::vector<Mover>& movers) {
  for (Mover& mover : movers) {
    Vec3 position = hierarchy.skeleton.nodes[mover.node].rest.translation;
    Quat rotation = kIdentityRotation;
    for (const Channel& channel : hierarchy.channels[mover.node]) {
      CLIPMILL_TRY(const double value, words.number());
      if (channel.turns) {
        // Whole turns are taken off in degrees, where they are exact.
        const double angle = std::fmod(value, 360.0) * kDegree;
        rotation = rotation * rotationAbout(axisOf(channel.axis), angle);
      } else {
        position[channel.axis] = value;
      }
    }
    if (mover.moves) {
      mover.positions.insert(mover.positions.end(), {position.x, position.y, position.z});
    }
    if (!mover.turns) continue;
    rotation = normalizedOrIdentity(rotation);
    if (!mover.rotations.empty()) {
      const double* last = &mover.rotations[mover.rotations.size() - 4];
      if (glm::dot(rotation, Quat(last[3], last[0], last[1], last[2])) < 0.0) rotation = -rotation;
    }
    mover.rotations.insert(mover.rotations.end(), {rotation.x, rotation.y, rotation.z, rotation.w});
  }
  return {};
}

std::vector<Mover> moversOf(const Hierarchy& hierarchy) {
  std::vector<Mover> movers;
  for (std::size_t n = 0; n < hierarchy.skeleton.size(); ++n) {
    Mover mover{n, false, false, {}, {}};
    for (const Channel& channel : hierarchy.channels[n]) {
      (channel.turns ? mover.turns : mover.moves) = true;
    }
    if (mover.moves || mover.turns) movers.push_back(std::move(mover));
  }
  return movers;
}

std::vector<Track> tracksOf(std::vector<Mover> movers, const KeyTimes& times) {
  std::vector<Track> tracks;
  for (Mover& mover : movers) {
    const int node = static_cast<int>(mover.node);
    if (mover.moves) {
      tracks.push_back({node, TrackPath::kTranslation, Interpolation::kLinear, 3, times,
                        std::move(mover.positions)});
    }
    if (mover.turns) {
      tracks.push_back({node, TrackPath::kRotation, Interpolation::kLinear, 4, times,
                        std::move(mover.rotations)});
    }
  }
  return tracks;
}

// How many frames the text can hold and the limits allow.
Status checkFrameCount(const Words& words, const Hierarchy& hierarchy, double count,
                       const io::Limits& limits) {
  if (!(count >= 0.0 && count == std::floor(count))) {
    return words.fault("has a number of frames that is none");
  }
  const double numbers = count * static_cast<double>(hierarchy.channel_count);
  if (numbers > static_cast<double>(words.bytesLeft() + 1) / 2.0) {
    return words.fault("promises " + numberText(count) + " frames and is too short for them");
  }
  constexpr double kWidestJoint = 4.0 * sizeof(double);  // one channel becomes a quaternion
  if (!(numbers * kWidestJoint <= static_cast<double>(limits.max_decoded_bytes))) {
    return Error{ErrorCode::kLimit, "", "decodes to more than the limit",
                 "raise --max-decoded-mb if the file is meant to be that large"};
  }
  return {};
}

Result<Motion> readMotion(Words& words, const Hierarchy& hierarchy, const io::Limits& limits) {
  Motion motion;
  CLIPMILL_CHECK(words.expect("Frames:"));
  CLIPMILL_TRY(const double count, words.number());
  CLIPMILL_CHECK(words.expect("Frame"));
  CLIPMILL_CHECK(words.expect("Time:"));
  CLIPMILL_TRY(motion.frame_s, words.number());
  CLIPMILL_CHECK(checkFrameCount(words, hierarchy, count, limits));
  if (hierarchy.channel_count == 0) return motion;
  motion.frame_count = static_cast<std::size_t>(count);
  if (count > 1.0 && !(motion.frame_s >= kShortestFrame_s && motion.frame_s <= kLongestFrame_s)) {
    return words.fault("has a Frame Time of " + numberText(motion.frame_s) + " s");
  }
  std::vector<Mover> movers = moversOf(hierarchy);
  auto times = std::make_shared<std::vector<double>>();
  for (std::size_t frame = 0; frame < motion.frame_count; ++frame) {
    times->push_back(static_cast<double>(frame) * motion.frame_s);
    CLIPMILL_CHECK(readFrame(words, hierarchy, movers));
  }
  motion.tracks = tracksOf(std::move(movers), times);
  return motion;
}

// -- Units and axes

struct Unit {
  const char* name;
  double metres;
};

// The longest chain of bones from a root to a tip is about 1.3 m for a person (hips to fingers).
// Of the units in use (metres, inches as in Biovision's own files, centimetres) the one is taken
// that brings the chain nearest to that; the bounds are the geometric means, rounded.
Unit readUnit(const Skeleton& skeleton) {
  constexpr double kLongestInMetres = 8.0, kLongestInInches = 80.0;
  std::vector<double> length(skeleton.size(), 0.0);
  double longest = 0.0;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Node& node = skeleton.nodes[n];
    if (node.parent < 0) continue;
    const Vec3& bone = node.rest.translation;
    length[n] = length[static_cast<std::size_t>(node.parent)] + std::sqrt(glm::dot(bone, bone));
    longest = std::max(longest, length[n]);
  }
  if (longest <= kLongestInMetres) return {"metres", 1.0};
  if (longest <= kLongestInInches) return {"inches", 0.0254};
  return {"centimetres", 0.01};
}

Vec3 extentOf(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Affine> worlds;
  computeWorlds(skeleton, pose.locals, Affine{}, worlds);
  Vec3 low = worlds.front().translation, high = low;
  for (const Affine& world : worlds) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], world.translation[axis]);
      high[axis] = std::max(high[axis], world.translation[axis]);
    }
  }
  return high - low;
}

// A clip of somebody who lies has a rest pose that stands, and an odd rest pose has a clip that
// stands: only where both are much higher along z than along y, z is up.
bool isZUp(const Skeleton& skeleton, const Motion& motion) {
  constexpr double kFlatRest = 3.0, kFlatMotion = 2.0;
  constexpr std::size_t kPoses = 16;
  Pose pose = restPose(skeleton);
  const Vec3 rest = extentOf(skeleton, pose);
  if (!(rest.z > kFlatRest * rest.y)) return false;
  if (motion.frame_count == 0) return true;
  const auto cursor = keyframeSource(skeleton, motion.tracks)->cursor();
  Vec3 sum(0.0);
  for (std::size_t i = 0; i < kPoses; ++i) {
    const double frame = static_cast<double>((motion.frame_count - 1) * i / (kPoses - 1));
    cursor->sample(frame * motion.frame_s, pose.view());
    sum += extentOf(skeleton, pose);
  }
  return sum.z > kFlatMotion * sum.y;
}

Affine metricFromFile(const Skeleton& skeleton, const Motion& motion, const std::string& place,
                      Warnings& warnings) {
  const Unit unit = readUnit(skeleton);
  warnings.add("bvh_unit",
               std::string("BVH does not tell its unit of length: by the size of the skeleton it "
                           "is taken to be ") +
                   unit.name,
               place);
  Affine metric;
  if (isZUp(skeleton, motion)) {
    warnings.add("bvh_up_axis",
                 "BVH does not tell which axis is up: by rest pose and motion it is taken to be z",
                 place);
    metric.linear = Mat3(1, 0, 0, 0, 0, -1, 0, 1, 0);
  }
  metric.linear *= unit.metres;
  return metric;
}

}  // namespace

bool looksLikeBvh(std::span<const std::byte> bytes) {
  constexpr std::size_t kEnough = 256;
  const std::string_view text = asText(bytes.first(std::min(bytes.size(), kEnough)));
  Words words(withoutByteOrderMark(text));
  return isWord(words.next(), "HIERARCHY");
}

Result<io::ImportedScene> readBvh(std::string_view text, const std::string& name,
                                  const io::Limits& limits) {
  Words words(withoutByteOrderMark(text));
  CLIPMILL_TRY(Hierarchy hierarchy, HierarchyReader(words, limits).read());
  CLIPMILL_TRY(Motion motion, readMotion(words, hierarchy, limits));
  io::ImportedScene imported;
  imported.format = "BVH";
  if (!words.next().empty()) {
    imported.scene.warnings.add("text_behind_frames",
                                "something stands behind the last frame and is left out", name);
  }
  imported.scene.skeleton = std::move(hierarchy.skeleton);
  imported.scene.metric_from_file =
      metricFromFile(imported.scene.skeleton, motion, name, imported.scene.warnings);
  if (motion.frame_count > 0) {
    io::ImportedClip clip;
    clip.keys = {name, std::move(motion.tracks)};
    if (motion.frame_count > 1) clip.fps = 1.0 / motion.frame_s;
    io::setRangeFromKeys(clip);
    imported.clips.push_back(std::move(clip));
  }
  addStickMesh(imported.scene);
  return imported;
}

}  // namespace clipmill::bvh
