// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/root_blend.h"

#include <algorithm>

#include "scene/ground.h"
#include "scene/root_track.h"

namespace clipmill::blend {
namespace {

constexpr double kStillHeights = 0.005;  // what keeps within so many heights does not go anywhere

// Where a part is at each frame: in its clip, and on its own way through many cycles of it.
struct PartWay {
  std::vector<GroundPlace> in_clip, on_way;
};

PartWay wayOf(const Scene& scene, const Part& part, const PartPlan& plan, int carrier,
              GroundHeading heading) {
  int node = findMovingNode(scene, *part.clip, kStillHeights * figureHeight(scene));
  if (node < 0 || !isAtOrBelow(scene.skeleton, node, carrier)) node = carrier;
  const GroundTrack track(scene, *part.clip, node, heading);
  PartWay way;
  for (std::size_t frame = 0; frame < plan.time_s.size(); ++frame) {
    way.in_clip.push_back(track.at(plan.time_s[frame]));
    way.on_way.push_back(track.at(plan.time_s[frame], plan.cycles[frame]));
  }
  return way;
}

// The weights of the parts on the way to a frame from the one before it.
std::vector<double> weightsBefore(const BlendPlan& plan, double factor, std::size_t frame) {
  std::vector<double> weights(plan.parts.size());
  double others = 0.0;
  for (std::size_t i = 1; i < weights.size(); ++i) {
    weights[i] = factor * plan.parts[i].mean_weight[frame];
    others += weights[i];
  }
  weights[0] = std::max(1.0 - others, 0.0);
  return weights;
}

// Goes on with the weighted mean of the steps of all parts; the first, alone, keeps its places to
// the last bit.
std::vector<GroundPlace> blendedWay(const BlendPlan& plan, double factor,
                                    std::span<const PartWay> ways) {
  std::vector<GroundPlace> result = {ways[0].on_way.front()};
  bool is_first_alone = true;
  for (std::size_t frame = 1; frame < plan.grid.frame_count; ++frame) {
    const std::vector<double> weights = weightsBefore(plan, factor, frame);
    is_first_alone = is_first_alone && weights[0] == 1.0;
    GroundStep step;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const GroundStep own = stepBetween(ways[i].on_way[frame - 1], ways[i].on_way[frame]);
      step.ahead_m += own.ahead_m * weights[i];
      step.turn_rad += own.turn_rad * weights[i];
    }
    result.push_back(is_first_alone ? ways[0].on_way[frame] : placeAfter(result.back(), step));
  }
  return result;
}

// Goes on with the whole step of every part: those that do not play stand still.
std::vector<GroundPlace> joinedWay(const BlendPlan& plan, std::span<const PartWay> ways) {
  std::vector<GroundPlace> result = {ways[0].on_way.front()};
  for (std::size_t frame = 1; frame < plan.grid.frame_count; ++frame) {
    GroundPlace place = result.back();
    for (const PartWay& way : ways) {
      place = placeAfter(place, stepBetween(way.on_way[frame - 1], way.on_way[frame]));
    }
    result.push_back(plan.parts[0].weight[frame] == 1.0 ? ways[0].on_way[frame] : place);
  }
  return result;
}

void carry(const Scene& scene, int carrier, const PartWay& from, std::span<const GroundPlace> to,
           Motion& motion, Warnings& warnings) {
  std::vector<RootMove> moves;
  for (std::size_t frame = 0; frame < to.size(); ++frame) {
    const GroundPlace& place = from.in_clip[frame];
    moves.push_back({place.at_m, to[frame].at_m, to[frame].heading_rad - place.heading_rad});
  }
  writeMoves(scene, std::span(&carrier, 1), moves, motion, warnings);
}

}  // namespace

Result<int> findCarrier(const Scene& scene, std::span<const Part> parts, const std::string& root) {
  if (!root.empty()) return findOneNode(scene.skeleton, root, "root");
  int carrier = -1;
  for (const Part& part : parts) {
    const int node = findMovingNode(scene, *part.clip, kStillHeights * figureHeight(scene));
    if (node < 0) continue;
    if (carrier < 0 || isAtOrBelow(scene.skeleton, carrier, node)) carrier = node;
  }
  return carrier >= 0 ? carrier : nodeAboveFigure(scene);
}

RootBlend alignParts(const Scene& scene, const BlendPlan& plan, int carrier, double factor,
                     std::vector<Part>& parts, Warnings& warnings) {
  // Clips that follow one another are meant to fit, pose by pose.
  const GroundHeading heading = plan.in_turn ? GroundHeading::kOfNode : GroundHeading::kOfFigure;
  std::vector<PartWay> ways;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ways.push_back(wayOf(scene, parts[i], plan.parts[i], carrier, heading));
  }
  RootBlend blend{carrier, plan.in_turn ? joinedWay(plan, ways) : blendedWay(plan, factor, ways),
                  0.0, 0.0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    carry(scene, carrier, ways[i], blend.way, parts[i].played, warnings);
  }
  const GroundPlace &is = blend.way.back(), &was = ways.back().in_clip.back();
  blend.turn_rad = wrappedAngle(is.heading_rad - was.heading_rad);
  blend.shift_m = horizontalLength(is.at_m - was.at_m);
  return blend;
}

}  // namespace clipmill::blend
