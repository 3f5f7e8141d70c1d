// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <clocale>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "command.h"
#include "core/console.h"
#include "core/log.h"
#include "core/system.h"
#include "pipeline/recipe.h"
#include "pipeline/report.h"
#include "usage_text.h"

namespace {

using namespace clipmill;
using namespace clipmill::pipeline;

std::string exitCodesFooter() {
  std::string text = "Exit codes:";
  for (const cli::ExitCodeText& exit : cli::exitCodeTexts()) {
    text += "\n  " + std::to_string(exit.code) + (exit.code < 10 ? "   " : "  ") + exit.meaning;
  }
  return text;
}

int parseAndRun(int argc, char** argv) {
  CLI::App app("clipmill: offline processing of skeletal animation clips");
  app.name("clipmill");
  app.require_subcommand(0, 1);
  app.allow_windows_style_options(false);  // a path may start with a slash
  bool version = false, schema = false;
  app.add_flag("--version", version,
               "print the versions of the program and of each stage algorithm");
  app.add_flag("--schema", schema, "print the JSON Schema of recipes");
  app.footer(exitCodesFooter());

  cli::Action action;
  cli::addInfo(app, action);
  cli::addPoses(app, action);
  cli::addDiff(app, action);
  cli::addCheck(app, action);
  cli::addConvert(app, action);
  cli::addExport(app, action);
  cli::addMerge(app, action);
  cli::addNormalize(app, action);
  cli::addPreview(app, action);
  cli::addRun(app, action);
  cli::addBatch(app, action);
  cli::addBatchChild(app, action);
  cli::addSplit(app, action);
  cli::addSprings(app, action);
  cli::addStages(app, action);
  cli::addReference(app, action);
  try {
    std::vector<std::string> arguments = system::utf8Arguments(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // as the parser takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& fault) {
    // The library has exit codes of its own (103 to 110); ours are the contract.
    if (fault.get_exit_code() == 0) {
      app.exit(fault, std::cout, std::cerr);
      return cli::kOk;
    }
    log::error(cli::usageText(fault));
    return cli::kUsage;
  }
  if (version) return cli::printPayload(versionText());
  if (schema) return cli::printPayload(recipeSchema());
  if (action) return action();
  std::cerr << app.help();
  return cli::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "C");
  clipmill::system::prepareStandardStreams();
  clipmill::system::ignoreBrokenPipe();
  clipmill::system::retainMemory();
  clipmill::system::watchForInterrupt();
  try {
    return parseAndRun(argc, argv);
  } catch (const std::bad_alloc&) {
    clipmill::log::error(
        "memory ran out, and the output at work was not written: use fewer threads (-j) or fewer "
        "clips (--clip), or lower --max-decoded-mb, which refuses large inputs at once");
    return clipmill::cli::kInput;
  } catch (const std::exception& fault) {
    clipmill::log::error(std::string("internal error: ") + fault.what());
    return clipmill::cli::kInternal;
  }
}
