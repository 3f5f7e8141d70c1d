// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pages/page_template.h"

#include <cstdint>

#include "core/file.h"
#include "core/system.h"

namespace clipmill::pages {
namespace {

constexpr std::string_view kDataLocation = "<!--clipmill:data-->";
constexpr std::uint64_t kMaxTemplateBytes = std::uint64_t{16} << 20;
constexpr const char* kRemedy = "run scripts/viewer.sh, then build again";

void addBlock(std::string& page, const PageBlock& block) {
  page += "<script type=\"" + block.type + "\" id=\"" + block.id + "\">";
  page += block.content;
  page += "</script>\n";
}

}  // namespace

PageBlock jsonBlock(std::string id, std::string_view json_text) {
  std::string text;
  text.reserve(json_text.size());
  for (const char c : json_text) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return {"application/json", std::move(id), std::move(text)};
}

Result<std::string> loadPageTemplate(const std::string& name) {
  const std::filesystem::path path =
      system::executablePath().parent_path().parent_path() / "share" / "clipmill" / name;
  auto bytes = readFile(path, kMaxTemplateBytes);
  if (!bytes) {
    return Error{ErrorCode::kNotFound, path.string(), "the viewer page is missing", kRemedy};
  }
  return std::string(asText(*bytes));
}

Result<std::string> pageWithData(std::string_view page_template,
                                 std::span<const PageBlock> blocks) {
  const std::size_t location = page_template.find(kDataLocation);
  if (location == std::string_view::npos) {
    return Error{ErrorCode::kMalformed, "the viewer page", "has no mark for data", kRemedy};
  }
  std::size_t bytes = page_template.size();
  for (const PageBlock& block : blocks) bytes += block.content.size();
  std::string page(page_template.substr(0, location));
  page.reserve(bytes);
  for (const PageBlock& block : blocks) addBlock(page, block);
  page += page_template.substr(location + kDataLocation.size());
  return page;
}

}  // namespace clipmill::pages
