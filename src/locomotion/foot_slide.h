// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metric.h"
#include "core/warnings.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/foot_skate.h"
#include "locomotion/limb_contacts.h"

namespace clipmill::locomotion {

/// A part of a body that is on the ground.
enum class ContactPart { kHeel, kBall, kHand, kKnee };

/// "heel", "ball", "hand", "knee".
std::string_view nameOf(ContactPart part);

/// A time span in which a part is on the ground, or a hand on a hold.
struct FootSpan {
  BodySide side = BodySide::kLeft;
  ContactPart part = ContactPart::kHeel;
  TimeSpan span;
  double drift_m = 0.0;  ///< driftIn() of the point in the span.
};

/// How the feet of one motion slide on the ground.
struct FootSlide {
  std::vector<FootSpan> contacts;      ///< Those of the trace.
  std::vector<FootSpan> ground_spans;  ///< findGroundSpans() less glides; contacts where none is.
  Skate skate;                         ///< Over the ground spans.

  /// The largest drift in a contact or in a ground span; unset without one.
  std::optional<double> drift_mm() const;
};

/// The slide of both points of all feet relative to the ground. A low foot that keeps up with the
/// body (by more than 0.6 of its distance, and that of more than a quarter of a leg) glides over
/// the ground and is not on it. Of hands and knees the contacts count.
FootSlide measureFootSlide(const FeetTrace& feet, std::span<const LimbTrace> limbs = {});

/// foot_skate_cm (in a thirtieth of a second) and planted_drift_mm of two motions, the one that
/// was and the one that is. Values without a contact are unset.
std::vector<Metric> slideMetrics(const FootSlide& before, const FootSlide& after);

/// Adds the warning feet_slide with the text `message` and all values of `slide` (slideMetrics())
/// where planted feet drift by at least 5 mm more after than before, or have no contact any more.
void warnWhereFeetSlide(std::span<const Metric> slide, const std::string& clip_name,
                        const std::string& message, Warnings& warnings);

}  // namespace clipmill::locomotion
