// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/binding/given_tets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/file.h"
#include "core/portable_math.h"
#include "core/smooth_step.h"
#include "core/text.h"
#include "mesh/outward_surface.h"
#include "mesh/triangle_bvh.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/tets/tet_file.h"
#include "stages/tet_bake/tets/tet_shape.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kMaxFileTets = 1'000'000;
// In mean edges: skin nearer than the first follows the tetrahedra fully, farther than the second
// not at all.
constexpr double kFollows = 1.0, kStays = 2.0;
// Tetrahedra made for a skin are larger than it by a cell at most.
constexpr double kMaxSizeRatio = 2.0;
// Least share of the tetrahedra's own surface that is at the skin; with less, they are those of
// another character.
constexpr double kMinNear = 0.5;
// Sizes with a smaller ratio have the same unit.
constexpr double kSameSize = 1.25;
// Points farther outside, in mean edges, are reported. Less is the rounding of text files.
constexpr double kReportedOutside = 0.01;

// Positive orientation in metric world, points that no tetrahedron has left out, and no tetrahedron
// twice.
TetMesh meshOf(const TetFile& file, const Affine& metric_from_tets) {
  const bool mirrors = glm::determinant(metric_from_tets.linear) < 0.0;
  std::vector<std::pair<Tet, std::size_t>> known;
  for (std::size_t t = 0; t < file.tets.size(); ++t) {
    known.emplace_back(file.tets[t], t);
    std::sort(known.back().first.begin(), known.back().first.end());
  }
  std::sort(known.begin(), known.end());
  std::vector<char> is_again(file.tets.size(), 0);
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (known[i].first == known[i - 1].first) is_again[known[i].second] = 1;
  }
  TetMesh mesh;
  std::vector<std::uint32_t> corner_of(file.positions.size(), kNoPoint);
  for (std::size_t t = 0; t < file.tets.size(); ++t) {
    if (is_again[t]) continue;
    Tet tet = file.tets[t];
    for (std::uint32_t& corner : tet) {
      std::uint32_t& known_corner = corner_of[corner];
      if (known_corner == kNoPoint) {
        known_corner = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.push_back(transformPoint(metric_from_tets, file.positions[corner]));
      }
      corner = known_corner;
    }
    if (mirrors) std::swap(tet[2], tet[3]);
    mesh.tets.push_back(tet);
  }
  return mesh;
}

Result<TetFile> parseFiles(std::span<const RawFile> files) {
  const std::string_view text = asText(files[0].bytes);
  auto file = files.size() == 1 ? parseGmsh(text) : parseTetGen(text, asText(files[1].bytes));
  if (!file) return within(files.back().path, file.error());
  if (file->tets.size() <= kMaxFileTets) return file;
  return Error{ErrorCode::kLimit, files.back().path,
               "has " + std::to_string(file->tets.size()) + " tetrahedra, more than " +
                   std::to_string(kMaxFileTets),
               "make a coarser tetrahedral mesh"};
}

void reportFaults(const TetFile& file, const std::string& path, Warnings& warnings) {
  if (file.inverted_count > 0) {
    warnings.add("tets_reoriented", "a tetrahedron is inverted in its file and was reoriented",
                 path, file.inverted_count);
  }
  if (file.flat_count > 0) {
    warnings.add("flat_tets", "a tetrahedron has no volume and is ignored", path, file.flat_count);
  }
}

Vec3 middleOf(const Box& box) { return 0.5 * (box.low + box.high); }

// Rounded to a power of ten where it is near one: units mostly differ by that.
std::string scaleText(double scale) {
  double power = 1.0;
  while (power < 0.3 * scale) power *= 10.0;
  while (power > 3.0 * scale) power /= 10.0;
  if (std::max(power / scale, scale / power) < kSameSize) return numberText(power);
  return fixedText(scale, scale < 1.0 ? 5 : 2);
}

// Checks that the tetrahedra fit the skin.
class FitCheck {
 public:
  FitCheck(const TetMesh& mesh, const SkinSurface& surface, double reach_m)
      : mesh_(mesh), surface_(surface), reach_m_(reach_m) {
    for (const Vec3& position : mesh.positions) tets_.add(position);
    for (const std::uint32_t point : surface.triangles) skin_.add(surface.positions[point]);
  }

  Status check() const {
    if (!(sizeRatio() <= kMaxSizeRatio) || shareAtSkin() < kMinNear) return fault();
    return {};
  }

  Error fault() const {
    const double ratio = sizeRatio();
    const auto error = [](const std::string& how, const std::string& remedy) {
      return Error{ErrorCode::kUnsupported, "", "has tetrahedra that do not fit the skin: " + how,
                   remedy};
    };
    if (!(ratio > 0.0 && std::isfinite(ratio))) return error("they have no size", "");
    if (ratio > kSameSize || ratio < 1.0 / kSameSize) {
      return error("they are " + scaleText(ratio) + " times as large as the skin",
                   "set tets_scale = " + scaleText(1.0 / ratio) +
                       ", or use tetrahedra of the skin in its bind pose");
    }
    if (isRotated(skin_.high - skin_.low, tets_.high - tets_.low)) {
      return error("their up axis differs", "use the axes of the input file");
    }
    const Vec3 path = middleOf(tets_) - middleOf(skin_);
    return error("their center is " + fixedText(glm::length(path), 3) +
                     " m from that of the skin (" + fixedText(path.x, 3) + ", " +
                     fixedText(path.y, 3) + ", " + fixedText(path.z, 3) + ")",
                 "use tetrahedra of the skin in its bind pose");
  }

 private:
  double sizeRatio() const {
    return glm::length(tets_.high - tets_.low) / glm::length(skin_.high - skin_.low);
  }

  // Of the corners of the tetrahedra's surface, those at the skin.
  double shareAtSkin() const {
    std::vector<char> is_outer(mesh_.vertexCount(), 0);
    for (const BoundaryFace& face : boundaryFaces(mesh_)) {
      for (const std::uint32_t corner : face.corners) is_outer[corner] = 1;
    }
    const TriangleBvh bvh(surface_.positions, surface_.triangles);
    std::size_t outer = 0, near = 0;
    for (std::size_t v = 0; v < is_outer.size(); ++v) {
      if (!is_outer[v]) continue;
      ++outer;
      if (bvh.isNear(mesh_.positions[v], reach_m_)) ++near;
    }
    return outer > 0 ? static_cast<double>(near) / static_cast<double>(outer) : 1.0;
  }

  // The extents are those of the skin in another order.
  static bool isRotated(const Vec3& skin, const Vec3& tets) {
    const auto areSame = [](const Vec3& a, const Vec3& b) {
      for (int axis = 0; axis < 3; ++axis) {
        if (a[axis] > kSameSize * b[axis] || b[axis] > kSameSize * a[axis]) return false;
      }
      return true;
    };
    const auto sorted = [](Vec3 v) {
      std::sort(&v.x, &v.x + 3);
      return v;
    };
    return !areSame(skin, tets) && areSame(sorted(skin), sorted(tets));
  }

  const TetMesh& mesh_;
  const SkinSurface& surface_;
  double reach_m_;
  Box tets_, skin_;
};

// Fades the share of the surface with the distance from the tetrahedra, and reports the points
// outside them.
void fadeOut(std::span<const Embedding> embeddings, double edge_m, const std::string& path,
             SkinSurface& surface, Warnings& warnings) {
  std::size_t outside = 0, far = 0;
  for (std::size_t p = 0; p < embeddings.size(); ++p) {
    const Embedding& embedding = embeddings[p];
    const double edges = glm::length(embedding.offset) / edge_m;
    const double least = *std::min_element(embedding.weights.begin(), embedding.weights.end());
    surface.share[p] *= 1.0 - smoothStep(kFollows, kStays, edges);
    if (edges > kStays) {
      ++far;
    } else if (edges > kReportedOutside || least < -kReportedOutside) {
      ++outside;
    }
  }
  if (outside > 0) {
    warnings.add("vertices_outside_tets",
                 "a vertex is outside all tetrahedra and follows the nearest one", path, outside);
  }
  if (far > 0) {
    warnings.add("vertices_far_from_tets",
                 "a vertex is far outside all tetrahedra and keeps plain skinning", path, far);
  }
}

}  // namespace

std::vector<std::string> tetFilesOf(const std::string& tets) {
  if (tets.empty()) return {};
  const std::filesystem::path path(tets);
  const std::filesystem::path extension = path.extension();
  if (extension != ".node" && extension != ".ele") return {tets};
  std::filesystem::path nodes = path, elements = path;
  return {nodes.replace_extension(".node").string(), elements.replace_extension(".ele").string()};
}

Result<Lattice> givenLattice(std::span<const RawFile> files, const Affine& metric_from_tets,
                             OutsideRule outside, SkinSurface& surface, Warnings& warnings) {
  CLIPMILL_TRY(const TetFile file, parseFiles(files));
  const std::string& path = files.back().path;
  reportFaults(file, path, warnings);
  Lattice lattice;
  lattice.mesh = meshOf(file, metric_from_tets);
  if (const std::size_t again = file.tets.size() - lattice.mesh.tets.size()) {
    warnings.add("duplicate_tets", "a tetrahedron occurs twice in its file and counts once", path,
                 again);
  }
  lattice.cell_m = meanEdge(lattice.mesh);
  const FitCheck fit(lattice.mesh, surface, kStays * lattice.cell_m);
  const Status fits = fit.check();
  if (!fits) return within(path, fits.error());
  lattice.embeddings = embedPoints(lattice.mesh, surface.positions, outside);
  fadeOut(lattice.embeddings, lattice.cell_m, path, surface, warnings);
  const auto follows = [](double share) { return share > 0.0; };
  if (std::none_of(surface.share.begin(), surface.share.end(), follows)) {
    return within(path, fit.fault());
  }
  lattice.samples = samplesAtPoints(surface, lattice.embeddings);
  lattice.outward_triangles = orientOutward(surface.positions, surface.triangles).triangles;
  return lattice;
}

}  // namespace clipmill::stages::tet_bake
