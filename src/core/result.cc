// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/result.h"

#include "core/text.h"

namespace clipmill {

std::string describe(const Error& error) {
  std::string text = printable(error.place);
  if (!text.empty()) text += ": ";
  text += printable(error.message);
  if (!error.remedy.empty()) text += "; " + printable(error.remedy);
  return text;
}

Error within(const std::string& outer, Error error) {
  error.place = error.place.empty() ? outer : outer + ": " + error.place;
  return error;
}

}  // namespace clipmill
