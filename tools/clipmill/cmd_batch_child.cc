// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// `batch-child`: one file of a batch in a child process. `batch --isolate` runs it; the help does
// not list it.
#include <memory>
#include <string>

#include "batch/isolation.h"
#include "command.h"
#include "core/file.h"
#include "core/system.h"

namespace clipmill::cli {
namespace {

int childCommand(const std::string& input, const std::string& output) {
  system::endWithParent();
  const auto request = system::readStandardInput();
  const auto response = batch::runRequest(input, output, asText(request));
  return response ? printPayload(*response) : report(response.error());
}

}  // namespace

void addBatchChild(CLI::App& app, Action& action) {
  auto paths = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App* command = app.add_subcommand(batch::kChildCommand, "")->group("");
  command->add_option("INPUT", paths->first)->required();
  command->add_option("OUTPUT", paths->second)->required();
  command->callback(
      [paths, &action] { action = [paths] { return childCommand(paths->first, paths->second); }; });
}

}  // namespace clipmill::cli
