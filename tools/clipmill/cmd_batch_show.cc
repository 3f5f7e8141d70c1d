// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch show`: the page of a report that is there already.
#include <memory>

#include "batch_commands.h"
#include "batch_page.h"
#include "core/file.h"
#include "side_files.h"

namespace clipmill::cli {
namespace {

namespace fs = std::filesystem;

struct ShowReport {
  CommonOptions common;
  std::string report, output, out_dir;
};

Status show(const ShowReport& options) {
  BatchPage page;
  const SideFile file{"--output", options.output};
  CLIPMILL_CHECK(checkSideFiles({&file, 1}, {options.report}));
  CLIPMILL_CHECK(page.prepare(options.output));
  CLIPMILL_TRY(const Bytes bytes, readFile(options.report, options.common.limits().max_file_bytes));
  std::optional<fs::path> out_dir;
  if (!options.out_dir.empty()) out_dir = options.out_dir;
  const Status written = page.finish(std::string(asText(bytes)), out_dir);
  if (written || written.error().code != ErrorCode::kMalformed) return written;
  return within(options.report, written.error());
}

int showCommand(const ShowReport& options) {
  options.common.applyLogLevel();
  const Status shown = show(options);
  return shown ? static_cast<int>(kOk) : report(shown.error());
}

}  // namespace

void addBatchShow(CLI::App& batch, Action& action) {
  auto options = std::make_shared<ShowReport>();
  CLI::App* command = batch.add_subcommand("show", "write a batch report as an HTML page");
  command->add_option("REPORT", options->report, "report of batch --report or batch merge")
      ->required();
  command->add_option("-o,--output", options->output, "page to write, HTML")->required();
  command->add_option("--out-dir", options->out_dir,
                      "folder of the outputs; default: the folder that the report names");
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return showCommand(*options); }; });
}

}  // namespace clipmill::cli
