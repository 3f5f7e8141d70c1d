// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/lattice_split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/disjoint_sets.h"
#include "core/parallel.h"

namespace clipmill::stages::tet_bake {
namespace {

// Patches whose weights agree in at least this share move together.
constexpr double kTogetherShare = 0.5;
// Cells with more patches or pieces than this are not worth the search: all is one thing there.
constexpr std::size_t kMaxPatches = 16;
constexpr std::size_t kMaxPieces = 256;
// Of a patch, so many pieces are looked for from a corner.
constexpr std::size_t kMaxLooks = 8;
// A hit within this share of a segment is one of its ends.
constexpr double kNear = 1e-7;
constexpr std::size_t kCellsPerBlock = 256;
constexpr std::uint32_t kSeveral = BccGrid::kNone;

// One tetrahedron to be: what lies in it, and where its cell is.
struct Fragment {
  std::uint32_t cell = 0;
  std::uint32_t piece_start = 0, piece_end = 0;
  std::uint8_t corners = 0;  // bit k: corner k of the cell is inside, and of this fragment
};

using Fragments = std::vector<Fragment>;

// Whether the segment from `a` to `b` passes through a triangle.
bool crosses(const Vec3& a, const Vec3& b, const std::array<Vec3, 3>& triangle) {
  const Vec3 path = b - a;
  const Vec3 ab = triangle[1] - triangle[0], ac = triangle[2] - triangle[0];
  const Vec3 h = glm::cross(path, ac);
  const double volume = glm::dot(ab, h);
  if (volume == 0.0) return false;
  const Vec3 s = a - triangle[0];
  const double u = glm::dot(s, h) / volume;
  const Vec3 q = glm::cross(s, ab);
  const double v = glm::dot(path, q) / volume;
  const double t = glm::dot(ac, q) / volume;
  return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > kNear && t < 1.0 - kNear;
}

void addWeights(std::span<const Influence> influences, std::vector<Influence>& sums) {
  for (const Influence& influence : influences) {
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const Influence& sum) {
      return sum.joint == influence.joint;
    });
    if (known == sums.end()) {
      sums.push_back(influence);
    } else {
      known->weight += influence.weight;
    }
  }
}

// Both are weights that sum to 1.
bool moveTogether(const std::vector<Influence>& a, const std::vector<Influence>& b) {
  if (a.empty() || b.empty()) return false;
  if (dominantNode(a) == dominantNode(b)) return true;
  double common = 0.0;
  for (const Influence& of_a : a) {
    for (const Influence& of_b : b) {
      if (of_a.joint == of_b.joint) common += std::min(of_a.weight, of_b.weight);
    }
  }
  return common >= kTogetherShare;
}

class Splitter {
 public:
  Splitter(const BccGrid& grid, LatticeCells cells, const SkinSurface& surface,
           std::span<const std::uint32_t> triangles,
           const std::function<bool(const Vec3&)>& is_interior)
      : grid_(grid),
        cells_(std::move(cells)),
        surface_(surface),
        triangles_(triangles),
        is_interior_(is_interior) {
    findTriangleNodes();
    findCellOfTet();
  }

  SplitLattice split(int threads) {
    // One list per block of cells: no two blocks share data.
    std::vector<Fragments> blocks((cells_.tets.size() + kCellsPerBlock - 1) / kCellsPerBlock);
    parallelFor(cells_.tets.size(), kCellsPerBlock, threads,
                [&](std::size_t start, std::size_t end) {
                  for (std::size_t cell = start; cell < end; ++cell) {
                    splitCell(static_cast<std::uint32_t>(cell), blocks[start / kCellsPerBlock]);
                  }
                });
    for (const Fragments& block : blocks) {
      for (const Fragment& fragment : block) {
        startCells(fragment.cell + 1);
        fragments_.push_back(fragment);
      }
    }
    startCells(cells_.tets.size() + 1);
    return join();
  }

 private:
  struct CellContents {
    std::uint32_t start, end;  // of its pieces
    std::array<std::uint32_t, 4> points;
    std::array<Vec3, 4> positions;  // of the points, in cube coordinates
  };

  void findTriangleNodes() {
    for (std::size_t t = 0; t + 3 <= triangles_.size(); t += 3) {
      const auto nodeAt = [&](std::size_t i) {
        return dominantNode(surface_.influencesOf(triangles_[t + i]));
      };
      const std::uint32_t node = nodeAt(0);
      const bool is_one = nodeAt(1) == node && nodeAt(2) == node;
      node_of_triangle_.push_back(is_one ? node : kSeveral);
    }
  }

  void findCellOfTet() {
    cell_of_tet_.assign(grid_.tetCount(), BccGrid::kNone);
    for (std::uint32_t cell = 0; cell < cells_.tets.size(); ++cell) {
      cell_of_tet_[cells_.tets[cell]] = cell;
    }
  }

  // Fragments from here on belong to the cells up to the one before `count`.
  void startCells(std::size_t count) {
    fragment_start_.resize(std::max(fragment_start_.size(), count),
                           static_cast<std::uint32_t>(fragments_.size()));
  }

  // --- What is in one cell ---

  void splitCell(std::uint32_t cell, Fragments& fragments) {
    CellContents contents{cells_.piece_start[cell],
                          cells_.piece_start[cell + 1],
                          grid_.pointsOf(cells_.tets[cell]),
                          {}};
    std::uint8_t inside = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (cells_.is_interior[contents.points[k]]) inside |= static_cast<std::uint8_t>(1u << k);
    }
    if (isOneThing(contents)) {
      fragments.push_back({cell, contents.start, contents.end, inside});
      return;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      contents.positions[k] = grid_.toCubes(grid_.positionOf(contents.points[k]));
    }
    addFragments(cell, contents, inside, fragments);
  }

  bool isOneThing(const CellContents& contents) const {
    const std::uint32_t count = contents.end - contents.start;
    if (count <= 1 || count > kMaxPieces) return true;
    const std::uint32_t node = nodeOfPiece(contents.start);
    for (std::uint32_t p = contents.start + 1; p < contents.end; ++p) {
      if (nodeOfPiece(p) != node) return false;
    }
    return node != kSeveral;
  }

  std::uint32_t nodeOfPiece(std::uint32_t piece) const {
    return node_of_triangle_[cells_.pieces[piece].triangle];
  }

  // Numbers 0..pieces are the pieces of the cell, the four behind them its corners.
  void addFragments(std::uint32_t cell, const CellContents& contents, std::uint8_t inside,
                    Fragments& fragments) {
    const std::uint32_t count = contents.end - contents.start;
    DisjointSets things(count + 4);
    uniteNeighbours(contents, things);
    uniteAlikes(contents, things);
    uniteThroughSolid(contents, inside, things);
    std::vector<std::uint32_t> sets = setsOf(things, count);
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t set = things.find(count + k);
      const bool is_new = std::find(sets.begin(), sets.end(), set) == sets.end();
      if ((inside >> k & 1u) && is_new) sets.push_back(set);
    }
    const std::vector<std::uint32_t> sorted_sets = sortPieces(contents, things);
    std::uint32_t start = contents.start;
    for (const std::uint32_t set : sets) {
      Fragment fragment{cell, start, start, 0};
      while (fragment.piece_end < contents.end &&
             sorted_sets[fragment.piece_end - contents.start] == set) {
        ++fragment.piece_end;
      }
      for (std::uint32_t k = 0; k < 4; ++k) {
        if ((inside >> k & 1u) && things.find(count + k) == set) {
          fragment.corners |= static_cast<std::uint8_t>(1u << k);
        }
      }
      start = fragment.piece_end;
      fragments.push_back(fragment);
    }
  }

  // Names of the sets that have pieces, ascending.
  static std::vector<std::uint32_t> setsOf(DisjointSets& things, std::uint32_t count) {
    std::vector<std::uint32_t> sets;
    for (std::uint32_t p = 0; p < count; ++p) {
      if (things.find(p) == p) sets.push_back(p);
    }
    return sets;
  }

  // Brings the pieces of each set together, sets ascending. Returns the set of each piece.
  std::vector<std::uint32_t> sortPieces(const CellContents& contents, DisjointSets& things) {
    const std::uint32_t count = contents.end - contents.start;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // set, piece
    for (std::uint32_t p = 0; p < count; ++p) order.emplace_back(things.find(p), p);
    std::sort(order.begin(), order.end());
    std::vector<SurfacePiece> sorted;
    std::vector<std::uint32_t> sorted_sets;
    for (const auto& [set, piece] : order) {
      sorted.push_back(cells_.pieces[contents.start + piece]);
      sorted_sets.push_back(set);
    }
    std::copy(sorted.begin(), sorted.end(), cells_.pieces.begin() + contents.start);
    return sorted_sets;
  }

  // Pieces that are connected within the cell: at a corner or an edge of their triangles.
  void uniteNeighbours(const CellContents& contents, DisjointSets& things) {
    using Key = std::pair<std::uint64_t, std::uint32_t>;  // what is shared, and who has it
    std::vector<Key> keys;
    for (std::uint32_t p = contents.start; p < contents.end; ++p) {
      const SurfacePiece& piece = cells_.pieces[p];
      for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint64_t a = triangles_[3 * piece.triangle + i];
        const std::uint64_t b = triangles_[3 * piece.triangle + (i + 1) % 3];
        if (piece.corners >> i & 1u) keys.emplace_back(a << 32 | a, p - contents.start);
        if (piece.edges >> i & 1u) {
          keys.emplace_back(std::min(a, b) << 32 | std::max(a, b), p - contents.start);
        }
      }
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].first == keys[i - 1].first) things.unite(keys[i].second, keys[i - 1].second);
    }
  }

  // Patches that the same nodes move.
  void uniteAlikes(const CellContents& contents, DisjointSets& things) const {
    const std::uint32_t count = contents.end - contents.start;
    const std::vector<std::uint32_t> sets = setsOf(things, count);
    if (sets.size() > kMaxPatches) {
      for (std::uint32_t p = 1; p < count; ++p) things.unite(0, p);
      return;
    }
    std::vector<std::vector<Influence>> weights;
    for (const std::uint32_t set : sets) {
      weights.push_back(meanWeights(contents.start, contents.end, [&](std::uint32_t p) {
        return things.find(p - contents.start) == set;
      }));
    }
    for (std::size_t a = 0; a < sets.size(); ++a) {
      for (std::size_t b = a + 1; b < sets.size(); ++b) {
        if (moveTogether(weights[a], weights[b])) things.unite(sets[a], sets[b]);
      }
    }
  }

  template <class Counts>
  std::vector<Influence> meanWeights(std::uint32_t start, std::uint32_t end,
                                     const Counts& counts) const {
    std::vector<Influence> sums;
    for (std::uint32_t p = start; p < end; ++p) {
      if (!counts(p)) continue;
      for (std::uint32_t i = 0; i < 3; ++i) {
        addWeights(surface_.influencesOf(triangles_[3 * cells_.pieces[p].triangle + i]), sums);
      }
    }
    double sum = 0.0;
    for (const Influence& influence : sums) sum += influence.weight;
    for (Influence& influence : sums) influence.weight /= sum;
    return sums;
  }

  // What faces each other through the solid is one: corners inside of the body, and patches.
  void uniteThroughSolid(const CellContents& contents, std::uint8_t inside, DisjointSets& things) {
    const std::uint32_t count = contents.end - contents.start;
    if (setsOf(things, count).size() == 1) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        if (inside >> k & 1u) things.unite(0, count + k);
      }
      return;
    }
    std::vector<View> views = viewsOf(contents, things);
    for (std::uint32_t k = 0; k < 4; ++k) {
      if (inside >> k & 1u) views.push_back({count + k, contents.end, contents.positions[k]});
    }
    for (std::size_t a = 0; a < views.size(); ++a) {
      for (std::size_t b = a + 1; b < views.size(); ++b) {
        if (things.find(views[a].thing) == things.find(views[b].thing)) continue;
        if (isSolidBetween(contents, views[a], views[b])) {
          things.unite(views[a].thing, views[b].thing);
        }
      }
    }
  }

  // A position in the cell for visibility tests, and its contents.
  struct View {
    std::uint32_t thing;  // as in `things`
    std::uint32_t piece;  // on which it is; the end of the pieces for corners
    Vec3 position;
  };

  // The middles of the first few pieces of each patch.
  std::vector<View> viewsOf(const CellContents& contents, DisjointSets& things) const {
    const std::uint32_t count = contents.end - contents.start;
    std::vector<View> views;
    for (const std::uint32_t set : setsOf(things, count)) {
      std::size_t looks = 0;
      for (std::uint32_t p = 0; p < count && looks < kMaxLooks; ++p) {
        if (things.find(p) != set) continue;
        ++looks;
        const std::uint32_t piece = contents.start + p;
        views.push_back({p, piece, cells_.pieces[piece].middle_in_cubes});
      }
    }
    return views;
  }

  bool isSolidBetween(const CellContents& contents, const View& a, const View& b) const {
    if (!isFree(contents, a, b)) return false;
    for (const double share : {0.25, 0.5, 0.75}) {
      if (!is_interior_(grid_.fromCubes(a.position + share * (b.position - a.position))))
        return false;
    }
    return true;
  }

  // Whether no piece is between two positions.
  bool isFree(const CellContents& contents, const View& a, const View& b) const {
    for (std::uint32_t p = contents.start; p < contents.end; ++p) {
      if (p == a.piece || p == b.piece) continue;
      std::array<Vec3, 3> triangle;
      for (std::size_t i = 0; i < 3; ++i) {
        triangle[i] =
            grid_.toCubes(surface_.positions[triangles_[3 * cells_.pieces[p].triangle + i]]);
      }
      if (crosses(a.position, b.position, triangle)) return false;
    }
    return true;
  }

  // --- Across cells ---

  SplitLattice join() {
    DisjointSets corners(4 * fragments_.size());
    for (std::uint32_t f = 0; f < fragments_.size(); ++f) {
      const std::uint32_t tet = cells_.tets[fragments_[f].cell];
      for (int k = 0; k < 4; ++k) {
        const std::uint32_t neighbour = grid_.neighbourOf(tet, k);
        if (neighbour == BccGrid::kNone || neighbour < tet) continue;
        const std::uint32_t cell = cell_of_tet_[neighbour];
        if (cell == BccGrid::kNone) continue;
        for (std::uint32_t g = fragment_start_[cell]; g < fragment_start_[cell + 1]; ++g) {
          joinAcross(f, g, corners);
        }
      }
    }
    return gather(corners);
  }

  void joinAcross(std::uint32_t f, std::uint32_t g, DisjointSets& corners) const {
    const auto points_f = grid_.pointsOf(cells_.tets[fragments_[f].cell]);
    const auto points_g = grid_.pointsOf(cells_.tets[fragments_[g].cell]);
    std::array<std::pair<std::uint32_t, std::uint32_t>, 3> shared;
    std::size_t count = 0;
    bool is_joined = false;
    for (std::uint32_t k = 0; k < 4; ++k) {
      for (std::uint32_t m = 0; m < 4; ++m) {
        if (points_f[k] != points_g[m]) continue;
        shared[count++] = {k, m};
        is_joined |= (fragments_[f].corners >> k & 1u) && (fragments_[g].corners >> m & 1u);
      }
    }
    if (!is_joined && !goesOn(fragments_[f], fragments_[g])) return;
    for (std::size_t i = 0; i < count; ++i) {
      corners.unite(4 * f + shared[i].first, 4 * g + shared[i].second);
    }
  }

  // Whether two fragments share a triangle or move together.
  bool goesOn(const Fragment& f, const Fragment& g) const {
    for (std::uint32_t p = f.piece_start; p < f.piece_end; ++p) {
      for (std::uint32_t q = g.piece_start; q < g.piece_end; ++q) {
        if (cells_.pieces[p].triangle == cells_.pieces[q].triangle) return true;
      }
    }
    const auto all = [](std::uint32_t) { return true; };
    return moveTogether(meanWeights(f.piece_start, f.piece_end, all),
                        meanWeights(g.piece_start, g.piece_end, all));
  }

  SplitLattice gather(DisjointSets& corners) {
    SplitLattice lattice;
    std::vector<std::uint32_t> vertex_of_set(4 * fragments_.size(), BccGrid::kNone);
    std::vector<char> is_used(grid_.pointCount(), 0);
    std::size_t position_count = 0;
    lattice.tet_of_piece.resize(cells_.pieces.size());
    for (std::uint32_t f = 0; f < fragments_.size(); ++f) {
      const Fragment& fragment = fragments_[f];
      const auto points = grid_.pointsOf(cells_.tets[fragment.cell]);
      Tet tet;
      for (std::uint32_t k = 0; k < 4; ++k) {
        std::uint32_t& vertex = vertex_of_set[corners.find(4 * f + k)];
        if (vertex == BccGrid::kNone) {
          vertex = static_cast<std::uint32_t>(lattice.positions.size());
          lattice.positions.push_back(grid_.positionOf(points[k]));
          if (!is_used[points[k]]) ++position_count;
          is_used[points[k]] = 1;
        }
        tet[k] = vertex;
      }
      lattice.tets.push_back(tet);
      for (std::uint32_t p = fragment.piece_start; p < fragment.piece_end; ++p) {
        lattice.tet_of_piece[p] = f;
      }
    }
    lattice.doubled_tet_count = fragments_.size() - cells_.tets.size();
    lattice.doubled_corner_count = lattice.positions.size() - position_count;
    lattice.pieces = std::move(cells_.pieces);
    return lattice;
  }

  const BccGrid& grid_;
  LatticeCells cells_;
  const SkinSurface& surface_;
  std::span<const std::uint32_t> triangles_;
  const std::function<bool(const Vec3&)>& is_interior_;
  std::vector<std::uint32_t> node_of_triangle_;  // kSeveral where its corners differ
  std::vector<std::uint32_t> cell_of_tet_;
  Fragments fragments_;
  std::vector<std::uint32_t> fragment_start_;  // of each cell
};

}  // namespace

SplitLattice splitLattice(const BccGrid& grid, LatticeCells cells, const SkinSurface& surface,
                          std::span<const std::uint32_t> triangles,
                          const std::function<bool(const Vec3& position)>& is_interior,
                          int threads) {
  return Splitter(grid, std::move(cells), surface, triangles, is_interior).split(threads);
}

}  // namespace clipmill::stages::tet_bake
