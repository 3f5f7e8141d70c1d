// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/sheet_pile.h"

#include <algorithm>

#include "core/to_size.h"
#include "render/film.h"
#include "render/palette.h"

namespace clipmill::render {
namespace {

constexpr std::size_t kMaxPixels = 400'000'000;

// Copies `image` into the rows of `pile` from `top` down.
void copyRows(const Image& image, int top, Image& pile) {
  for (int y = 0; y < image.height; ++y) {
    const auto from =
        image.rgba.begin() + static_cast<std::ptrdiff_t>(4 * toSize(y) * toSize(image.width));
    const auto to =
        pile.rgba.begin() + static_cast<std::ptrdiff_t>(4 * toSize(top + y) * toSize(pile.width));
    std::copy(from, from + static_cast<std::ptrdiff_t>(4 * toSize(image.width)), to);
  }
}

Image paperOf(int width, int height) {
  const Image dot = Film(1, 1, palette::kPaper).develop();
  Image paper{width, height, {}};
  paper.rgba.resize(4 * toSize(width) * toSize(height));
  for (std::size_t i = 0; i < paper.rgba.size(); ++i) paper.rgba[i] = dot.rgba[i % 4];
  return paper;
}

}  // namespace

Result<Sheet> drawSheetPile(const std::vector<SheetRow>& rows, const SheetSettings& settings) {
  Sheet pile;
  std::vector<Image> images;
  int width = 0, height = 0;
  for (const SheetRow& row : rows) {
    auto sheet = drawSheet({row}, settings);
    if (!sheet) {
      if (sheet.error().code == ErrorCode::kUsage) return sheet.error();
      pile.warnings.add("clip_not_shown", "a clip cannot be drawn", describe(sheet.error()));
      continue;
    }
    pile.warnings.merge(sheet->warnings);
    width = std::max(width, sheet->image.width);
    height += sheet->image.height;
    images.push_back(std::move(sheet->image));
  }
  if (images.empty()) {
    return Error{ErrorCode::kUnsupported, "", "has no clip that can be drawn", ""};
  }
  if (toSize(width) * toSize(height) > kMaxPixels) {
    return Error{ErrorCode::kLimit, "", "needs too large an image", "draw fewer clips"};
  }
  pile.image = paperOf(width, height);
  int top = 0;
  for (const Image& image : images) {
    copyRows(image, top, pile.image);
    top += image.height;
  }
  return pile;
}

}  // namespace clipmill::render
