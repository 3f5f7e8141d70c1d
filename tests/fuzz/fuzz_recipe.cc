// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any text as a recipe: it is refused with one line, or what is written of it reads back as the
// same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "pipeline/recipe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clipmill;
  using namespace clipmill::pipeline;
  const auto recipe = parseRecipe({reinterpret_cast<const char*>(data), size}, "recipe");
  if (!recipe) {
    for (char c : describe(recipe.error())) {
      if (static_cast<unsigned char>(c) < 0x20) std::abort();
    }
    return 0;
  }
  const std::string text = recipeToml(*recipe, true);
  const auto again = parseRecipe(text, "again");
  if (!again || recipeToml(*again, true) != text || recipeHash(*again) != recipeHash(*recipe)) {
    std::fprintf(stderr, "fuzz_recipe: does not read back: %s\n%s\n",
                 again ? "another recipe" : describe(again.error()).c_str(), text.c_str());
    std::abort();
  }
  return 0;
}
