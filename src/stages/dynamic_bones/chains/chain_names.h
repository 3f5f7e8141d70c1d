// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

namespace clipmill::bones {

/// Kinds of things that swing.
enum class ChainClass {
  kHair,
  kSkirt,
  kTail,
  kRibbon,
  kEar,
  kCape,
  kBreast,
  kSleeve,
  kAccessory,
};

/// "hair"
const char* chainClassName(ChainClass chain_class);

/// What the name of a node says about swinging.
struct ChainName {
  std::optional<ChainClass> chain_class;
  bool is_excluded = false;  ///< A control, a twist joint, an eye, a weapon: never swings.
  bool is_end = false;       ///< Marks where a chain ends: "_end", "_nub", "_tip".
};

/// Looks at whole words only ("Earring" is no ear, "Chair" no hair, "Detail" no tail) in English,
/// Japanese and the abbreviations of VRoid; of several classes that which says most: "HairRibbon"
/// is a ribbon, "CoatTail" a coat, "PonyTail" hair.
ChainName chainNameOf(std::string_view name);

}  // namespace clipmill::bones
