// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/foot_lock.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "make_samples/gait.h"
#include "make_samples/leap.h"
#include "scene/figure_scene.h"
#include "scene/foot_contacts.h"
#include "scene/foot_skate.h"

TEST_SUITE_BEGIN("stretch.foot_lock");

using namespace clipmill;
using namespace clipmill::test;

namespace {

struct Figure {
  explicit Figure(const KeyframeClip& clip, const FileSpace& space = {}, double fps = 30.0)
      : scene(figureScene(samples::makeBodyRig(), clip, space)),
        map(figureMap(scene)),
        root(nodeOf(scene, "Root")),
        source(sampled(scene, fps)) {}

  // The source with the way of its root made longer along its own net direction.
  Motion stretchedBy(double factor) const {
    Motion motion = source;
    const Vec3 begin = source.localsOf(0)[static_cast<std::size_t>(root)].translation;
    for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
      Vec3& place = motion.frame(i).locals[static_cast<std::size_t>(root)].translation;
      place = begin + (place - begin) * factor;
    }
    motion.touched.set(root, TrackPath::kTranslation);
    return motion;
  }

  Vec3 placeOf(const Motion& motion, const char* joint, std::size_t frame) const {
    return worldsAt(scene, motion, frame)[static_cast<std::size_t>(nodeOf(scene, joint))]
        .translation;
  }

  Scene scene;
  HumanoidMap map;
  int root;
  Motion source;
};

const samples::Rig& bodyRig() {
  static const samples::Rig rig = samples::makeBodyRig();
  return rig;
}

double accelerationOf(const Figure& figure, const Motion& motion, const char* joint) {
  double most = 0.0;
  const double step = 1.0 / motion.grid.fps;
  for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
    const Vec3 second = figure.placeOf(motion, joint, i + 1) -
                        2.0 * figure.placeOf(motion, joint, i) +
                        figure.placeOf(motion, joint, i - 1);
    most = std::max(most, glm::length(second) / (step * step));
  }
  return most;
}

double kneeAngle(const Figure& figure, const Motion& motion, const std::string& side,
                 std::size_t i) {
  const Vec3 hip = figure.placeOf(motion, (side + "UpLeg").c_str(), i);
  const Vec3 knee = figure.placeOf(motion, (side + "Leg").c_str(), i);
  const Vec3 ankle = figure.placeOf(motion, (side + "Foot").c_str(), i);
  return angleBetween(hip - knee, ankle - knee);
}

double kneeAngularAcceleration(const Figure& figure, const Motion& motion,
                               const std::string& side) {
  double most = 0.0;
  for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
    most = std::max(most, std::abs(kneeAngle(figure, motion, side, i + 1) -
                                   2.0 * kneeAngle(figure, motion, side, i) +
                                   kneeAngle(figure, motion, side, i - 1)));
  }
  return most * motion.grid.fps * motion.grid.fps;
}

}  // namespace

TEST_CASE("scratch") {
  struct Case { KeyframeClip clip; double factor; };
  for (const Case& c : {Case{samples::leapClip(bodyRig()), 5.0 / 3.0},
                        Case{samples::leapClip(bodyRig()), 4.0 / 3.0},
                        Case{samples::leapClip(bodyRig()), 0.6},
                        Case{samples::lungeClip(bodyRig()), 2.0},
                        Case{samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot), 1.3},
                        Case{samples::gaitClip(bodyRig(), "Run", samples::runGait(), samples::Travel::kRoot), 1.2}}) {
    const Figure figure(c.clip);
    const Motion free = figure.stretchedBy(c.factor);
    Motion locked = free;
    const FootLockReport report = lockFeet(figure.scene, figure.map, figure.source, locked, {});
    std::printf("== %s %.3f changed %d drop %.4f\n", c.clip.name.c_str(), c.factor, report.changed, report.pelvis_drop_m);
    for (const Plant& p : report.plants) std::printf("  %s %.3f..%.3f short %.4f out %.3f\n", p.limb.c_str(), p.begin_s, p.end_s, p.short_m, p.out_of_reach_s);
    for (const Metric& m : report.metrics) std::printf("  %s %.3f -> %.3f\n", m.name.c_str(), *m.before, m.after);
    for (const char* j : {"LeftLeg", "RightLeg", "LeftFoot"}) {
      std::printf("  acc %s source %.1f free %.1f locked %.1f\n", j, accelerationOf(figure, figure.source, j), accelerationOf(figure, free, j), accelerationOf(figure, locked, j));
    }
    for (const char* s : {"Left", "Right"})
      std::printf("  knee %s source %.1f locked %.1f\n", s, kneeAngularAcceleration(figure, figure.source, s), kneeAngularAcceleration(figure, locked, s));
    if (std::getenv("FEET_DUMP")) for (std::size_t i = 0; i < locked.grid.frame_count; ++i) {
      const Vec3 a = figure.placeOf(figure.source, "LeftToeBase", i), b = figure.placeOf(locked, "LeftToeBase", i), r = figure.placeOf(locked, "Root", i), f=figure.placeOf(locked, "LeftFoot", i), h=figure.placeOf(locked, "LeftUpLeg", i), k=figure.placeOf(locked, "LeftLeg", i);
      std::printf("%3zu src toe %.3f %.3f | locked toe %.4f %.4f root %.3f hips-ankle %.4f knee %.1f (src %.1f) kneepos %.3f %.3f\n", i, a.y, a.z, b.y, b.z, r.z, glm::length(f-h), kneeAngle(figure, locked, "Left", i)/kDegree, kneeAngle(figure, figure.source, "Left", i)/kDegree, k.y, k.z);
    }
  }
}
