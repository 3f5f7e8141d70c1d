// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "io/io.h"
#include "pipeline/check.h"
#include "pipeline/run.h"

namespace clipmill::cli {
namespace {

struct CheckOptions {
  CommonOptions common;
  std::string input;
  std::vector<std::string> clips;
  std::vector<double> most;  // one a measure; not a number for no limit
  bool json = false;
};

// With meshes where they can be read: what they are not needed for is measured all the same.
Result<io::Asset> loadForCheck(const CheckOptions& options, std::string& no_meshes) {
  auto with_meshes = io::load(options.input, {true, options.common.limits()});
  if (with_meshes) return with_meshes;
  no_meshes = with_meshes.error().message;
  return io::load(options.input, {false, options.common.limits()});
}

int runCheck(const CheckOptions& options) {
  options.common.applyLogLevel();
  std::string no_meshes;
  const auto asset = loadForCheck(options, no_meshes);
  if (!asset) return report(asset.error());
  const auto clips = selectClips(asset->scene, options.clips);
  if (!clips) return report(within(options.input, clips.error()));
  auto check = checkClips(asset->scene, *clips, options.common.limits());
  if (!check) return report(within(options.input, check.error()));
  check->file = options.input;
  if (!no_meshes.empty()) check->no_limbs = no_meshes;

  CheckLimits limits;
  for (const double most : options.most) {
    limits.push_back(most == most ? std::optional<double>(most) : std::nullopt);
  }
  const int printed =
      printPayload(options.json ? checkJson(*check, limits) : checkText(*check, limits));
  if (printed != kOk) return printed;
  const bool broken =
      std::any_of(check->clips.begin(), check->clips.end(),
                  [&](const ClipCheck& clip) { return !brokenLimits(clip, limits).empty(); });
  return broken ? kDiffers : kOk;
}

// "foot_skate_cm" becomes "--max-foot-skate-cm"; what is a maximum by name is not said twice.
std::string limitFlag(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return (name.starts_with("max-") ? "--" : "--max-") + name;
}

}  // namespace

void addCheck(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check",
      "measure the clips of a file: way, feet, knees, flight, loop seam, limbs in the body");
  command->add_option("FILE", options->input, "the file to read")->required();
  command->add_option("--clip", options->clips, "name, index or glob of a clip; repeatable");
  options->most.assign(checkMeasures().size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 0; m < checkMeasures().size(); ++m) {
    const MeasureKind& kind = checkMeasures()[m];
    command->add_option(limitFlag(kind.name), options->most[m],
                        std::string("exit with 4 when more, or not measured: ") + kind.doc);
  }
  command->add_flag("--json", options->json, "as JSON");
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return runCheck(*options); }; });
}

}  // namespace clipmill::cli
