// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/mesh_pass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "render/planar_shadow.h"
#include "render/rasteriser.h"

namespace clipmill::render {
namespace {

constexpr int kSamples = 4;            // a side
constexpr int kShadowLights = 24;      // points of the lamp
constexpr double kLampRadius = 0.055;  // tangent of the angle under which half the lamp is seen
constexpr int kMapSize = 640;          // texels a side of the key light's map

// One sample a cell of a 4 x 4 pattern, the values 0..15 spread evenly (B. E. Bayer 1973).
double bayer(int x, int y) {
  static constexpr int kPattern[4][4] = {
      {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  return (kPattern[y & 3][x & 3] + 0.5) / 16.0;
}

// -- Colour of a triangle's points

// What a triangle shows, with its attributes at the three corners.
struct Look {
  const Surface* surface;
  bool has_uv = false, has_color = false;
  Vec2 uv[3];
  Vec4 color[3];
};

const Surface kPlainSurface{};

Look lookOf(const PosedMesh& mesh, std::size_t triangle, const std::vector<Surface>& surfaces) {
  Look look{&kPlainSurface, false, false, {}, {}};
  if (!mesh.look) return look;
  const SkinnedMesh& m = *mesh.look;
  if (m.material >= 0 && toSize(m.material) < surfaces.size()) {
    look.surface = &surfaces[toSize(m.material)];
  }
  look.has_uv = look.surface->base && m.uvs.size() == m.vertexCount();
  look.has_color = m.colors.size() == m.vertexCount();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t vertex = m.triangles[3 * triangle + i];
    if (look.has_uv) look.uv[i] = m.uvs[vertex];
    if (look.has_color) look.color[i] = m.colors[vertex];
  }
  return look;
}

Vec4 colorAt(const Look& look, const Vec3& at) {
  Vec4 color = look.has_uv
                   ? look.surface->at(look.uv[0] * at.x + look.uv[1] * at.y + look.uv[2] * at.z)
                   : look.surface->color;
  if (look.has_color) {
    color = color * glm::clamp(look.color[0] * at.x + look.color[1] * at.y + look.color[2] * at.z,
                               Vec4(0.0), Vec4(1.0));
  }
  return color;
}

bool isSeen(const Surface& surface, double alpha, int x, int y) {
  switch (surface.alpha_mode) {
    case AlphaMode::kOpaque:
      return true;
    case AlphaMode::kMask:
      return alpha >= surface.alpha_cutoff;
    case AlphaMode::kBlend:
      return alpha > bayer(x, y);
  }
  return true;
}

// -- Samples

// Film of one cell before it is resolved: light and nearness (1 / depth; 0 for nothing) of samples.
class SampleFilm {
 public:
  SampleFilm(int width, int height) : width_(kSamples * width), height_(kSamples * height) {
    samples_.resize(toSize(width_) * toSize(height_));
  }

  int width() const { return width_; }
  int height() const { return height_; }
  struct Sample {
    float near = 0.0f;
    float light[3] = {0.0f, 0.0f, 0.0f};
  };
  Sample& at(int x, int y) { return samples_[toSize(y) * toSize(width_) + toSize(x)]; }

  void resolveOnto(Film& film) {
    for (int y = 0; y < film.height(); ++y) {
      for (int x = 0; x < film.width(); ++x) {
        Vec3 sum(0.0);
        int covered = 0;
        for (int s = 0; s < kSamples * kSamples; ++s) {
          const Sample& sample = at(kSamples * x + s % kSamples, kSamples * y + s / kSamples);
          if (sample.near <= 0.0f) continue;
          ++covered;
          // Clamped one by one: a highlight must not eat the smoothness of an edge.
          for (int c = 0; c < 3; ++c) sum[c] += std::min(sample.light[c], 1.0f);
        }
        if (covered) film.blend(x, y, sum / double(covered), covered / double(kSamples * kSamples));
      }
    }
  }

 private:
  int width_, height_;
  std::vector<Sample> samples_;
};

// Normals at the corners, flipped to the side from which the triangle is seen: surfaces are shown
// from both sides. Which side is outside is given by the normals, since mirrored maps flip
// windings.
void normalsOf(const PosedMesh& mesh, const std::uint32_t* v, const Vec3& eye, Vec3 (&normals)[3]) {
  const Vec3& a = mesh.positions[v[0]];
  Vec3 face = glm::cross(mesh.positions[v[1]] - a, mesh.positions[v[2]] - a);
  const double area = std::sqrt(glm::dot(face, face));
  if (area > 0.0) face /= area;
  const double seen = glm::dot(face, eye - a) < 0.0 ? -1.0 : 1.0;
  if (mesh.normals.empty()) {
    for (Vec3& normal : normals) normal = face * seen;
    return;
  }
  for (int i = 0; i < 3; ++i) normals[i] = mesh.normals[v[i]];
  if (glm::dot(normals[0] + normals[1] + normals[2], face) * seen < 0.0) {
    for (Vec3& normal : normals) normal = -normal;
  }
}

class MeshPainter {
 public:
  MeshPainter(SampleFilm& film, const Camera& camera, const std::vector<Surface>& surfaces,
              const Lights& lights, const KeyLightMap& map)
      : film_(film), camera_(camera), surfaces_(surfaces), lights_(lights), map_(map) {}

  /// First what is nearest, then the light of that alone: shading costs more than finding out.
  std::size_t paint(const std::vector<PosedMesh>& meshes) {
    std::size_t left_out = 0;
    std::vector<std::vector<Projected>> seen(meshes.size());
    for (std::size_t m = 0; m < meshes.size(); ++m) {
      for (const Vec3& position : meshes[m].positions) {
        seen[m].push_back(camera_.project(position));
        seen[m].back().px *= double(kSamples);
      }
      for (std::size_t t = 0; 3 * t + 2 < meshes[m].triangles.size(); ++t) {
        if (!findNearest(meshes[m], seen[m], t)) ++left_out;
      }
    }
    for (std::size_t m = 0; m < meshes.size(); ++m) {
      for (std::size_t t = 0; 3 * t + 2 < meshes[m].triangles.size(); ++t) {
        paintNearest(meshes[m], seen[m], t);
      }
    }
    return left_out;
  }

 private:
  // Calls visit(sample, x, y, weights on the surface) for the samples that a triangle covers.
  template <class Visit>
  bool cover(const PosedMesh& mesh, const std::vector<Projected>& seen, std::size_t t,
             Visit&& visit) {
    const std::uint32_t* v = &mesh.triangles[3 * t];
    Vec3 near;
    for (int i = 0; i < 3; ++i) {
      const Projected& corner = seen[v[i]];
      if (!(corner.depth_m > 0.0 && std::isfinite(corner.depth_m))) return false;
      near[i] = 1.0 / corner.depth_m;
    }
    return rasterTriangle(seen[v[0]].px, seen[v[1]].px, seen[v[2]].px, film_.width(),
                          film_.height(), [&](int x, int y, const Vec3& weights) {
                            const double nearness = glm::dot(weights, near);
                            // As the weights were before perspective.
                            visit(film_.at(x, y), x, y, static_cast<float>(nearness),
                                  weights * near / nearness);
                          });
  }

  bool findNearest(const PosedMesh& mesh, const std::vector<Projected>& seen, std::size_t t) {
    const Look look = lookOf(mesh, t, surfaces_);
    const bool opaque = look.surface->alpha_mode == AlphaMode::kOpaque;
    return cover(mesh, seen, t,
                 [&](SampleFilm::Sample& sample, int x, int y, float nearness, const Vec3& at) {
                   if (nearness <= sample.near) return;
                   if (!opaque && !isSeen(*look.surface, colorAt(look, at).w, x, y)) return;
                   sample.near = nearness;
                 });
  }

  void paintNearest(const PosedMesh& mesh, const std::vector<Projected>& seen, std::size_t t) {
    const Look look = lookOf(mesh, t, surfaces_);
    const std::uint32_t* v = &mesh.triangles[3 * t];
    Vec3 normals[3];
    normalsOf(mesh, v, camera_.eye, normals);
    cover(mesh, seen, t,
          [&](SampleFilm::Sample& sample, int x, int y, float nearness, const Vec3& at) {
            if (nearness != sample.near) return;
            const Vec4 color = colorAt(look, at);
            if (!isSeen(*look.surface, color.w, x, y)) return;
            const Vec3 point = mesh.positions[v[0]] * at.x + mesh.positions[v[1]] * at.y +
                               mesh.positions[v[2]] * at.z;
            const Vec3 normal = normals[0] * at.x + normals[1] * at.y + normals[2] * at.z;
            const Vec3 light = lightAt(*look.surface, Vec3(color), point, normal, x, y);
            for (int c = 0; c < 3; ++c) sample.light[c] = static_cast<float>(light[c]);
          });
  }

  Vec3 lightAt(const Surface& surface, const Vec3& color, const Vec3& point, Vec3 normal, int x,
               int y) const {
    const double length = std::sqrt(glm::dot(normal, normal));
    if (length > 0.0) normal /= length;
    Vec3 to_eye = camera_.eye - point;
    to_eye /= std::sqrt(glm::dot(to_eye, to_eye));
    const Vec2 jitter(2.0 * bayer(x, y) - 1.0, 2.0 * bayer(y + 1, x + 2) - 1.0);
    return shade(surface, color, normal, to_eye, map_.litAt(point, normal, jitter), lights_);
  }

  SampleFilm& film_;
  const Camera& camera_;
  const std::vector<Surface>& surfaces_;
  const Lights& lights_;
  const KeyLightMap& map_;
};

// Points of a round lamp, evenly spread (H. Vogel's sunflower, 1979).
std::array<Vec3, kShadowLights> lampPoints(const Vec3& to_light) {
  constexpr double kGoldenAngle = 2.39996322972865332;
  const Vec3 other = std::abs(to_light.y) < 0.9 ? Vec3(0, 1, 0) : Vec3(1, 0, 0);
  Vec3 side = glm::cross(to_light, other);
  side /= std::sqrt(glm::dot(side, side));
  const Vec3 across = glm::cross(to_light, side);
  std::array<Vec3, kShadowLights> points;
  for (int i = 0; i < kShadowLights; ++i) {
    const double radius = kLampRadius * std::sqrt((i + 0.5) / kShadowLights);
    const double angle = kGoldenAngle * i;
    points[toSize(i)] =
        to_light + (side * portable::cos(angle) + across * portable::sin(angle)) * radius;
  }
  return points;
}

}  // namespace

// -- Key light

KeyLightMap::KeyLightMap(const std::vector<PosedMesh>& meshes, const Vec3& to_light) {
  axes_.back = to_light;
  const Vec3 other = std::abs(to_light.y) < 0.9 ? Vec3(0, 1, 0) : Vec3(1, 0, 0);
  axes_.right = glm::cross(other, to_light);
  axes_.right /= std::sqrt(glm::dot(axes_.right, axes_.right));
  axes_.up = glm::cross(axes_.back, axes_.right);
  CameraBox box;
  for (const PosedMesh& mesh : meshes) {
    for (const Vec3& p : mesh.positions) {
      if (clipmill::isFinite(p)) box.add(inAxes(axes_, p));
    }
  }
  if (box.empty()) return;
  const Vec3 extent = box.high - box.low;
  low_ = box.low;
  texel_m_ = std::max({extent.x, extent.y, 1e-9}) / (kMapSize - 1);
  nearest_.assign(std::size_t{kMapSize} * kMapSize, -1e30f);
  for (const PosedMesh& mesh : meshes) {
    for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
      Vec3 p[3];
      for (std::size_t i = 0; i < 3; ++i) {
        p[i] = (inAxes(axes_, mesh.positions[mesh.triangles[t + i]]) - low_) / texel_m_;
      }
      rasterTriangle(Vec2(p[0]), Vec2(p[1]), Vec2(p[2]), kMapSize, kMapSize,
                     [&](int x, int y, const Vec3& w) {
                       const double z = w.x * p[0].z + w.y * p[1].z + w.z * p[2].z;
                       float& nearest = nearest_[toSize(y) * kMapSize + toSize(x)];
                       nearest = std::max(nearest, static_cast<float>(z));
                     });
    }
  }
}

double KeyLightMap::litAt(const Vec3& point, const Vec3& normal, const Vec2& jitter) const {
  if (texel_m_ <= 0.0) return 1.0;
  // Off the surface by what a slope may rise within the probe's reach, or it would shadow itself.
  constexpr double kReach = 2.0, kOff = 2.6;
  const Vec3 off = point + normal * (kOff * texel_m_);
  const Vec3 p = (inAxes(axes_, off) - low_) / texel_m_;
  const double x = std::floor(p.x + kReach * jitter.x), y = std::floor(p.y + kReach * jitter.y);
  if (!(x >= 0.0 && y >= 0.0 && x < kMapSize && y < kMapSize)) return 1.0;
  const float nearest = nearest_[toSize(y) * kMapSize + toSize(x)];
  return static_cast<double>(nearest) > p.z + 1.0 ? 0.0 : 1.0;
}

// -- Passes

std::size_t drawMeshes(Film& film, const Camera& camera, const std::vector<PosedMesh>& meshes,
                       const std::vector<Surface>& surfaces, const Lights& lights) {
  const KeyLightMap map(meshes, lights.to_key);
  SampleFilm samples(film.width(), film.height());
  MeshPainter painter(samples, camera, surfaces, lights, map);
  const std::size_t left_out = painter.paint(meshes);
  samples.resolveOnto(film);
  return left_out;
}

std::vector<float> shadowCover(int width, int height, const Camera& camera,
                               const std::vector<PosedMesh>& meshes, const Vec3& to_light,
                               double ground_m) {
  const std::size_t pixels = toSize(width) * toSize(height);
  std::vector<float> cover(pixels, 0.0f);
  std::vector<std::uint8_t> reached(pixels, 0);  // the last lamp point, counted from 1, that did
  const Vec4 ground(0.0, 1.0, 0.0, -ground_m);
  std::uint8_t light = 0;
  std::vector<Vec2> seen;
  for (const Vec3& point : lampPoints(to_light)) {
    ++light;
    const Mat4 shadow = shadowMatrix(ground, Vec4(point, 0.0));
    // Each point of the lamp looks at another part of the pixel: edges are smooth in two respects.
    const Vec2 shift(bayer(light, light / 4) - 0.5, bayer(light / 4 + 2, light) - 0.5);
    for (const PosedMesh& mesh : meshes) {
      seen.assign(mesh.positions.size(), Vec2(std::numeric_limits<double>::quiet_NaN()));
      for (std::size_t v = 0; v < seen.size(); ++v) {
        const auto fallen = shadowOf(shadow, mesh.positions[v]);
        if (!fallen) continue;
        const Projected at = camera.project(*fallen);
        if (at.depth_m > 0.0) seen[v] = at.px + shift;
      }
      for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
        const std::uint32_t* v = &mesh.triangles[t];
        rasterTriangle(seen[v[0]], seen[v[1]], seen[v[2]], width, height,
                       [&](int x, int y, const Vec3&) {
                         const std::size_t i = toSize(y) * toSize(width) + toSize(x);
                         if (reached[i] == light) return;
                         reached[i] = light;
                         cover[i] += 1.0f / kShadowLights;
                       });
      }
    }
  }
  return cover;
}

}  // namespace clipmill::render
