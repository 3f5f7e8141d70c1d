// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/sheet_pile.h"

#include "checks.h"
#include "core/to_size.h"
#include "render/walking_mast.h"

TEST_SUITE_BEGIN("render.sheet_pile");

using namespace clipmill;
using namespace clipmill::render;

namespace {

std::vector<std::uint8_t> rowsOf(const render::Image& image, int top, int height, int width) {
  std::vector<std::uint8_t> bytes;
  for (int y = top; y < top + height; ++y) {
    const auto start =
        image.rgba.begin() + static_cast<std::ptrdiff_t>(4 * toSize(y) * toSize(image.width));
    bytes.insert(bytes.end(), start, start + 4 * width);
  }
  return bytes;
}

}  // namespace

TEST_CASE("Each clip of a pile is drawn as its own sheet is") {
  const Scene walk = test::walkingMast(2.0, 0.0), nod = test::walkingMast(0.0, 60.0);
  const SheetRow first{&walk, 0, "", "walk.glb"}, second{&nod, 0, "", "nod.glb"};
  const auto pile = drawSheetPile({first, second}, {});
  const auto one = drawSheet({first}, {}), other = drawSheet({second}, {});
  CHECK_OK(pile);
  CHECK_OK(one);
  CHECK_OK(other);
  CHECK(pile->image.width == std::max(one->image.width, other->image.width));
  REQUIRE(pile->image.height == one->image.height + other->image.height);
  CHECK(rowsOf(pile->image, 0, one->image.height, one->image.width) == one->image.rgba);
  CHECK(rowsOf(pile->image, one->image.height, other->image.height, other->image.width) ==
        other->image.rgba);
}

TEST_CASE("A clip that cannot be drawn is left out with a warning, and none is an error") {
  const Scene walk = test::walkingMast(2.0, 0.0), nothing;
  const SheetRow first{&walk, 0, "", "walk.glb"}, second{&nothing, -1, "", "empty.glb"};
  const auto pile = drawSheetPile({second, first}, {});
  CHECK_OK(pile);
  CHECK(pile->warnings.count("clip_not_shown") == 1);
  CHECK(!drawSheetPile({second}, {}).ok());
}
