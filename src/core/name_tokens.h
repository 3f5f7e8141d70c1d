// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clipmill {

/// The tokens of the name of a node, in lower case: split at all that is neither letter
/// nor digit, between letters and digits, and at the humps of camelCase ("LHipJoint" is l, hip,
/// joint). Numbers are tokens of their own. Letters beyond ASCII form runs that are kept as they
/// are; full-width Latin letters and digits count as the plain ones.
std::vector<std::string> tokensOfName(std::string_view name);

/// True where `token` is a number.
bool isNumberToken(std::string_view token);

}  // namespace clipmill
