// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/foot_lock_plan.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"

namespace clipmill::feet {
namespace {

// A source foot that strays no farther than this while it stands moves as its author wants.
constexpr double kOwnDrift_m = 0.005;

// Speed of the carried end that counts as rest when the times of a stand are weighed.
constexpr double kRestSpeed_mps = 0.02;

// What leaving a place may add to the acceleration of an end; a longer way takes more time.
constexpr double kGentle_mps2 = 25.0;

// Less than this is rounding, and is not written.
constexpr double kNothing = 1e-9;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// Of the rotation that leads from the source to the stretched motion, about y.
double yawOf(const Quat& turn) {
  const Quat twist = swingTwist(turn, Vec3(0, 1, 0)).twist;
  return 2.0 * portable::atan2(twist.y, twist.w);
}

// Into -pi..pi.
double wrapped(double angle_rad) {
  return angle_rad - 2.0 * kPi * std::floor(angle_rad / (2.0 * kPi) + 0.5);
}

bool isComplete(const Limb& limb) { return limb.upper >= 0 && limb.lower >= 0 && limb.end >= 0; }

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
// `way` is the holdingWay() of `support`.
std::vector<Vec3> holdOf(const Support& support, const std::vector<Vec3>& way,
                         const EndFrames& frames, const Stand& stand) {
  std::vector<Vec3> hold(stand.last - stand.first + 1, Vec3(0.0));
  const auto& times = frames.source_times_s;
  if (!slides(support, times[stand.first], times[stand.last])) return hold;
  Vec3 sum(0.0);
  for (std::size_t i = 0; i < hold.size(); ++i) {
    hold[i] = sampleAt(way, support, times[stand.first + i]);
    sum += hold[i];
  }
  for (Vec3& h : hold) h -= sum / static_cast<double>(hold.size());
  return hold;
}

// An end at one time of a stand: in the source, and as the stretched motion carries it.
struct Sample {
  double time_s = 0.0;
  Vec3 source{0.0};
  Vec3 carried{0.0};
  Quat turn{1.0, 0.0, 0.0, 0.0};  // from source to carried
};

std::vector<Sample> samplesOf(const EndFrames& frames, const Stand& stand) {
  std::vector<Sample> samples;
  for (std::size_t i = stand.first; i <= stand.last; ++i) {
    const Affine &source = frames.source[i], &carried = frames.carried[i];
    samples.push_back({frames.times_s[i], source.translation, carried.translation,
                       rotationOf(carried) * glm::conjugate(rotationOf(source))});
  }
  return samples;
}

// A shift and a turn about y that leads from the source to where an end has to stand.
class StandingPlace {
 public:
  explicit StandingPlace(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) centre_ += sample.source;
    centre_ /= static_cast<double>(samples.size());
    std::vector<Vec3> places;
    for (const Sample& s : samples) places.push_back(s.carried + s.turn * (centre_ - s.source));
    findPlace(samples, places);
  }

  Vec3 targetOf(const Vec3& source) const { return place_ + turn_ * (source - centre_); }
  double yaw() const { return yaw_rad_; }

 private:
  static double speedAt(const std::vector<Sample>& samples, const std::vector<Vec3>& places,
                        std::size_t k) {
    const std::size_t from = k > 0 ? k - 1 : 0, to = std::min(places.size() - 1, k + 1);
    const double time_s = samples[to].time_s - samples[from].time_s;
    return time_s > 0.0 ? lengthOf(places[to] - places[from]) / time_s : 0.0;
  }

  // The mean over the stand; times at which the end is carried along count for next to nothing.
  // Summed as differences to the first, so that what does not change at all stays exact.
  void findPlace(const std::vector<Sample>& samples, const std::vector<Vec3>& places) {
    const double first_yaw = yawOf(samples[0].turn);
    Vec3 sum(0.0);
    double yaw_sum = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const double speed = speedAt(samples, places, k) / kRestSpeed_mps;
      const double stillness = 1.0 / (1.0 + speed * speed);
      const double weight = stillness * stillness;
      sum += weight * (places[k] - places[0]);
      yaw_sum += weight * wrapped(yawOf(samples[k].turn) - first_yaw);
      weights += weight;
    }
    place_ = places[0] + sum / weights;
    yaw_rad_ = first_yaw + yaw_sum / weights;
    turn_ = rotationAbout(Vec3(0, 1, 0), yaw_rad_);
  }

  Vec3 centre_{0.0};  // mean place in the source
  Vec3 place_{0.0};   // where the centre stands
  Quat turn_{1.0, 0.0, 0.0, 0.0};
  double yaw_rad_ = 0.0;
};

// `shift` is what lies between the source and the samples from which `place` was found, and
// `carried_shift` the same of the stretched motion: the way of one cycle, or zero.
void writeStand(const StandingPlace& place, const std::vector<Sample>& samples,
                const std::vector<Vec3>& hold, const Vec3& shift, const Vec3& carried_shift,
                const Stand& stand, LimbPlan& plan) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& sample = samples[k];
    const Vec3 target = place.targetOf(sample.source + hold[k] - shift) + carried_shift;
    const Vec3 offset = target - sample.carried;
    const double yaw = wrapped(place.yaw() - yawOf(sample.turn));
    plan.offset_m[stand.first + k] = lengthOf(offset) > kNothing ? offset : Vec3(0.0);
    plan.yaw_rad[stand.first + k] = std::abs(yaw) > kNothing ? yaw : 0.0;
  }
}

// A stand that the end of a cycle cuts in two: `early` at the begin of the clip goes on from `late`
// at its end, and both have one place.
void planCutStand(const Support& support, const std::vector<Vec3>& way, const EndFrames& frames,
                  const Stand& early, const Stand& late, LimbPlan& plan) {
  const Vec3 shift = frames.source.back().translation - frames.source.front().translation;
  const Vec3 carried_shift = frames.carried.back().translation - frames.carried.front().translation;
  const double length_s = frames.times_s.back() - frames.times_s.front();
  const std::vector<Sample> early_samples = samplesOf(frames, early);
  const std::vector<Sample> late_samples = samplesOf(frames, late);
  std::vector<Sample> all = late_samples;
  for (Sample& sample : all) {
    sample.time_s -= length_s;
    sample.source -= shift;
    sample.carried -= carried_shift;
  }
  // The last pose of a cycle is its first.
  all.insert(all.end(), early_samples.begin() + 1, early_samples.end());
  const StandingPlace place(all);
  writeStand(place, early_samples, holdOf(support, way, frames, early), Vec3(0.0), Vec3(0.0), early,
             plan);
  writeStand(place, late_samples, holdOf(support, way, frames, late), shift, carried_shift, late,
             plan);
}

void planStands(const Support& support, const EndFrames& frames, bool is_cycle, LimbPlan& plan) {
  if (plan.stands.empty()) return;
  const std::vector<Vec3> way = holdingWay(support);
  const Stand &first = plan.stands.front(), &last = plan.stands.back();
  const bool is_cut = is_cycle && plan.stands.size() > 1 && first.first == 0 &&
                      last.last + 1 == frames.times_s.size();
  for (std::size_t s = 0; s < plan.stands.size(); ++s) {
    if (is_cut && (s == 0 || s + 1 == plan.stands.size())) continue;
    const Stand& stand = plan.stands[s];
    const std::vector<Sample> samples = samplesOf(frames, stand);
    writeStand(StandingPlace(samples), samples, holdOf(support, way, frames, stand), Vec3(0.0),
               Vec3(0.0), stand, plan);
  }
  if (is_cut) planCutStand(support, way, frames, first, last, plan);
}

// Offset and yaw at one edge of a stand, and how fast they change there; time runs away from it.
struct Edge {
  double time_s = 0.0;
  Vec3 offset_m{0.0}, rate_mps{0.0};
  double yaw_rad = 0.0, yaw_rate = 0.0;
  double length_s = 0.0;  // of the way back to zero

  bool isNothing() const { return offset_m == Vec3(0.0) && yaw_rad == 0.0; }
};

Edge edgeOf(const LimbPlan& plan, const EndFrames& frames, const Stand& stand, bool is_end,
            double release_s) {
  const std::size_t frame = is_end ? stand.last : stand.first;
  const std::size_t inner = stand.first == stand.last ? frame : is_end ? frame - 1 : frame + 1;
  Edge edge;
  edge.time_s = frames.times_s[frame];
  edge.offset_m = plan.offset_m[frame];
  edge.yaw_rad = plan.yaw_rad[frame];
  const double step_s = std::abs(edge.time_s - frames.times_s[inner]);
  if (step_s > 0.0) {
    edge.rate_mps = (edge.offset_m - plan.offset_m[inner]) / step_s;
    edge.yaw_rate = (edge.yaw_rad - plan.yaw_rad[inner]) / step_s;
  }
  if (!edge.isNothing()) {
    // The cubic begins with an acceleration of 6 offset / length^2 + 4 rate / length.
    const double rate = lengthOf(edge.rate_mps);
    const double gentle_s =
        (2.0 * rate + std::sqrt(4.0 * rate * rate + 6.0 * lengthOf(edge.offset_m) * kGentle_mps2)) /
        kGentle_mps2;
    edge.length_s = std::max(release_s, gentle_s);
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

// A frame of a gap between stands; times of one gap ascend, also across the end of a cycle.
struct GapFrame {
  std::size_t frame = 0;
  double time_s = 0.0;
};

void fillGap(Edge before, Edge after, const std::vector<GapFrame>& gap, LimbPlan& plan) {
  const double gap_s = after.time_s - before.time_s;
  const double wanted_s = before.length_s + after.length_s;
  // No time to go to zero and come back: one cubic from edge to edge, which is the sum of both.
  if (wanted_s > gap_s) {
    before.length_s = before.isNothing() ? 0.0 : gap_s;
    after.length_s = after.isNothing() ? 0.0 : gap_s;
  }
  for (const GapFrame& at : gap) {
    addRelease(before, at.time_s - before.time_s, at.frame, plan);
    addRelease(after, after.time_s - at.time_s, at.frame, plan);
  }
}

// The frames from `from` up to but without `to`.
void addFrames(const EndFrames& frames, std::size_t from, std::size_t to, double shift_s,
               std::vector<GapFrame>& gap) {
  for (std::size_t i = from; i < to; ++i) gap.push_back({i, frames.times_s[i] + shift_s});
}

// Where no stand is, offsets go to zero and come from there. Before the first stand and after the
// last the ends of the clip count as stands without an offset; in a cycle the gap goes on from the
// end at the begin, which show the same pose.
void fillGaps(const EndFrames& frames, double release_s, bool is_cycle, LimbPlan& plan) {
  if (plan.stands.empty()) return;
  const std::size_t count = frames.times_s.size();
  const auto edge = [&](const Stand& stand, bool is_end) {
    return edgeOf(plan, frames, stand, is_end, release_s);
  };
  for (std::size_t s = 0; s + 1 < plan.stands.size(); ++s) {
    const Stand &a = plan.stands[s], &b = plan.stands[s + 1];
    std::vector<GapFrame> gap;
    addFrames(frames, a.last + 1, b.first, 0.0, gap);
    fillGap(edge(a, true), edge(b, false), gap, plan);
  }
  const Stand &first = plan.stands.front(), &last = plan.stands.back();
  std::vector<GapFrame> head, tail;
  addFrames(frames, 0, first.first, 0.0, head);
  addFrames(frames, last.last + 1, count, 0.0, tail);
  Edge begin, end;
  begin.time_s = frames.times_s.front();
  end.time_s = frames.times_s.back();
  if (!is_cycle) {
    fillGap(begin, edge(first, false), head, plan);
    fillGap(edge(last, true), end, tail, plan);
    return;
  }
  const double length_s = end.time_s - begin.time_s;
  addFrames(frames, 0, first.first, length_s, tail);
  Edge again = edge(first, false);
  again.time_s += length_s;
  fillGap(edge(last, true), again, tail, plan);
}

}  // namespace

std::vector<Limb> limbsOf(const Skeleton& skeleton, const HumanoidMap& map, bool hands) {
  using Role = HumanoidRole;
  std::vector<Limb> all = {{"left foot", map[Role::kLeftUpperLeg], map[Role::kLeftLowerLeg],
                            map[Role::kLeftFoot], true, BodySide::kLeft},
                           {"right foot", map[Role::kRightUpperLeg], map[Role::kRightLowerLeg],
                            map[Role::kRightFoot], true, BodySide::kRight}};
  if (hands) {
    all.push_back({"left hand", map[Role::kLeftUpperArm], map[Role::kLeftLowerArm],
                   map[Role::kLeftHand], false, BodySide::kLeft});
    all.push_back({"right hand", map[Role::kRightUpperArm], map[Role::kRightLowerArm],
                   map[Role::kRightHand], false, BodySide::kRight});
  }
  std::erase_if(all, [&](const Limb& limb) {
    return !isComplete(limb) || limb.upper == limb.lower || limb.lower == limb.end ||
           !isAtOrBelow(skeleton, limb.lower, limb.upper) ||
           !isAtOrBelow(skeleton, limb.end, limb.lower);
  });
  return all;
}

bool LimbPlan::standsAt(std::size_t frame) const {
  return std::any_of(stands.begin(), stands.end(), [&](const Stand& stand) {
    return frame >= stand.first && frame <= stand.last;
  });
}

LimbPlan planLimb(const Support& support, const EndFrames& frames, double release_s,
                  bool is_cycle) {
  LimbPlan plan;
  const std::size_t count = frames.times_s.size();
  plan.offset_m.assign(count, Vec3(0.0));
  plan.yaw_rad.assign(count, 0.0);
  plan.stands = standsIn(support.spans, frames);
  planStands(support, frames, is_cycle, plan);
  fillGaps(frames, release_s, is_cycle, plan);
  return plan;
}

}  // namespace clipmill::feet
