// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "usage_text.h"

#include <limits>
#include <optional>
#include <regex>
#include <sstream>

#include "core/text.h"

namespace clipmill::cli {
namespace {

constexpr const char* kSeeHelp = "; run with --help for the usage";

// The first flag among arguments that nothing takes, else all of them. The library lists them in
// reverse order, so that what follows a flag comes before it.
std::string unknownArguments(const std::string& arguments) {
  std::istringstream list(arguments);
  std::string argument, flag;
  while (list >> argument) {
    if (argument.starts_with("-")) flag = argument;
  }
  return "unknown argument: " + (flag.empty() ? arguments : flag);
}

// Numbers with a fraction come with six digits behind the point.
std::string limitText(const std::string& text) {
  const auto number = parseNumber(text);
  return number && text.find('.') != std::string::npos ? numberText(*number) : text;
}

std::string rangeText(const std::smatch& parts) {
  const std::string name = parts[1], value = parts[2];
  const auto number = parseNumber(value), low = parseNumber(parts[3].str()),
             high = parseNumber(parts[4].str());
  if (!number || !low || !high) return name + ": needs a number";
  if (*high >= std::numeric_limits<double>::max()) {
    return name + ": is " + value + "; give " + limitText(parts[3]) + " or more";
  }
  return name + ": is " + value + ", outside " + limitText(parts[3]) + " to " + limitText(parts[4]);
}

// The library's text of a value that is refused; nothing where it is not one of those.
std::optional<std::string> valueText(const std::string& text) {
  static const std::regex range(R"(^(\S+): Value ([\s\S]*) not in range (\S+) to (\S+)$)");
  static const std::regex choice(R"(^(\S+): ([\s\S]*) not in \{(\S*)\}$)");
  static const std::regex number(R"(^Could not convert: (\S+) = ([\s\S]*)$)");
  static const std::regex often(R"(^(\S+): At Most 1 required but received (\d+)$)");
  std::smatch parts;
  if (std::regex_match(text, parts, range)) return rangeText(parts);
  if (std::regex_match(text, parts, choice)) {
    const std::string names = std::regex_replace(parts[3].str(), std::regex(","), ", ");
    return parts[1].str() + ": is '" + parts[2].str() + "'; choose one of: " + names;
  }
  if (std::regex_match(text, parts, number)) {
    return parts[1].str() + ": is '" + parts[2].str() + "', but needs a number";
  }
  if (std::regex_match(text, parts, often)) {
    return parts[1].str() + ": is given " + parts[2].str() + " times; give it once";
  }
  return std::nullopt;
}

}  // namespace

std::string usageText(const CLI::ParseError& fault) {
  constexpr std::size_t kLongest = 1000;  // regular expressions recurse for each character
  const std::string text = fault.what();
  const std::size_t colon = text.find(": ");
  if (dynamic_cast<const CLI::ExtrasError*>(&fault) && colon != std::string::npos) {
    return printable(unknownArguments(text.substr(colon + 2))) + kSeeHelp;
  }
  if (text.size() <= kLongest) {
    if (const auto refused = valueText(text)) return printable(*refused);
  }
  return printable(text) + kSeeHelp;
}

}  // namespace clipmill::cli
