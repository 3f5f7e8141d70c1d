// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// consumer IN OUT CLIP DISTANCE_M: stretches a clip and prints the length of its root motion.
#include <cstdio>
#include <string>

#include "io/io.h"
#include "measure/clip_check.h"
#include "pipeline/run.h"

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;

Result<double> pathAfterStretch(const std::string& input, const std::string& output,
                                const std::string& clip, const std::string& distance_m) {
  CLIPMILL_TRY(Recipe recipe,
               parseRecipe("[[stage]]\ntype = \"stretch\"\ndistance_m = " + distance_m, "recipe"));
  RunOptions options;
  options.clips = {clip};
  RunReport report;
  CLIPMILL_CHECK(runFile(input, recipe, output, options, report));

  CLIPMILL_TRY(const io::Asset asset, io::load(output, {true, options.limits}));
  CLIPMILL_TRY(const std::vector<int> clips, selectClips(asset.scene, {clip}));
  CLIPMILL_TRY(const measure::FileCheck check,
               measure::checkClips(asset.scene, clips, options.limits));
  return check.clips.front().of(measure::CheckMeasure::kRootNet).value_or(-1.0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto path_m = pathAfterStretch(argv[1], argv[2], argv[3], argv[4]);
  if (!path_m) {
    std::fprintf(stderr, "%s\n", describe(path_m.error()).c_str());
    return 1;
  }
  std::printf("%.6f\n", *path_m);
  return 0;
}
