// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/result.h"

#include "core/text.h"

namespace clipmill {

std::string describe(const Error& error) {
  std::string text = printable(error.location);
  if (!text.empty()) text += ": ";
  text += printable(error.message);
  if (!error.remedy.empty()) text += "; " + printable(error.remedy);
  return text;
}

Error within(const std::string& outer, Error error) {
  error.location = error.location.empty() ? outer : outer + ": " + error.location;
  return error;
}

}  // namespace clipmill
