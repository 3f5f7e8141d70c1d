// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/foot_lock_plan.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace clipmill::feet {
namespace {

// A source foot that strays no farther than this while it stands moves as its author wants.
constexpr double kOwnDrift_m = 0.003;

// Speed of the carried end that counts as rest when the times of a stand are weighed.
constexpr double kRestSpeed_mps = 0.05;

// No faster than this an end leaves its place; a longer way takes more time.
constexpr double kGentle_mps2 = 20.0;

// Less than this is rounding, and is not written.
constexpr double kNothing = 1e-9;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// Of the rotation that leads from the source to the stretched motion, about y.
double yawOf(const Quat& turn) {
  const Quat twist = swingTwist(turn, Vec3(0, 1, 0)).twist;
  return 2.0 * portable::atan2(twist.y, twist.w);
}

double wrapped(double angle_rad) {
  while (angle_rad > kPi) angle_rad -= 2.0 * kPi;
  while (angle_rad < -kPi) angle_rad += 2.0 * kPi;
  return angle_rad;
}

bool isComplete(const Limb& limb) { return limb.upper >= 0 && limb.lower >= 0 && limb.end >= 0; }

bool isBelow(const Skeleton& skeleton, int node, int ancestor) {
  while (node > ancestor) node = skeleton.nodes[static_cast<std::size_t>(node)].parent;
  return node == ancestor;
}

// The frames whose source times lie in `span`; none where `last` is before `first`.
std::vector<Stand> standsIn(const std::vector<TimeSpan>& spans, const EndFrames& frames) {
  std::vector<Stand> stands;
  for (const TimeSpan& span : spans) {
    bool is_open = false;
    for (std::size_t i = 0; i < frames.source_times_s.size(); ++i) {
      if (!span.holds(frames.source_times_s[i])) {
        is_open = false;
        continue;
      }
      if (!is_open) stands.push_back({i, i});
      is_open = true;
      stands.back().last = i;
    }
  }
  return stands;
}

// How far the source strays horizontally from the middle of a pivot's span.
double strayOf(const Pivot& pivot, const TimeSpan& span, double begin_s, double step_s) {
  Vec3 low(0.0), high(0.0);
  bool is_first = true;
  for (std::size_t i = 0; i < pivot.places_m.size(); ++i) {
    if (!span.holds(begin_s + static_cast<double>(i) * step_s)) continue;
    const Vec3& place = pivot.places_m[i];
    low = is_first ? place : glm::min(low, place);
    high = is_first ? place : glm::max(high, place);
    is_first = false;
  }
  const Vec3 half = 0.5 * (high - low);
  return std::sqrt(half.x * half.x + half.z * half.z);
}

bool anyStands(const Pivot& pivot, double time_s) {
  return std::any_of(pivot.spans.begin(), pivot.spans.end(),
                     [&](const TimeSpan& span) { return span.holds(time_s); });
}

bool slides(const Support& support, double from_s, double to_s) {
  for (const Pivot& pivot : support.pivots) {
    for (const TimeSpan& span : pivot.spans) {
      if (span.end_s < from_s || span.begin_s > to_s) continue;
      if (strayOf(pivot, span, support.begin_s, support.step_s) > kOwnDrift_m) return true;
    }
  }
  return false;
}

// Minus the horizontal way of whatever point stands, summed up sample by sample: added to the foot,
// it keeps the standing point where it is, and has no jump where the foot rolls from one to the
// next.
std::vector<Vec3> holdingWay(const Support& support) {
  const std::size_t count = support.pivots.empty() ? 0 : support.pivots.front().places_m.size();
  std::vector<Vec3> way(count, Vec3(0.0));
  for (std::size_t i = 1; i < count; ++i) {
    const double middle_s = support.begin_s + (static_cast<double>(i) - 0.5) * support.step_s;
    Vec3 step(0.0);
    double standing = 0.0;
    for (const Pivot& pivot : support.pivots) {
      if (!anyStands(pivot, middle_s)) continue;
      step += pivot.places_m[i] - pivot.places_m[i - 1];
      standing += 1.0;
    }
    if (standing > 0.0) step /= standing;
    way[i] = way[i - 1] - Vec3(step.x, 0.0, step.z);
  }
  return way;
}

Vec3 sampleAt(const std::vector<Vec3>& way, const Support& support, double time_s) {
  if (way.size() < 2) return Vec3(0.0);
  const double place = std::clamp((time_s - support.begin_s) / support.step_s, 0.0,
                                  static_cast<double>(way.size() - 1));
  const std::size_t i = std::min(static_cast<std::size_t>(place), way.size() - 2);
  const double f = place - static_cast<double>(i);
  return way[i] * (1.0 - f) + way[i + 1] * f;
}

// What holds a sliding source foot, at the frames of one stand; all zero for one that does not.
std::vector<Vec3> holdOf(const Support& support, const EndFrames& frames, const Stand& stand) {
  std::vector<Vec3> hold(stand.last - stand.first + 1, Vec3(0.0));
  const auto& times = frames.source_times_s;
  if (!slides(support, times[stand.first], times[stand.last])) return hold;
  const std::vector<Vec3> way = holdingWay(support);
  Vec3 sum(0.0);
  for (std::size_t i = 0; i < hold.size(); ++i) {
    hold[i] = sampleAt(way, support, times[stand.first + i]);
    sum += hold[i];
  }
  for (Vec3& h : hold) h -= sum / static_cast<double>(hold.size());
  return hold;
}

// Where the stretched motion carries a point that is fixed in the world of the source.
struct Carried {
  Vec3 place;
  double yaw_rad;
};

class StandPlanner {
 public:
  StandPlanner(const EndFrames& frames, const Stand& stand) : frames_(frames), stand_(stand) {
    for (std::size_t i = stand.first; i <= stand.last; ++i) centre_ += frames.source[i].translation;
    centre_ /= static_cast<double>(stand.last - stand.first + 1);
    for (std::size_t i = stand.first; i <= stand.last; ++i) carried_.push_back(carriedAt(i));
    findPlace();
  }

  void write(const std::vector<Vec3>& hold, LimbPlan& plan) const {
    const Quat turn = rotationAbout(Vec3(0, 1, 0), yaw_rad_);
    for (std::size_t i = stand_.first; i <= stand_.last; ++i) {
      const std::size_t k = i - stand_.first;
      const Vec3 target = place_ + turn * (frames_.source[i].translation + hold[k] - centre_);
      const Vec3 offset = target - frames_.carried[i].translation;
      const double yaw = wrapped(yaw_rad_ - carried_[k].yaw_rad);
      plan.offset_m[i] = lengthOf(offset) > kNothing ? offset : Vec3(0.0);
      plan.yaw_rad[i] = std::abs(yaw) > kNothing ? yaw : 0.0;
    }
  }

 private:
  Carried carriedAt(std::size_t i) const {
    const Quat turn =
        rotationOf(frames_.carried[i]) * glm::conjugate(rotationOf(frames_.source[i]));
    return {frames_.carried[i].translation + turn * (centre_ - frames_.source[i].translation),
            yawOf(turn)};
  }

  double speedAt(std::size_t k) const {
    const std::size_t from = k > 0 ? k - 1 : 0, to = std::min(carried_.size() - 1, k + 1);
    const double time_s = frames_.times_s[stand_.first + to] - frames_.times_s[stand_.first + from];
    return time_s > 0.0 ? lengthOf(carried_[to].place - carried_[from].place) / time_s : 0.0;
  }

  // The mean over the stand; times at which the end is carried along count for little. Summed as
  // differences to the first, so that what does not change at all stays exact.
  void findPlace() {
    Vec3 sum(0.0);
    double yaw_sum = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < carried_.size(); ++k) {
      const double speed = speedAt(k);
      const double weight = 1.0 / (kRestSpeed_mps * kRestSpeed_mps + speed * speed);
      sum += weight * (carried_[k].place - carried_[0].place);
      yaw_sum += weight * wrapped(carried_[k].yaw_rad - carried_[0].yaw_rad);
      weights += weight;
    }
    place_ = carried_[0].place + sum / weights;
    yaw_rad_ = carried_[0].yaw_rad + yaw_sum / weights;
  }

  const EndFrames& frames_;
  Stand stand_;
  Vec3 centre_{0.0};  // mean place in the source
  std::vector<Carried> carried_;
  Vec3 place_{0.0};  // where the centre stands
  double yaw_rad_ = 0.0;
};

// Offset and yaw at one edge of a stand, and how fast they change there; time runs away from it.
struct Edge {
  std::size_t frame = 0;
  Vec3 offset_m{0.0}, rate_mps{0.0};
  double yaw_rad = 0.0, yaw_rate = 0.0;
  double length_s = 0.0;  // of the way back to zero

  bool isNothing() const { return offset_m == Vec3(0.0) && yaw_rad == 0.0; }
};

Edge edgeOf(const LimbPlan& plan, const EndFrames& frames, const Stand& stand, bool is_end,
            double release_s) {
  Edge edge;
  edge.frame = is_end ? stand.last : stand.first;
  const std::size_t inner = stand.first == stand.last ? edge.frame
                            : is_end                  ? edge.frame - 1
                                                      : edge.frame + 1;
  edge.offset_m = plan.offset_m[edge.frame];
  edge.yaw_rad = plan.yaw_rad[edge.frame];
  const double step_s = std::abs(frames.times_s[edge.frame] - frames.times_s[inner]);
  if (step_s > 0.0) {
    edge.rate_mps = (edge.offset_m - plan.offset_m[inner]) / step_s;
    edge.yaw_rate = (edge.yaw_rad - plan.yaw_rad[inner]) / step_s;
  }
  if (!edge.isNothing()) {
    // A cubic from rest to rest begins with six times its height over the square of its length.
    edge.length_s = std::max(release_s, std::sqrt(6.0 * lengthOf(edge.offset_m) / kGentle_mps2));
  }
  return edge;
}

void addRelease(const Edge& edge, double away_s, std::size_t frame, LimbPlan& plan) {
  if (edge.isNothing() || !(away_s < edge.length_s)) return;
  const double u = away_s / edge.length_s;
  const double value = (1.0 + 2.0 * u) * (1.0 - u) * (1.0 - u);
  const double slope = u * (1.0 - u) * (1.0 - u) * edge.length_s;
  plan.offset_m[frame] += value * edge.offset_m + slope * edge.rate_mps;
  plan.yaw_rad[frame] += value * edge.yaw_rad + slope * edge.yaw_rate;
}

// Fills the frames between two stands; a clip's begin and end count as stands without an offset.
void fillGap(Edge before, Edge after, const EndFrames& frames, LimbPlan& plan) {
  const double gap_s = frames.times_s[after.frame] - frames.times_s[before.frame];
  const double wanted_s = before.length_s + after.length_s;
  if (wanted_s > gap_s) {
    before.length_s *= gap_s / wanted_s;
    after.length_s *= gap_s / wanted_s;
  }
  for (std::size_t i = before.frame; i <= after.frame; ++i) {
    if (plan.standsAt(i)) continue;
    addRelease(before, frames.times_s[i] - frames.times_s[before.frame], i, plan);
    addRelease(after, frames.times_s[after.frame] - frames.times_s[i], i, plan);
  }
}

}  // namespace

std::vector<Limb> limbsOf(const Skeleton& skeleton, const HumanoidMap& map, bool hands) {
  using Role = HumanoidRole;
  std::vector<Limb> all = {
      {"left foot", map[Role::kLeftUpperLeg], map[Role::kLeftLowerLeg], map[Role::kLeftFoot], true,
       BodySide::kLeft},
      {"right foot", map[Role::kRightUpperLeg], map[Role::kRightLowerLeg], map[Role::kRightFoot],
       true, BodySide::kRight}};
  if (hands) {
    all.push_back({"left hand", map[Role::kLeftUpperArm], map[Role::kLeftLowerArm],
                   map[Role::kLeftHand], false, BodySide::kLeft});
    all.push_back({"right hand", map[Role::kRightUpperArm], map[Role::kRightLowerArm],
                   map[Role::kRightHand], false, BodySide::kRight});
  }
  std::erase_if(all, [&](const Limb& limb) {
    return !isComplete(limb) || limb.upper == limb.lower || limb.lower == limb.end ||
           !isBelow(skeleton, limb.lower, limb.upper) || !isBelow(skeleton, limb.end, limb.lower);
  });
  return all;
}

bool LimbPlan::standsAt(std::size_t frame) const {
  return std::any_of(stands.begin(), stands.end(), [&](const Stand& stand) {
    return frame >= stand.first && frame <= stand.last;
  });
}

LimbPlan planLimb(const Support& support, const EndFrames& frames, double release_s) {
  LimbPlan plan;
  const std::size_t count = frames.times_s.size();
  plan.offset_m.assign(count, Vec3(0.0));
  plan.yaw_rad.assign(count, 0.0);
  plan.stands = standsIn(support.spans, frames);
  for (const Stand& stand : plan.stands) {
    StandPlanner(frames, stand).write(holdOf(support, frames, stand), plan);
  }
  Edge before;
  for (const Stand& stand : plan.stands) {
    fillGap(before, edgeOf(plan, frames, stand, false, release_s), frames, plan);
    before = edgeOf(plan, frames, stand, true, release_s);
  }
  Edge end;
  end.frame = count - 1;
  fillGap(before, end, frames, plan);
  return plan;
}

}  // namespace clipmill::feet
