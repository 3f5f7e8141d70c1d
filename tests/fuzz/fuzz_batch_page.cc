// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any text as the report of a batch. It is refused with one line, or becomes a page in which
// nothing of it ends the element that it is in.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz_checks.h"
#include "pages/batch_page.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clipmill;
  using namespace clipmill::pages;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Without a folder of outputs nothing is looked for on the disk.
  const auto page = batchPage("<!--clipmill:data-->", text, {"page.html", "none"});
  if (!page) {
    fuzz::requireOneLine(page.error());
    return 0;
  }
  fuzz::require(page->rfind('<') == page->size() - std::string_view("</script>\n").size(),
                "an element within the data");
  fuzz::require(page->find('<', 1) == page->rfind('<'), "an element within the data");
  return 0;
}
