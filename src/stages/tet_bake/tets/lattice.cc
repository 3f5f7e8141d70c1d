// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/lattice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "scene/thin_sheets.h"
#include "stages/tet_bake/surface/limb_parts.h"
#include "stages/tet_bake/surface/separate_bodies.h"
#include "stages/tet_bake/surface/thin_bones.h"
#include "stages/tet_bake/tets/bcc_grid.h"
#include "stages/tet_bake/tets/join_parts.h"
#include "stages/tet_bake/tets/lattice_split.h"
#include "stages/tet_bake/tets/surface_pieces.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kCellsAcrossLimb = 4.0;
constexpr double kInsideWinding = 0.5;
// On a surface the winding number is a half: what is well inside has more.
constexpr double kWellInsideWinding = 0.75;
// Cells that the surface passes through extend beyond it by about this share of their edge.
constexpr double kSurfaceOvershoot = 0.35;
// Bounds of what any input may cost.
constexpr double kMaxCubes = 1e6;
constexpr std::size_t kMaxWork = 50'000'000;
constexpr std::size_t kMaxWorkPerIndex = 100;
constexpr int kMaxLatticeTries = 12;
constexpr std::size_t kLatticePointsPerBlock = 64;
// Estimates of the number of tetrahedra come out too high: by volume and area up to 1.15 times,
// with the cells that the surface passes through about 1.07 times.
constexpr double kFirstTry = 1.15;
constexpr double kLikelyReal = 0.93;
// Larger steps would overshoot the number of tetrahedra that is asked for, smaller ones take long.
constexpr double kMinGrowth = 1.01;
// Sizes in metres of what is taken for a body.
constexpr double kMinSize = 1e-9, kMaxSize = 1e9;
// Where the grid starts, in cells before the surface: uneven, so that planes of the surface (and
// the plane of symmetry of most characters) do not fall on planes of the grid.
const Vec3 kGridShift(1.37, 1.43, 1.31);

double volumeOf(const std::vector<Vec3>& positions, const std::vector<std::uint32_t>& triangles) {
  double volume = 0.0;
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const Vec3& origin = positions[triangles[0]];
    volume += glm::dot(
        positions[triangles[t]] - origin,
        glm::cross(positions[triangles[t + 1]] - origin, positions[triangles[t + 2]] - origin));
  }
  return std::abs(volume) / 6.0;
}

double areaOf(const std::vector<Vec3>& positions, const std::vector<std::uint32_t>& triangles) {
  double twice = 0.0;
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const Vec3& a = positions[triangles[t]];
    twice +=
        glm::length(glm::cross(positions[triangles[t + 1]] - a, positions[triangles[t + 2]] - a));
  }
  return 0.5 * twice;
}

// Twelve tetrahedra per cube, in the volume and in the layer of cells beyond it.
double countOf(double cell_m, double volume_m3, double area_m2) {
  return BccGrid::kTetsPerCube * (volume_m3 + kSurfaceOvershoot * cell_m * area_m2) /
         (cell_m * cell_m * cell_m);
}

// The skin of a part with its walls behind it.
SolidSurface withWalls(BodyPart& part) {
  SolidSurface solid = std::move(part.solid);
  solid.triangles.insert(solid.triangles.end(), part.walls.begin(), part.walls.end());
  for (std::size_t w = 0; w < part.wall_of.size(); ++w) {
    std::array<std::uint32_t, 3> wall{part.walls[3 * w], part.walls[3 * w + 1],
                                      part.walls[3 * w + 2]};
    if (part.is_reversed[w]) std::swap(wall[0], wall[1]);
    solid.outward.insert(solid.outward.end(), wall.begin(), wall.end());
  }
  return solid;
}

// Fills one part of a body. Parts of a body have the same grid.
class PartFiller {
 public:
  PartFiller(const SkinSurface& surface, BodyPart part, const Box& body_box, int threads)
      : surface_(surface),
        wall_start_(part.solid.triangles.size() / 3),
        wall_of_(part.wall_of),
        solid_(withWalls(part)),
        bvh_(surface.positions, solid_.outward),
        threads_(threads),
        box_(body_box) {}

  // Lays the grid and cuts the surface by it; false where that is too much work.
  bool cut(double cell_m) {
    grid_.emplace(box_.low - kGridShift * cell_m, cell_m, cubesFor(box_.high - box_.low, cell_m));
    const std::size_t work = std::max(kMaxWork, kMaxWorkPerIndex * solid_.triangles.size());
    cells_ = {};
    cells_.pieces = cutSurface(*grid_, surface_.positions, solid_.triangles, work, threads_);
    return !cells_.pieces.empty();
  }

  // What the volume fills, and half of the cells that the surface passes through.
  std::size_t likelyCount() const {
    std::size_t clamped_count = 0;
    for (std::size_t p = 0; p < cells_.pieces.size(); ++p) {
      if (p == 0 || cells_.pieces[p].tet != cells_.pieces[p - 1].tet) ++clamped_count;
    }
    const double volume_m3 = volumeOf(surface_.positions, solid_.outward);
    return clamped_count / 2 + toSize(countOf(grid_->cell_m(), volume_m3, 0.0));
  }

  FilledPart fill() {
    findInside();
    keepCells();
    SplitLattice split = splitLattice(
        *grid_, std::move(cells_), surface_, solid_.triangles,
        [&](const Vec3& position) { return winding(position) > kWellInsideWinding; }, threads_);
    FilledPart part;
    Lattice& lattice = part.lattice;
    lattice.cell_m = grid_->cell_m();
    lattice.doubled_tet_count = split.doubled_tet_count;
    embed(split, lattice);
    sample(split, lattice);
    for (std::size_t p = 0; p < split.pieces.size(); ++p) {
      const SurfacePiece& piece = split.pieces[p];
      if (!isWall(piece)) continue;
      part.portals.push_back(
          {wall_of_[piece.triangle - wall_start_], piece.tet, split.tet_of_piece[p]});
    }
    lattice.mesh.positions = std::move(split.positions);
    lattice.mesh.tets = std::move(split.tets);
    return part;
  }

 private:
  static BccGrid::Coordinates cubesFor(const Vec3& extent, double cell_m) {
    BccGrid::Coordinates cubes;
    for (int axis = 0; axis < 3; ++axis) {
      cubes[toSize(axis)] = static_cast<int>(std::ceil(extent[axis] / cell_m)) + 4;
    }
    return cubes;
  }

  bool isWall(const SurfacePiece& piece) const { return piece.triangle >= wall_start_; }

  // Parts that overlap add up with their signs only.
  double winding(const Vec3& position) const {
    const double number = bvh_.windingNumber(position);
    return wall_of_.empty() ? std::abs(number) : number;
  }

  // The corners of the cells that the surface passes through, and from those inside on inwards.
  void findInside() {
    cells_.is_interior.assign(grid_->pointCount(), 0);
    std::vector<char> is_known(grid_->pointCount(), 0);
    std::vector<std::uint32_t> asked;
    const auto ask = [&](std::uint32_t point) {
      if (point == BccGrid::kNone || is_known[point]) return;
      is_known[point] = 1;
      asked.push_back(point);
    };
    for (const SurfacePiece& piece : cells_.pieces) {
      for (const std::uint32_t point : grid_->pointsOf(piece.tet)) ask(point);
    }
    while (!asked.empty()) {
      const std::vector<std::uint32_t> layer = std::exchange(asked, {});
      parallelFor(layer.size(), kLatticePointsPerBlock, threads_,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      cells_.is_interior[layer[i]] =
                          winding(grid_->positionOf(layer[i])) > kInsideWinding ? 1 : 0;
                    }
                  });
      for (const std::uint32_t point : layer) {
        if (!cells_.is_interior[point]) continue;
        for (const std::uint32_t neighbour : grid_->neighboursOfPoint(point)) ask(neighbour);
      }
    }
  }

  void keepCells() {
    std::vector<char> is_kept(grid_->tetCount(), 0);
    for (const SurfacePiece& piece : cells_.pieces) is_kept[piece.tet] = 1;
    for (std::uint32_t point = 0; point < cells_.is_interior.size(); ++point) {
      if (!cells_.is_interior[point]) continue;
      for (const std::uint32_t tet : grid_->tetsOf(point)) {
        if (tet != BccGrid::kNone) is_kept[tet] = 1;
      }
    }
    std::uint32_t piece = 0;
    for (std::uint32_t tet = 0; tet < is_kept.size(); ++tet) {
      if (!is_kept[tet]) continue;
      cells_.tets.push_back(tet);
      cells_.piece_start.push_back(piece);
      while (piece < cells_.pieces.size() && cells_.pieces[piece].tet == tet) ++piece;
    }
    cells_.piece_start.push_back(piece);
  }

  std::array<double, 4> barycentric(std::uint32_t grid_tet, const Vec3& in_cubes) const {
    const auto points = grid_->pointsOf(grid_tet);
    const Vec3 centre = grid_->toCubes(grid_->positionOf(points[1]));
    return bccBarycentrics()[grid_tet % BccGrid::kTetsPerCube].at(in_cubes - (centre - Vec3(0.5)));
  }

  // Each point goes into the tetrahedron that holds it best, of those that hold its triangles.
  void embed(const SplitLattice& split, Lattice& lattice) const {
    lattice.embeddings.resize(surface_.pointCount());
    std::vector<double> best(surface_.pointCount(), -1.0);
    for (std::size_t p = 0; p < split.pieces.size(); ++p) {
      const SurfacePiece& piece = split.pieces[p];
      if (isWall(piece)) continue;
      for (std::uint32_t i = 0; i < 3; ++i) {
        if (!(piece.corners >> i & 1u)) continue;
        const std::uint32_t point = solid_.triangles[3 * piece.triangle + i];
        const auto weights = barycentric(piece.tet, grid_->toCubes(surface_.positions[point]));
        const double least = *std::min_element(weights.begin(), weights.end());
        if (!(least > best[point])) continue;
        best[point] = least;
        lattice.embeddings[point] = {split.tet_of_piece[p], weights, Vec3(0.0)};
      }
    }
  }

  void sample(const SplitLattice& split, Lattice& lattice) const {
    lattice.samples.reserve(split.pieces.size());
    for (std::size_t p = 0; p < split.pieces.size(); ++p) {
      const SurfacePiece& piece = split.pieces[p];
      if (isWall(piece)) continue;
      SurfaceSample sample;
      sample.tet = split.tet_of_piece[p];
      sample.weights = barycentric(piece.tet, piece.middle_in_cubes);
      for (std::size_t i = 0; i < 3; ++i) {
        sample.points[i] = solid_.triangles[3 * piece.triangle + i];
      }
      sample.point_weights = {piece.middle.x, piece.middle.y, piece.middle.z};
      const Vec3& a = surface_.positions[sample.points[0]];
      const Vec3& b = surface_.positions[sample.points[1]];
      const Vec3& c = surface_.positions[sample.points[2]];
      sample.area_m2 = piece.area_share * 0.5 * glm::length(glm::cross(b - a, c - a));
      lattice.samples.push_back(sample);
    }
    std::stable_sort(lattice.samples.begin(), lattice.samples.end(),
                     [](const SurfaceSample& a, const SurfaceSample& b) { return a.tet < b.tet; });
  }

  const SkinSurface& surface_;
  std::size_t wall_start_;              // triangles from here on are walls
  std::vector<std::uint32_t> wall_of_;  // of each
  SolidSurface solid_;
  TriangleBvh bvh_;
  int threads_;
  Box box_;
  std::optional<BccGrid> grid_;
  LatticeCells cells_;
};

class LatticeMaker {
 public:
  LatticeMaker(const SkinSurface& surface, std::vector<SolidSurface> bodies, const Box& box,
               const LatticeOptions& options)
      : point_count_(surface.pointCount()), box_(box) {
    std::vector<Box> boxes(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      volume_m3_ += volumeOf(surface.positions, bodies[b].outward);
      area_m2_ += areaOf(surface.positions, bodies[b].outward);
      for (const std::uint32_t point : bodies[b].triangles) boxes[b].add(surface.positions[point]);
    }
    skin_ = partLimbs(surface, std::move(bodies), options.node_above);
    for (std::size_t b = 0; b < skin_.bodies.size(); ++b) {
      for (BodyPart& part : skin_.bodies[b]) {
        parts_.emplace_back(skin_.surface, std::move(part), boxes[b], options.threads);
      }
    }
  }
  LatticeMaker(const LatticeMaker&) = delete;  // its parts refer to its skin

  // A cell that gives about the number of tetrahedra that is asked for.
  double cellFor(double limb_m, const LatticeOptions& options) const {
    const double size_m = glm::length(box_.high - box_.low);
    double cell_m = limb_m > 0.0 ? limb_m / kCellsAcrossLimb : size_m / kCellsAcrossLimb;
    cell_m = std::min(cell_m, cellOfCount(static_cast<double>(options.min_tets)));
    return std::max(cell_m, cellOfCount(static_cast<double>(options.max_tets)));
  }

  // The lattice of the smallest cell from `cell_m` up that stays within bounds.
  Lattice make(double cell_m, std::size_t max_tets) {
    cell_m = std::max(cell_m, cellOfCount(kFirstTry * static_cast<double>(max_tets)));
    for (int attempt = 0;; ++attempt) {
      cell_m = std::max(cell_m, leastCell());
      const bool is_last = attempt >= kMaxLatticeTries;
      const bool is_cut = std::all_of(parts_.begin(), parts_.end(),
                                      [&](PartFiller& part) { return part.cut(cell_m); });
      if (!is_cut) {
        cell_m *= 2.0;
        continue;
      }
      std::size_t count = 0;
      for (const PartFiller& part : parts_) count += part.likelyCount();
      if (kLikelyReal * static_cast<double>(count) <= static_cast<double>(max_tets) || is_last) {
        Lattice lattice = fill(cell_m);
        count = lattice.mesh.tets.size();
        if (count <= max_tets || is_last) return lattice;
      }
      cell_m *= growth(count, max_tets);
    }
  }

 private:
  Lattice fill(double cell_m) {
    std::vector<FilledPart> filled;
    for (PartFiller& part : parts_) filled.push_back(part.fill());
    Lattice lattice = joinParts(std::move(filled), skin_.surface.pointCount());
    lattice.cell_m = cell_m;
    lattice.embeddings.resize(point_count_);  // without the middles of walls
    return lattice;
  }

  // The number falls with the third power of the cell or, for thin bodies, with the second.
  static double growth(std::size_t count, std::size_t most) {
    const auto least = static_cast<double>(std::max<std::size_t>(most, 1));
    return std::max(kMinGrowth, portable::pow(static_cast<double>(count) / least, 1.0 / 3.0));
  }

  double cellOfCount(double count) const {
    double low = 0.0, high = glm::length(box_.high - box_.low);
    for (int step = 0; step < 50; ++step) {
      const double middle = 0.5 * (low + high);
      (countOf(middle, volume_m3_, area_m2_) > count ? low : high) = middle;
    }
    return high;
  }

  // So that the grid of the whole box stays within bounds.
  double leastCell() const {
    const Vec3 extent = box_.high - box_.low;
    double cell_m = std::max({extent.x, extent.y, extent.z}) / kMaxCubes;
    const auto cubeCount = [&] {
      double count = 1.0;
      for (int axis = 0; axis < 3; ++axis) count *= std::ceil(extent[axis] / cell_m) + 4.0;
      return count;
    };
    while (cubeCount() > kMaxCubes) cell_m *= 1.1;
    return cell_m;
  }

  std::size_t point_count_;
  Box box_;
  double volume_m3_ = 0.0, area_m2_ = 0.0;
  PartedSkin skin_;
  std::vector<PartFiller> parts_;
};

}  // namespace

Result<Lattice> makeLattice(SkinSurface& surface, const std::vector<BakeBone>& bones,
                            const LatticeOptions& options, Warnings& warnings) {
  SolidSurface solid = partThinSheets(surface, options.threads);
  if (solid.outward.empty()) {
    return Error{ErrorCode::kUnsupported, "", "no part of the skin has a volume",
                 "give tetrahedra, or leave this stage out"};
  }
  Box box;
  for (const std::uint32_t point : solid.triangles) box.add(surface.positions[point]);
  const double size_m = glm::length(box.high - box.low);
  if (!(size_m > kMinSize && size_m < kMaxSize)) {
    return Error{ErrorCode::kUnsupported, "", "the skin is too small or too large to be a body",
                 "check the unit of the file"};
  }
  LatticeMaker maker(surface, separateBodies(surface, solid), box, options);
  const double wanted_m =
      options.cell_m > 0.0 ? options.cell_m : maker.cellFor(thinnestLimb_m(bones), options);
  Lattice lattice = maker.make(wanted_m, options.max_tets);
  if (options.cell_m > 0.0 && lattice.cell_m > wanted_m) {
    warnings.add("cells_enlarged", "the lattice cells are larger than cell_mm, to keep to max_tets",
                 "lattice");
  }
  lattice.outward_triangles = std::move(solid.whole);
  lattice.sheet_count = solid.sheet_count;
  for (std::size_t p = 0; p < lattice.embeddings.size(); ++p) {
    if (lattice.embeddings[p].weights == std::array<double, 4>{}) surface.share[p] = 0.0;
  }
  lattice.cell_shares = cellShares(surface, bones, lattice.cell_m);
  return lattice;
}

}  // namespace clipmill::stages::tet_bake
