// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

namespace clipmill::stages::dynamic_bones {

/// Classes of chains with secondary motion.
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

/// The class of a chain, as the name of a node suggests it.
struct ChainName {
  std::optional<ChainClass> chain_class;
  bool is_excluded = false;  ///< A control, a twist joint, an eye, a weapon: never simulated.
  bool is_end = false;       ///< Marks where a chain ends: "_end", "_nub", "_tip".
};

/// Matches whole name tokens only ("Earring" is no ear, "Chair" no hair, "Detail" no tail) in
/// English, Japanese and the abbreviations of VRoid, with the commonest names in other languages.
/// Of several classes, the most specific one counts: "HairRibbon" is a ribbon, "CoatTail" a coat,
/// "PonyTail" hair.
ChainName chainNameOf(std::string_view name);

}  // namespace clipmill::stages::dynamic_bones
