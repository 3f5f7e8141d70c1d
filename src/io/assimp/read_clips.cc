// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "io/assimp/read_parts.h"

namespace clipmill::io::assimp {
namespace {

// The keys of one property of one node, until their times are known to be in order.
struct Keys {
  std::vector<double> times_s;
  std::vector<double> values;
};

class ClipReader {
 public:
  ClipReader(const aiAnimation& source, const NodeTable& nodes, double ticks_per_second,
             Warnings& warnings)
      : source_(source),
        nodes_(nodes),
        seconds_per_tick_(1.0 / ticks_per_second),
        warnings_(warnings) {}

  std::vector<Track> read() {
    for (unsigned c = 0; c < source_.mNumChannels; ++c) readChannel(*source_.mChannels[c]);
    return std::move(tracks_);
  }

 private:
  void readChannel(const aiNodeAnim& channel) {
    const std::string name = textOf(channel.mNodeName);
    const auto found = nodes_.by_name.find(name);
    if (found == nodes_.by_name.end()) {
      warnings_.add("channel_without_node",
                    "an animation has a channel for a node that does not exist", name);
      return;
    }
    if (nodes_.count_of.at(name) > 1) {
      warnings_.add(
          "repeated_node_name",
          "an animation names a node and several nodes have that name; the first one is used",
          name);
    }
    if (!seen_.insert(found->second).second) {
      warnings_.add("repeated_channel",
                    "an animation has two channels for one node; the first one is used", name);
      return;
    }
    const int node = found->second;
    const auto vectors = [](const aiVectorKey& key, Keys& keys) {
      keys.values.insert(keys.values.end(), {key.mValue.x, key.mValue.y, key.mValue.z});
    };
    const auto rotations = [](const aiQuatKey& key, Keys& keys) {
      Quat q = quatOf(key.mValue);
      if (!keys.values.empty()) {
        const double* last = &keys.values[keys.values.size() - 4];
        if (glm::dot(q, Quat(last[3], last[0], last[1], last[2])) < 0.0) q = -q;
      }
      keys.values.insert(keys.values.end(), {q.x, q.y, q.z, q.w});
    };
    addTrack(node, TrackPath::kTranslation, 3,
             keysOf(channel.mPositionKeys, channel.mNumPositionKeys, name, vectors));
    addTrack(node, TrackPath::kRotation, 4,
             keysOf(channel.mRotationKeys, channel.mNumRotationKeys, name, rotations));
    addTrack(node, TrackPath::kScale, 3,
             keysOf(channel.mScalingKeys, channel.mNumScalingKeys, name, vectors));
  }

  // Keys whose times do not ascend as 32-bit floats are dropped.
  template <class Key, class AddValue>
  Keys keysOf(const Key* source, unsigned count, const std::string& name, AddValue addValue) {
    Keys keys;
    for (unsigned k = 0; k < count; ++k) {
      const double time_s = source[k].mTime * seconds_per_tick_;
      const bool ascends = keys.times_s.empty() ||
                           static_cast<float>(time_s) > static_cast<float>(keys.times_s.back());
      if (!std::isfinite(time_s) || !ascends) {
        warnings_.add("key_out_of_order", "a key that is not after the key before it is dropped",
                      name);
        continue;
      }
      keys.times_s.push_back(time_s);
      addValue(source[k], keys);
    }
    return keys;
  }

  void addTrack(int node, TrackPath path, int width, Keys keys) {
    if (keys.times_s.empty()) return;
    // The three properties of a node mostly have the same times.
    if (!times_ || *times_ != keys.times_s) {
      times_ = std::make_shared<const std::vector<double>>(std::move(keys.times_s));
    }
    tracks_.push_back({node, path, Interpolation::kLinear, width, times_, std::move(keys.values)});
  }

  const aiAnimation& source_;
  const NodeTable& nodes_;
  const double seconds_per_tick_;
  Warnings& warnings_;
  std::set<int> seen_;
  std::vector<Track> tracks_;
  KeyTimes times_;
};

// glTF, and people, know no time before 0.
void startAtZero(imported::ImportedClip& clip, Warnings& warnings) {
  if (!(clip.start_s < 0.0)) return;
  warnings.add("clip_before_zero", "a clip starts before 0 s and is shifted to start at 0 s",
               clip.keys.name);
  const double shift_s = -clip.start_s;
  std::map<const void*, KeyTimes> moved;  // looked up, never walked
  for (Track& track : clip.keys.tracks) {
    KeyTimes& times = moved[track.times_s.get()];
    if (!times) {
      std::vector<double> later = *track.times_s;
      for (double& time_s : later) time_s = std::max(0.0, time_s + shift_s);
      times = std::make_shared<const std::vector<double>>(std::move(later));
    }
    track.times_s = times;
  }
  imported::setRangeFromKeys(clip);
}

std::vector<KeyTimes> timelinesOf(const std::vector<Track>& tracks) {
  std::vector<KeyTimes> timelines;
  for (const Track& track : tracks) {
    if (timelines.empty() || timelines.back() != track.times_s) timelines.push_back(track.times_s);
  }
  return timelines;
}

}  // namespace

void readClips(const aiScene& source, const NodeTable& nodes, const std::string& name,
               double default_ticks_per_second, imported::ImportedScene& imported) {
  Warnings& warnings = imported.scene.warnings;
  for (unsigned a = 0; a < source.mNumAnimations; ++a) {
    const aiAnimation& animation = *source.mAnimations[a];
    imported::ImportedClip clip;
    clip.keys.name = textOf(animation.mName);
    if (clip.keys.name.empty()) clip.keys.name = name;
    double ticks_per_second = animation.mTicksPerSecond;
    if (!(ticks_per_second > 0.0) || !std::isfinite(ticks_per_second)) {
      ticks_per_second = default_ticks_per_second;
    }
    if (animation.mNumMeshChannels + animation.mNumMorphMeshChannels > 0) {
      warnings.add("vertex_animation", "vertex and morph weight animation is dropped",
                   clip.keys.name, animation.mNumMeshChannels + animation.mNumMorphMeshChannels);
    }
    clip.keys.tracks = ClipReader(animation, nodes, ticks_per_second, warnings).read();
    if (clip.keys.tracks.empty()) {
      warnings.add("clip_without_keys", "a clip has no keys and is dropped", clip.keys.name);
      continue;
    }
    imported::setRangeFromKeys(clip);
    startAtZero(clip, warnings);
    clip.fps = inferFrameRate(clip.start_s, timelinesOf(clip.keys.tracks));
    imported.clips.push_back(std::move(clip));
  }
}

}  // namespace clipmill::io::assimp
