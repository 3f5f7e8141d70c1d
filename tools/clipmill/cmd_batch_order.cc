// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch-order`: one file of a batch in a process of its own. `batch --isolate` runs it; it stands
// in no help.
#include <memory>
#include <string>

#include "batch/isolation.h"
#include "command.h"
#include "core/file.h"
#include "core/system.h"

namespace clipmill::cli {
namespace {

int orderCommand(const std::string& input, const std::string& output) {
  system::endWithParent();
  const auto order = system::readStandardInput();
  const auto answer = batch::answerOrder(input, output, asText(order));
  return answer ? printPayload(*answer) : report(answer.error());
}

}  // namespace

void addBatchOrder(CLI::App& app, Action& action) {
  auto paths = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App* command = app.add_subcommand(batch::kOrderCommand, "")->group("");
  command->add_option("INPUT", paths->first)->required();
  command->add_option("OUTPUT", paths->second)->required();
  command->callback(
      [paths, &action] { action = [paths] { return orderCommand(paths->first, paths->second); }; });
}

}  // namespace clipmill::cli
