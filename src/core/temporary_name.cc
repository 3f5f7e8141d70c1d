// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/temporary_name.h"

#include <algorithm>
#include <atomic>
#include <charconv>

#include "core/system.h"

namespace clipmill {
namespace {

constexpr std::string_view kTemporaryEnd = ".tmp";

// Without its last part, which must be a number behind a point.
std::optional<std::string_view> withoutNumber(std::string_view text) {
  const std::size_t last = text.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == text.size() || text[last] != '.') {
    return std::nullopt;
  }
  return text.substr(0, last);
}

}  // namespace

std::filesystem::path temporaryBeside(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary;
  std::error_code fault;
  // Another process that was killed may have had this number and left its file.
  do {
    std::string name = "." + path.filename().string() + ".";
    name += std::to_string(system::processId()) + "." + std::to_string(counter++);
    temporary = path.parent_path() / (name += kTemporaryEnd);
  } while (std::filesystem::exists(temporary, fault));
  return temporary;
}

std::optional<std::string> targetOfTemporary(std::string_view file_name) {
  if (!file_name.starts_with('.') || !file_name.ends_with(kTemporaryEnd)) return std::nullopt;
  file_name.remove_prefix(1);
  file_name.remove_suffix(std::min(kTemporaryEnd.size(), file_name.size()));
  const auto with_process = withoutNumber(file_name);
  const auto target = with_process ? withoutNumber(*with_process) : std::nullopt;
  if (!target || target->empty()) return std::nullopt;
  return std::string(*target);
}

bool isTemporaryOf(std::string_view file_name, std::uint64_t process_id) {
  if (!targetOfTemporary(file_name)) return false;
  file_name.remove_suffix(kTemporaryEnd.size());
  const auto with_process = withoutNumber(file_name);
  return with_process && with_process->ends_with("." + std::to_string(process_id));
}

std::optional<std::uint64_t> processOfTemporary(std::string_view file_name) {
  if (!targetOfTemporary(file_name)) return std::nullopt;
  file_name.remove_suffix(kTemporaryEnd.size());
  const std::string_view with_process = *withoutNumber(file_name);
  const std::string_view digits = with_process.substr(with_process.find_last_of('.') + 1);
  std::uint64_t process_id = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), process_id);
  if (read.ec != std::errc()) return std::nullopt;
  return process_id;
}

}  // namespace clipmill
