// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_shape.h"

#include <cmath>

#include <glm/matrix.hpp>

#include "checks.h"
#include "stages/tet_bake/tets/material.h"

using namespace clipmill;
using namespace clipmill::stages::tet_bake;
using clipmill::stages::tet_bake::Material;
using clipmill::test::distance;

namespace {

const Corners kRest = {Vec3(0.1, -0.2, 0.05), Vec3(1.2, 0.1, -0.1), Vec3(0.3, 0.9, 0.2),
                       Vec3(0.2, 0.15, 1.1)};
const Corners kBent = {Vec3(0.0, 0.0, 0.3), Vec3(0.9, 0.4, -0.3), Vec3(-0.2, 1.3, 0.1),
                       Vec3(0.6, 0.1, 0.8)};

Mat3 edgesOf(const Corners& x) { return {x[1] - x[0], x[2] - x[0], x[3] - x[0]}; }

// The energy by its definition, from the deformation gradient.
double energyByDefinition(const Material& material, const Corners& x) {
  const Mat3 f = edgesOf(x) * glm::inverse(edgesOf(kRest));
  const double square = glm::dot(f[0], f[0]) + glm::dot(f[1], f[1]) + glm::dot(f[2], f[2]);
  const double a = 1.0 + 1.0 / material.lambda;
  const auto density = [&](double norm_square, double j) {
    return 0.5 * (norm_square - 3.0) + 0.5 * material.lambda * (j - a) * (j - a);
  };
  const double volume = glm::determinant(edgesOf(kRest)) / 6.0;
  return volume * (density(square, glm::determinant(f)) - density(3.0, 1.0));
}

}  // namespace

TEST_SUITE("tet_bake: one tetrahedron") {
  TEST_CASE("the volume of a corner of a cube is a sixth") {
    CHECK(signedVolume({Vec3(0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) ==
          doctest::Approx(1.0 / 6.0));
    CHECK(signedVolume({Vec3(0), Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, 0, 1)}) ==
          doctest::Approx(-1.0 / 6.0));
  }

  TEST_CASE("gradients of the volume are its slopes, and sum to nothing") {
    const Corners gradients = volumeGradients(kBent);
    for (std::size_t i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        Corners up = kBent, down = kBent;
        up[i][k] += 0.5;
        down[i][k] -= 0.5;
        // Linear in one corner: the difference is exact.
        CHECK(gradients[i][k] == doctest::Approx(signedVolume(up) - signedVolume(down)));
      }
    }
    CHECK(distance(gradients[0] + gradients[1] + gradients[2] + gradients[3], Vec3(0.0)) < 1e-15);
  }

  TEST_CASE("the energy is that of the definition") {
    const ElasticTet tet = makeElasticTet(kRest);
    for (double poisson : {0.0, 0.3, 0.45, 0.499}) {
      const Material material = materialOfPoisson(poisson);
      CHECK(elasticEnergy(tet, material, kBent) ==
            test::nearTo(energyByDefinition(material, kBent), 1e-12));
    }
  }

  TEST_CASE("at rest, moved and rotated, there is neither energy nor force") {
    const ElasticTet tet = makeElasticTet(kRest);
    const Material material = materialOfPoisson(kDefaultPoisson);
    const Quat rotation = rotationAbout(glm::normalize(Vec3(1, 2, -0.5)), 2.1);
    Corners moved;
    for (std::size_t i = 0; i < 4; ++i) moved[i] = rotation * kRest[i] + Vec3(3, -7, 2);
    CHECK(std::abs(elasticEnergy(tet, material, moved)) < 1e-13);
    for (const Vec3& gradient : energyGradients(tet, material, moved)) {
      CHECK(distance(gradient, Vec3(0.0)) < 1e-13);
    }
  }

  TEST_CASE("forces are slopes of the energy") {
    const ElasticTet tet = makeElasticTet(kRest);
    const Material material = materialOfPoisson(kDefaultPoisson);
    const Corners gradients = energyGradients(tet, material, kBent);
    constexpr double kStep = 1e-5;
    for (std::size_t i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        Corners up = kBent, down = kBent;
        up[i][k] += kStep;
        down[i][k] -= kStep;
        const double slope =
            (energyByDefinition(material, up) - energyByDefinition(material, down)) / (2 * kStep);
        CHECK(gradients[i][k] == test::nearTo(slope, 1e-6));
      }
    }
  }

  // For small strains, the energy density is mu |eps|^2 + (lambda - mu) / 2 (tr eps)^2; along one
  // axis that is (lambda + mu) / 2 e^2, and for shear by g, mu g^2 / 2.
  TEST_CASE("small strains cost what linear elasticity gives") {
    const ElasticTet tet = makeElasticTet(kRest);
    const double poisson = 0.4, small = 1e-4;
    const Material material = materialOfPoisson(poisson);
    const auto strained = [&](const Mat3& f) {
      Corners x;
      for (std::size_t i = 0; i < 4; ++i) x[i] = f * kRest[i];
      return elasticEnergy(tet, material, x) / tet.volume / (small * small);
    };
    Mat3 stretch(1.0), shear(1.0);
    stretch[0][0] += small;
    shear[1][0] += small;
    // Modulus of confined compression, in units of the shear modulus.
    const double confined = 2.0 * (1.0 - poisson) / (1.0 - 2.0 * poisson);
    CHECK(strained(stretch) == test::nearTo(0.5 * confined, 1e-3));
    CHECK(strained(shear) == test::nearTo(0.5, 1e-3));
  }
}

TEST_SUITE("tet_bake: material") {
  TEST_CASE("the setting of volume spans Poisson's ratios 0.25 to 0.49, 0.45 in its middle") {
    CHECK(materialOfVolume(0.0).lambda == doctest::Approx(materialOfPoisson(0.25).lambda));
    CHECK(materialOfVolume(0.5).lambda == doctest::Approx(materialOfPoisson(0.45).lambda));
    CHECK(materialOfVolume(1.0).lambda == doctest::Approx(materialOfPoisson(0.49).lambda));
    CHECK(materialOfVolume(0.5).lambda == doctest::Approx(Material().lambda));
  }

  TEST_CASE("ratios out of range are clamped") {
    CHECK(materialOfPoisson(-1.0).lambda == 1.0);
    CHECK(materialOfPoisson(0.5).lambda == doctest::Approx(500.0));
    CHECK(materialOfVolume(7.0).lambda == doctest::Approx(50.0));
  }
}
