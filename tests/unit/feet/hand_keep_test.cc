// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/feet/hand_keep.h"

#include "checks.h"
#include "scene/clip_transfer.h"
#include "scene/make_figure.h"

using namespace clipmill;
using namespace clipmill::test;
using Role = HumanoidRole;

TEST_SUITE_BEGIN("feet.hand_keep");

namespace {

Motion transferredTo(const Figure& target, Figure& source, const Motion& motion) {
  const auto match = matchNodes(source.scene, source.scene.clips[0].animated, source.map,
                                target.scene, target.map);
  CHECK_OK(match);
  auto result = transferClip(source.scene, motion, target.scene, *match);
  CHECK_OK(result);
  return result->motion;
}

Vec3 placeOf(const Figure& figure, const Motion& motion, std::size_t frame, Role role) {
  return placesIn(figure.scene, motion, frame)[static_cast<std::size_t>(figure.map[role])];
}

// The figure with shoulders wider apart, and as long arms.
Figure broadFigure(double wider_m) {
  FigureOptions options;
  options.prefix = "broad_";
  Figure figure = makeFigure(options);
  for (const auto& [role, side] :
       {std::pair(Role::kLeftUpperArm, 1.0), std::pair(Role::kRightUpperArm, -1.0)}) {
    figure.scene.skeleton.nodes[static_cast<std::size_t>(figure.map[role])].rest.translation.x +=
        side * wider_m;
  }
  return figure;
}

HandKeepReport keep(Figure& source, const Motion& motion, const Figure& target, Motion& result) {
  return keepHands(source.scene, source.map, motion, target.scene, target.map, result);
}

}  // namespace

TEST_CASE("hands of a figure of the same shape stay where they are, bit for bit") {
  Figure source = makeFigure();
  const Motion motion = danceOf(source);
  FigureOptions options;
  options.prefix = "x";
  options.size = 1.3;
  const Figure target = makeFigure(options);
  Motion result = transferredTo(target, source, motion);
  const Motion before = result;
  CHECK(keep(source, motion, target, result).farthest_m < 1e-9);
  CHECK(result.locals == before.locals);
}

TEST_CASE("hands that are so far apart stay so on a figure with broader shoulders") {
  Figure source = makeFigure();
  const Motion motion = danceOf(source);
  const Figure target = broadFigure(0.1);
  Motion result = transferredTo(target, source, motion);
  const auto apart = [](const Figure& figure, const Motion& of, std::size_t frame) {
    return glm::length(placeOf(figure, of, frame, Role::kLeftHand) -
                       placeOf(figure, of, frame, Role::kRightHand));
  };
  CHECK(std::abs(apart(target, result, 20) - apart(source, motion, 20)) > 0.1);
  const Motion before = result;
  const HandKeepReport report = keep(source, motion, target, result);
  CHECK(report.found_arms);
  CHECK(report.farthest_m > 0.05);
  for (const std::size_t frame : {5u, 12u, 20u}) {
    CHECK(apart(target, result, frame) ==
          doctest::Approx(apart(source, motion, frame)).epsilon(0.02));
    // Arms keep their lengths, and what is no arm its place.
    CHECK(placeOf(target, result, frame, Role::kHead) ==
          placeOf(target, before, frame, Role::kHead));
    const double arm = glm::length(placeOf(target, result, frame, Role::kLeftHand) -
                                   placeOf(target, result, frame, Role::kLeftLowerArm));
    CHECK(arm == doctest::Approx(0.25).epsilon(1e-9));
  }
}

TEST_CASE("a figure without arms is told, and left alone") {
  Figure source = makeFigure();
  const Motion motion = danceOf(source);
  FigureOptions options;
  options.prefix = "x";
  Figure target = makeFigure(options);
  Motion result = transferredTo(target, source, motion);
  const Motion before = result;
  target.map.nodes[static_cast<std::size_t>(Role::kLeftHand)] = -1;
  CHECK_FALSE(keep(source, motion, target, result).found_arms);
  CHECK(result.locals == before.locals);
}

TEST_SUITE_END();
