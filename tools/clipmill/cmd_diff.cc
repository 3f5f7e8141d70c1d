// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <limits>
#include <memory>

#include "command.h"
#include "io/io.h"
#include "pipeline/diff_report.h"

namespace clipmill::cli {
namespace {

struct DiffOptions {
  CommonOptions common;
  std::string a, b;
  double fps = 60.0;
  double tolerance_mm = std::numeric_limits<double>::infinity();
  bool json = false;
};

int runDiff(const DiffOptions& options) {
  options.common.applyLogLevel();
  const auto a = io::load(options.a, {false, options.common.limits()});
  if (!a) return report(a.error());
  const auto b = io::load(options.b, {false, options.common.limits()});
  if (!b) return report(b.error());
  const auto diff = pipeline::diffFiles(a->scene, b->scene, options.fps);
  if (!diff) return report(diff.error());
  const int printed =
      printPayload(options.json ? pipeline::diffJson(*diff) : pipeline::diffText(*diff));
  if (printed != kOk) return printed;
  const bool judges = options.tolerance_mm < std::numeric_limits<double>::infinity();
  return judges && !diff->isWithin(options.tolerance_mm) ? kDiffers : kOk;
}

}  // namespace

void addDiff(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "compare the poses of two files, clip by clip");
  command->add_option("A", options->a, "first file")->required();
  command->add_option("B", options->b, "second file")->required();
  command->add_option("--fps", options->fps, "sampling rate of the comparison [Hz]")
      ->check(CLI::Range(0.001, 1000.0))
      ->capture_default_str();
  command
      ->add_option(
          "--tolerance-mm", options->tolerance_mm,
          "exit with 4 if a node is farther off than this, or a clip or node is missing [mm]")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "print JSON");
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return runDiff(*options); }); });
}

}  // namespace clipmill::cli
