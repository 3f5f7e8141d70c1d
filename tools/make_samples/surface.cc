// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/surface.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "make_samples/body.h"

namespace clipmill::samples {
namespace {

constexpr int kCapRings = 3;
constexpr std::size_t kMostInfluences = 4;
constexpr double kLeastWeight = 1e-3;

Station mix(const Station& a, const Station& b, double wa, double wb) {
  return {a.s * wa + b.s * wb, a.center * wa + b.center * wb, a.side_m * wa + b.side_m * wb,
          a.front_m * wa + b.front_m * wb, a.back_m * wa + b.back_m * wb};
}

Station slopeAt(const std::vector<Station>& stations, std::size_t i) {
  const Station& before = stations[i == 0 ? 0 : i - 1];
  const Station& after = stations[std::min(i + 1, stations.size() - 1)];
  return mix(after, before, 1.0 / (after.s - before.s), -1.0 / (after.s - before.s));
}

// Cubic Hermite interpolation with slopes from the neighbours.
Station stationAt(const std::vector<Station>& stations, double s) {
  std::size_t i = 0;
  while (i + 2 < stations.size() && stations[i + 1].s < s) ++i;
  const double length = stations[i + 1].s - stations[i].s;
  const double t = std::clamp((s - stations[i].s) / length, 0.0, 1.0), t2 = t * t, t3 = t2 * t;
  const Station ends = mix(stations[i], stations[i + 1], 2 * t3 - 3 * t2 + 1, 3 * t2 - 2 * t3);
  const Station slopes = mix(slopeAt(stations, i), slopeAt(stations, i + 1),
                             (t3 - 2 * t2 + t) * length, (t3 - t2) * length);
  Station result = mix(ends, slopes, 1, 1);
  result.s = s;
  return result;
}

Station scaled(Station ring, double factor) {
  ring.side_m *= factor;
  ring.front_m *= factor;
  ring.back_m *= factor;
  return ring;
}

double signedPower(double value, double exponent) {
  // The committed samples have the bytes of this formula, whose last bits differ from pow().
  const double size = std::abs(value);
  const double power = size == 0.0 ? 0.0 : portable::exp(exponent * portable::log(size));
  return value < 0.0 ? -power : power;
}

// The grid of a tube's vertices: ring by ring, without the seam's second copy, then the two poles.
struct Grid {
  std::vector<Vec3> positions, normals;
  int rings = 0, sides = 0;

  int indexOf(int ring, int column) const { return (ring % rings) * sides + column % sides; }
  int startPole() const { return rings * sides; }
  int endPole() const { return rings * sides + 1; }
};

Vec3 ringPoint(const Tube& tube, const Station& ring, int column) {
  if (column % tube.sides * 4 % tube.sides == 0) {
    // The quarter points exactly, so that the two sides of a body mirror each other.
    const int quarter = column % tube.sides * 4 / tube.sides;
    if (quarter == 0) return ring.center + tube.x * ring.side_m;
    if (quarter == 1) return ring.center + tube.z * ring.front_m;
    if (quarter == 2) return ring.center - tube.x * ring.side_m;
    return ring.center - tube.z * ring.back_m;
  }
  const double angle = 2.0 * kPi * (column % tube.sides) / tube.sides;
  const double c = signedPower(portable::cos(angle), tube.roundness);
  const double s = signedPower(portable::sin(angle), tube.roundness);
  return ring.center + tube.x * (c * ring.side_m) +
         tube.z * (s * (s > 0.0 ? ring.front_m : ring.back_m));
}

Grid gridOf(const Tube& tube) {
  Grid grid;
  grid.rings = static_cast<int>(tube.rings.size());
  grid.sides = tube.sides;
  for (const Station& ring : tube.rings) {
    for (int c = 0; c < tube.sides; ++c) grid.positions.push_back(ringPoint(tube, ring, c));
  }
  const Vec3 along = glm::cross(tube.z, tube.x);
  grid.positions.push_back(tube.rings.front().center - along * tube.start_cap_m);
  grid.positions.push_back(tube.rings.back().center + along * tube.end_cap_m);
  return grid;
}

void accumulateNormals(Grid& grid, bool is_loop) {
  grid.normals.assign(grid.positions.size(), Vec3(0));
  const auto face = [&](int a, int b, int c) {
    const auto at = [&](int i) { return grid.positions[toSize(i)]; };
    const Vec3 normal = glm::cross(at(b) - at(a), at(c) - at(a));
    for (const int i : {a, b, c}) grid.normals[toSize(i)] += normal;
  };
  for (int r = 0; r + (is_loop ? 0 : 1) < grid.rings; ++r) {
    for (int c = 0; c < grid.sides; ++c) {
      face(grid.indexOf(r, c), grid.indexOf(r + 1, c), grid.indexOf(r, c + 1));
      face(grid.indexOf(r, c + 1), grid.indexOf(r + 1, c), grid.indexOf(r + 1, c + 1));
    }
  }
  for (int c = 0; c < grid.sides && !is_loop; ++c) {
    face(grid.startPole(), grid.indexOf(0, c), grid.indexOf(0, c + 1));
    face(grid.endPole(), grid.indexOf(grid.rings - 1, c + 1), grid.indexOf(grid.rings - 1, c));
  }
  for (Vec3& normal : grid.normals) {
    const double length = std::sqrt(glm::dot(normal, normal));
    if (length > 0.0) normal /= length;
  }
}

Weights strongest(Weights weights) {
  std::stable_sort(weights.begin(), weights.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (weights.size() > kMostInfluences) weights.resize(kMostInfluences);
  while (weights.size() > 1 && weights.back().second < kLeastWeight) weights.pop_back();
  double sum = 0.0;
  for (const auto& [node, weight] : weights) sum += weight;
  for (auto& [node, weight] : weights) weight /= sum;
  return weights;
}

// Copies vertices of a grid into the surface of the colour where a triangle first needs them.
class Emitter {
 public:
  Emitter(const Tube& tube, const Grid& grid, SkinnedMesh* surfaces)
      : tube_(tube), grid_(grid), surfaces_(surfaces) {}

  struct Corner {
    int ring, column;
  };

  void triangle(Cloth cloth, Corner a, Corner b, Corner c) {
    for (const Corner corner : {a, b, c}) {
      const std::uint32_t vertex = vertexOf(cloth, corner);
      surfaces_[static_cast<int>(cloth)].triangles.push_back(vertex);
    }
  }

 private:
  std::uint32_t vertexOf(Cloth cloth, Corner corner) {
    SkinnedMesh& surface = surfaces_[static_cast<int>(cloth)];
    const bool is_pole = corner.ring < 0 || corner.ring > grid_.rings;
    const auto key =
        std::pair(static_cast<int>(cloth), std::pair(corner.ring, is_pole ? 0 : corner.column));
    const auto [found, is_new] =
        vertices_.emplace(key, static_cast<std::uint32_t>(surface.vertexCount()));
    if (is_new) emit(surface, corner);
    return found->second;
  }

  void emit(SkinnedMesh& surface, Corner corner) {
    const int last = grid_.rings - 1;
    const int index = corner.ring < 0             ? grid_.startPole()
                      : corner.ring > grid_.rings ? grid_.endPole()
                                                  : grid_.indexOf(corner.ring, corner.column);
    const int ring = corner.ring < 0 ? 0 : std::min(corner.ring % grid_.rings, last);
    const bool is_end = corner.ring > grid_.rings;
    const double s = tube_.rings[toSize(is_end ? last : ring)].s;
    const Vec3 position = grid_.positions[toSize(index)];
    surface.positions.push_back(position);
    surface.normals.push_back(grid_.normals[toSize(index)]);
    const double v = std::clamp((corner.ring + 1.0) / (grid_.rings + 1.0), 0.0, 1.0);
    surface.uvs.push_back(Vec2(static_cast<double>(corner.column) / grid_.sides, v));
    if (surface.influence_start.empty()) surface.influence_start.push_back(0);
    for (const auto& [node, weight] : strongest(tube_.weights(s, position))) {
      surface.influences.push_back({static_cast<std::uint32_t>(node), weight});
    }
    surface.influence_start.push_back(surface.influences.size());
  }

  const Tube& tube_;
  const Grid& grid_;
  SkinnedMesh* surfaces_;
  std::map<std::pair<int, std::pair<int, int>>, std::uint32_t> vertices_;
};

void emitTriangles(const Tube& tube, const Grid& grid, Emitter& emitter) {
  const int end = grid.rings + 1;
  const auto clothOf = [&](int ring) { return tube.cloth(tube.rings[toSize(ring)].s); };
  for (int r = 0; r + (tube.is_loop ? 0 : 1) < grid.rings; ++r) {
    for (int c = 0; c < grid.sides; ++c) {
      emitter.triangle(clothOf(r), {r, c}, {r + 1, c}, {r, c + 1});
      emitter.triangle(clothOf(r), {r, c + 1}, {r + 1, c}, {r + 1, c + 1});
    }
  }
  const int last = grid.rings - 1;
  for (int c = 0; c < grid.sides && !tube.is_loop; ++c) {
    emitter.triangle(clothOf(0), {-1, c}, {0, c}, {0, c + 1});
    emitter.triangle(clothOf(last), {end, c}, {last, c + 1}, {last, c});
  }
}

}  // namespace

std::vector<Station> ringsThrough(const std::vector<Station>& stations, int count, double start_cap,
                                  double end_cap) {
  const double start = stations.front().s, end = stations.back().s;
  const auto capRing = [&](double edge, double cap, int i) {
    const double angle = 0.5 * kPi * i / (kCapRings + 1);
    const double s = edge + cap * (1.0 - portable::cos(angle));
    return scaled(stationAt(stations, s), portable::sin(angle));
  };
  std::vector<Station> rings;
  for (int i = 1; i <= kCapRings; ++i) rings.push_back(capRing(start, start_cap, i));
  for (int i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / (count - 1);
    rings.push_back(stationAt(stations, (start + start_cap) * (1 - t) + (end - end_cap) * t));
  }
  for (int i = kCapRings; i >= 1; --i) rings.push_back(capRing(end, -end_cap, i));
  return rings;
}

Weights chainWeights(const std::vector<int>& nodes, const std::vector<double>& starts,
                     const std::vector<double>& half_widths, double s) {
  Weights weights;
  double started = 1.0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const bool is_last = k + 1 == nodes.size();
    const double next =
        is_last ? 0.0 : started * smoothStep((s - starts[k + 1]) / (2 * half_widths[k + 1]) + 0.5);
    if (started - next > 0.0) weights.emplace_back(nodes[k], started - next);
    started = next;
  }
  return weights;
}

void SurfaceSet::add(const Tube& tube) {
  Grid grid = gridOf(tube);
  accumulateNormals(grid, tube.is_loop);
  Emitter emitter(tube, grid, surfaces_);
  emitTriangles(tube, grid, emitter);
}

void SurfaceSet::addEllipsoid(const Vec3& center, const Vec3& radii_m, int sides, Cloth cloth,
                              int node) {
  Tube tube;
  tube.x = Vec3(1, 0, 0);
  tube.z = Vec3(0, 0, 1);
  tube.sides = sides;
  const int rings = sides / 2 - 1;
  for (int i = 1; i <= rings; ++i) {
    const double angle = kPi * i / (rings + 1);
    const double s = -portable::cos(angle), r = portable::sin(angle);
    tube.rings.push_back(
        {s, center + Vec3(0, s * radii_m.y, 0), r * radii_m.x, r * radii_m.z, r * radii_m.z});
  }
  tube.start_cap_m = tube.end_cap_m = radii_m.y * (1.0 + tube.rings.front().s);
  tube.weights = [node](double, const Vec3&) { return Weights{{node, 1.0}}; };
  tube.cloth = [cloth](double) { return cloth; };
  add(tube);
}

std::vector<SkinnedMesh> SurfaceSet::meshes(int mesh_node) const {
  std::vector<SkinnedMesh> meshes;
  for (int cloth = 0; cloth < kClothCount; ++cloth) {
    if (surfaces_[cloth].positions.empty()) continue;
    SkinnedMesh mesh = surfaces_[cloth];
    mesh.name = "Body";
    mesh.node = mesh_node;
    mesh.primitive = static_cast<int>(meshes.size());
    mesh.skin = 0;
    mesh.material = cloth;
    meshes.push_back(std::move(mesh));
  }
  return meshes;
}

}  // namespace clipmill::samples
