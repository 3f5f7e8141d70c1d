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

#include "core/file.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/bvh/space.h"
#include "io/bvh/tokens.h"
#include "scene/stick_mesh.h"

namespace clipmill::io::bvh {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr double kMinFrame_s = 1e-6, kMaxFrame_s = 1e6;
constexpr double kMostNodes = 1e6;
// A node, its bind matrix, its bone and what is kept of its names, roughly.
constexpr double kBytesOfNode = 2048.0;

struct Channel {
  bool is_rotation = false;
  int axis = 0;
};

// Every frame has the channels of all joints, in the file's order.
struct Hierarchy {
  Skeleton skeleton;
  std::vector<std::vector<Channel>> channels;  // of every node
  std::size_t channel_count = 0;
};

std::string_view withoutByteOrderMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// -- Hierarchy

std::optional<Channel> channelOf(std::string_view token) {
  constexpr std::string_view kAxes = "xyz";
  if (token.empty()) return std::nullopt;
  const std::size_t axis = kAxes.find(static_cast<char>(token.front() | 0x20));
  if (axis == std::string_view::npos) return std::nullopt;
  const bool is_rotation = equalsIgnoringCase(token.substr(1), "rotation");
  if (!is_rotation && !equalsIgnoringCase(token.substr(1), "position")) return std::nullopt;
  return Channel{is_rotation, static_cast<int>(axis)};
}

class HierarchyReader {
 public:
  HierarchyReader(Tokens& tokens, const io::Limits& limits) : tokens_(tokens), limits_(limits) {}

  // Up to and with the token MOTION.
  Result<Hierarchy> read() {
    CLIPMILL_CHECK(tokens_.expect("HIERARCHY"));
    while (true) {
      const std::string_view token = tokens_.next();
      if (token.empty()) return tokens_.fault("ends before its MOTION");
      if (equalsIgnoringCase(token, "MOTION")) break;
      CLIPMILL_CHECK(readEntry(token));
    }
    if (!open_.empty()) return tokens_.fault("has MOTION inside a joint: a '}' is missing");
    if (hierarchy_.skeleton.nodes.empty()) return tokens_.fault("has no ROOT");
    return std::move(hierarchy_);
  }

 private:
  Status readEntry(std::string_view token) {
    if (equalsIgnoringCase(token, "ROOT") && open_.empty()) return startJoint();
    if (equalsIgnoringCase(token, "JOINT") && isInJoint()) return startJoint();
    if (equalsIgnoringCase(token, "End") && isInJoint()) {
      CLIPMILL_CHECK(tokens_.expect("Site"));
      tokens_.restOfLine();  // some writers give a name
      return startNode(node(open_.back()).name + "_End", true);
    }
    if (token == "}" && !open_.empty()) {
      open_.pop_back();
      is_end_site_ = false;
      return {};
    }
    if (equalsIgnoringCase(token, "OFFSET") && !open_.empty()) return readOffset();
    if (equalsIgnoringCase(token, "CHANNELS") && isInJoint()) return readChannels();
    return tokens_.fault("has '" + std::string(token) + "' where it is not allowed");
  }

  bool isInJoint() const { return !open_.empty() && !is_end_site_; }
  Node& node(int index) { return hierarchy_.skeleton.nodes[toSize(index)]; }

  Status startJoint() {
    std::string name(tokens_.restOfLine());
    if (name.empty()) name = "#" + std::to_string(hierarchy_.skeleton.size());
    return startNode(std::move(name), false);
  }

  Status startNode(std::string name, bool is_end_site) {
    CLIPMILL_CHECK(tokens_.expect("{"));
    const std::size_t index = hierarchy_.skeleton.size();
    name_bytes_ += static_cast<double>(name.size());
    const double bytes = kBytesOfNode * static_cast<double>(index) + name_bytes_;
    if (static_cast<int>(open_.size()) >= limits_.max_depth ||
        static_cast<double>(index) >= kMostNodes ||
        !(bytes <= static_cast<double>(limits_.max_decoded_bytes))) {
      Error error = tokens_.fault("exceeds the limit for the number or depth of joints");
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
      CLIPMILL_TRY(offset[axis], tokens_.number());
    }
    return {};
  }

  Status readChannels() {
    std::vector<Channel>& channels = hierarchy_.channels[toSize(open_.back())];
    if (!channels.empty()) return tokens_.fault("has CHANNELS twice in one joint");
    CLIPMILL_TRY(const double count, tokens_.number());
    constexpr double kMaxChannels = 64.0;
    if (!(count >= 0.0 && count <= kMaxChannels && count == std::floor(count))) {
      return tokens_.fault("has a joint with " + numberText(count) + " channels");
    }
    for (double i = 0.0; i < count; ++i) {
      const std::string token(tokens_.next());
      const auto channel = channelOf(token);
      if (!channel) {
        Error error = tokens_.fault("has a channel '" + token + "'");
        error.code = ErrorCode::kUnsupported;
        error.remedy = "channels are Xposition to Zposition and Xrotation to Zrotation";
        return error;
      }
      channels.push_back(*channel);
    }
    hierarchy_.channel_count += channels.size();
    return {};
  }

  Tokens& tokens_;
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
  bool moves = false, rotates = false;
  std::vector<double> positions, rotations;
};

Vec3 axisOf(int axis) {
  Vec3 unit(0.0);
  unit[axis] = 1.0;
  return unit;
}

Status readFrame(Tokens& tokens, const Hierarchy& hierarchy, std::vector<Mover>& movers) {
  for (Mover& mover : movers) {
    Vec3 position = hierarchy.skeleton.nodes[mover.node].rest.translation;
    Quat rotation = kIdentityRotation;
    for (const Channel& channel : hierarchy.channels[mover.node]) {
      CLIPMILL_TRY(const double value, tokens.number());
      if (channel.is_rotation) {
        // Full rotations are subtracted in degrees, where this is exact.
        const double angle = std::fmod(value, 360.0) * kDegree;
        rotation = rotation * rotationAbout(axisOf(channel.axis), angle);
      } else {
        position[channel.axis] = value;
      }
    }
    if (mover.moves) {
      mover.positions.insert(mover.positions.end(), {position.x, position.y, position.z});
    }
    if (!mover.rotates) continue;
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
      (channel.is_rotation ? mover.rotates : mover.moves) = true;
    }
    if (mover.moves || mover.rotates) movers.push_back(std::move(mover));
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
    if (mover.rotates) {
      tracks.push_back({node, TrackPath::kRotation, Interpolation::kLinear, 4, times,
                        std::move(mover.rotations)});
    }
  }
  return tracks;
}

// How many frames the text can hold and the limits allow.
Status checkFrameCount(const Tokens& tokens, const Hierarchy& hierarchy, double count,
                       const io::Limits& limits) {
  if (!(count >= 0.0 && count == std::floor(count))) {
    return tokens.fault("has an invalid number of frames");
  }
  const double numbers = count * static_cast<double>(hierarchy.channel_count);
  if (numbers > static_cast<double>(tokens.bytesLeft() + 1) / 2.0) {
    return tokens.fault("declares " + numberText(count) + " frames, but is too short");
  }
  constexpr double kMaxBytesPerNumber = 4.0 * sizeof(double);  // one channel becomes a quaternion
  if (!(numbers * kMaxBytesPerNumber <= static_cast<double>(limits.max_decoded_bytes))) {
    return Error{ErrorCode::kLimit, "", "decodes to more than the limit",
                 "raise --max-decoded-mb if the file is meant to be that large"};
  }
  return {};
}

Result<FileMotion> readMotion(Tokens& tokens, const Hierarchy& hierarchy,
                              const io::Limits& limits) {
  FileMotion motion;
  CLIPMILL_CHECK(tokens.expect("Frames:"));
  CLIPMILL_TRY(const double count, tokens.number());
  CLIPMILL_CHECK(tokens.expect("Frame"));
  CLIPMILL_CHECK(tokens.expect("Time:"));
  CLIPMILL_TRY(motion.frame_s, tokens.number());
  CLIPMILL_CHECK(checkFrameCount(tokens, hierarchy, count, limits));
  if (hierarchy.channel_count == 0) return motion;
  motion.frame_count = toSize(count);
  if (count > 1.0 && !(motion.frame_s >= kMinFrame_s && motion.frame_s <= kMaxFrame_s)) {
    return tokens.fault("has a Frame Time of " + numberText(motion.frame_s) + " s");
  }
  std::vector<Mover> movers = moversOf(hierarchy);
  auto times = std::make_shared<std::vector<double>>();
  for (std::size_t frame = 0; frame < motion.frame_count; ++frame) {
    times->push_back(static_cast<double>(frame) * motion.frame_s);
    CLIPMILL_CHECK(readFrame(tokens, hierarchy, movers));
  }
  motion.tracks = tracksOf(std::move(movers), times);
  return motion;
}

}  // namespace

bool looksLikeBvh(std::span<const std::byte> bytes) {
  constexpr std::size_t kEnough = 256;
  const std::string_view text = asText(bytes.first(std::min(bytes.size(), kEnough)));
  Tokens tokens(withoutByteOrderMark(text));
  return equalsIgnoringCase(tokens.next(), "HIERARCHY");
}

Result<imported::ImportedScene> readBvh(std::string_view text, const std::string& name,
                                        const io::Limits& limits) {
  Tokens tokens(withoutByteOrderMark(text));
  CLIPMILL_TRY(Hierarchy hierarchy, HierarchyReader(tokens, limits).read());
  CLIPMILL_TRY(FileMotion motion, readMotion(tokens, hierarchy, limits));
  imported::ImportedScene imported;
  imported.format = "BVH";
  if (!tokens.next().empty()) {
    imported.scene.warnings.add("text_after_frames", "text after the last frame is ignored", name);
  }
  imported.scene.skeleton = std::move(hierarchy.skeleton);
  setSpaceAndRest(motion, name, imported.scene);
  if (motion.frame_count > 0) {
    imported::ImportedClip clip;
    clip.keys = {name, std::move(motion.tracks)};
    if (motion.frame_count > 1) clip.fps = 1.0 / motion.frame_s;
    imported::setRangeFromKeys(clip);
    imported.clips.push_back(std::move(clip));
  }
  addStickMesh(imported.scene);
  return imported;
}

}  // namespace clipmill::io::bvh
