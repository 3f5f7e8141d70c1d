// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/portable_math.h"
#include "stages/dynamic_bones/colliders/contact.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr std::size_t kBones = 256;

enum Shape { kSphereShape, kCapsuleShape, kTaperShape, kBoxShape, kPlaneShape, kHollowShape };

// Solids whose surface is 20 cm below the heads of the bones.
Solid solidOf(Shape shape) {
  Solid solid;
  solid.head_radius_m = solid.tail_radius_m = 0.1;
  switch (shape) {
    case kSphereShape:
      solid.head = Vec3(0, -0.3, 0);
      break;
    case kTaperShape:
      solid.tail_radius_m = 0.06;
      [[fallthrough]];
    case kCapsuleShape:
      solid.shape = stages::dynamic_bones::ColliderShape::kCapsule;
      solid.head = Vec3(-0.2, -0.3, 0.02);
      solid.tail = Vec3(0.25, -0.3, -0.02);
      break;
    case kBoxShape:
      solid.shape = stages::dynamic_bones::ColliderShape::kBox;
      solid.head = Vec3(0, -0.3, 0);
      solid.half_size = Vec3(0.2, 0.1, 0.15);
      break;
    case kPlaneShape:
      solid.shape = stages::dynamic_bones::ColliderShape::kPlane;
      solid.head = Vec3(0, -0.2, 0);
      break;
    case kHollowShape:
      solid.inside = true;
      solid.head_radius_m = 0.2;
      break;
  }
  return solid;
}

// A bone of 22 cm that comes down on the solid, each in another direction, by 2 mm.
BoneStep boneStep(std::size_t index) {
  const double rotation = 2.399963 * static_cast<double>(index);
  const double slant = 0.1 + 0.2 * static_cast<double>(index) / kBones;
  BoneStep bone;
  bone.length_m = 0.22;
  bone.head = bone.head_before = Vec3(0.02, 0, 0.01);
  bone.head_radius_m = bone.end_radius_m = 0.01;
  const auto endAt = [&](double angle) {
    const double out = portable::sin(angle);
    return bone.head + bone.length_m * Vec3(out * portable::cos(rotation), -portable::cos(angle),
                                            out * portable::sin(rotation));
  };
  bone.end_before = endAt(slant + 0.01);
  bone.end = endAt(slant);
  bone.friction = 0.3;
  return bone;
}

// Items are calls of resolveContacts(); of these, the share `contact_share` found a contact.
void contacts(benchmark::State& state, Shape shape, std::size_t far_count) {
  std::vector<Solid> solids(1 + far_count, solidOf(shape));
  std::vector<MovingSolid> moving(solids.size());
  std::vector<const MovingSolid*> pointers;
  for (std::size_t i = 0; i < solids.size(); ++i) {
    moving[i].solid = &solids[i];
    moving[i].before.position = moving[i].now.position = Vec3(0, 0, 2.0 * static_cast<double>(i));
    encloseMotion(moving[i]);
    pointers.push_back(&moving[i]);
  }
  std::vector<BoneStep> bones;
  for (std::size_t i = 0; i < kBones; ++i) bones.push_back(boneStep(i));
  std::size_t contact_count = 0;
  for (auto _ : state) {
    for (const BoneStep& bone : bones) {
      const ContactResult result = resolveContacts(pointers, bone);
      contact_count += result.has_contact;
      benchmark::DoNotOptimize(result);
    }
  }
  const auto calls = static_cast<double>(state.iterations()) * kBones;
  state.SetItemsProcessed(static_cast<std::int64_t>(calls));
  state.counters["contact_share"] = static_cast<double>(contact_count) / calls;
}

BENCHMARK_CAPTURE(contacts, sphere, kSphereShape, 0);
BENCHMARK_CAPTURE(contacts, capsule, kCapsuleShape, 0);
BENCHMARK_CAPTURE(contacts, tapered_capsule, kTaperShape, 0);
BENCHMARK_CAPTURE(contacts, box, kBoxShape, 0);
BENCHMARK_CAPTURE(contacts, plane, kPlaneShape, 0);
BENCHMARK_CAPTURE(contacts, inside_sphere, kHollowShape, 0);
BENCHMARK_CAPTURE(contacts, capsule_and_15_far_ones, kCapsuleShape, 15);

}  // namespace
}  // namespace clipmill::stages::dynamic_bones
