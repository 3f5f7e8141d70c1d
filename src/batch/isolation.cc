// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/isolation.h"

#include <cmath>
#include <csignal>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/system.h"
#include "core/text.h"

namespace clipmill::batch {
namespace {

using nlohmann::json;

// An answer is a record, which holds a few lines a file.
constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{64} << 20;

std::string orderOf(const Recipe& recipe, const WorkSettings& settings) {
  const json order = {{"recipe", recipeToml(recipe, false)},
                      {"clips", settings.clips},
                      {"reports", settings.beside.reports},
                      {"previews", settings.beside.previews},
                      {"max_file_bytes", settings.limits.max_file_bytes},
                      {"max_decoded_bytes", settings.limits.max_decoded_bytes},
                      {"max_depth", settings.limits.max_depth}};
  return order.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string answerOf(const BatchRecord& record) {
  const json answer = {{"record", recordText(record)},
                       {"peak_memory_bytes", system::peakMemoryBytes()}};
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool readAnswer(std::string_view text, IsolatedWork& work) {
  try {
    const json answer = json::parse(text);
    answer.at("peak_memory_bytes").get_to(work.peak_memory_bytes);
    auto record = recordFrom(answer.at("record").get<std::string>());
    if (!record) return false;
    work.record = std::move(*record);
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

Error brokenDown(const system::ChildResult& child, const Isolation& isolation) {
  constexpr const char* kReport = "please report it with the file";
  switch (child.end) {
    case system::ChildEnd::kTimeOut:
      return {ErrorCode::kLimit, "",
              "was not done within " + numberText(isolation.longest_s.value_or(0.0)) + " s",
              "raise --timeout if it is meant to take that long"};
    case system::ChildEnd::kInterrupted:
      return {ErrorCode::kInterrupted, "", "was interrupted, and nothing was written",
              "run it again"};
    case system::ChildEnd::kSignal:
      if (isolation.most_memory_bytes && child.code == SIGABRT) {
        return {ErrorCode::kLimit, "",
                "ended its process (signal " + std::to_string(child.code) +
                    "), which had at most " + megabytes(*isolation.most_memory_bytes),
                "raise --max-memory if it is meant to need that much"};
      }
      if (child.code == SIGKILL) {
        return {ErrorCode::kLimit, "", "was ended from outside (signal 9)",
                "if the system was out of memory, run fewer --jobs at a time"};
      }
      return {ErrorCode::kInternal, "",
              "ended its process (signal " + std::to_string(child.code) + ")", kReport};
    case system::ChildEnd::kExited:
    case system::ChildEnd::kTooMuchOutput:
      break;
  }
  return {ErrorCode::kInternal, "",
          "ended its process (exit code " + std::to_string(child.code) + ")", kReport};
}

system::ChildLimits childLimits(const Isolation& isolation) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  system::ChildLimits limits;
  limits.seconds = isolation.longest_s.value_or(kForever);
  limits.output_bytes = kMostAnswerBytes;
  limits.memory_bytes =
      isolation.most_memory_bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  limits.may_write_files = true;
  return limits;
}

}  // namespace

IsolatedWork doJobInChild(const BatchJob& job, const Recipe& recipe, const WorkSettings& settings,
                          const Isolation& isolation) {
  IsolatedWork work;
  const auto child =
      system::runChild(isolation.program, {kOrderCommand, job.input.string(), job.output.string()},
                       childLimits(isolation), asBytes(orderOf(recipe, settings)));
  if (!child) {
    work.record.error = child.error();
    return work;
  }
  const bool is_answered = child->end == system::ChildEnd::kExited && child->code == 0 &&
                           readAnswer(asText(child->output), work);
  if (is_answered) return work;
  removeTemporaries(job.output.parent_path(), child->process_id);
  work = {};
  work.record.error = within(job.input.string(), brokenDown(*child, isolation));
  return work;
}

Result<std::string> answerOrder(const std::filesystem::path& input,
                                const std::filesystem::path& output, std::string_view order) {
  WorkSettings settings;
  std::string recipe_text;
  try {
    const json value = json::parse(order);
    value.at("recipe").get_to(recipe_text);
    value.at("clips").get_to(settings.clips);
    value.at("reports").get_to(settings.beside.reports);
    value.at("previews").get_to(settings.beside.previews);
    value.at("max_file_bytes").get_to(settings.limits.max_file_bytes);
    value.at("max_decoded_bytes").get_to(settings.limits.max_decoded_bytes);
    value.at("max_depth").get_to(settings.limits.max_depth);
  } catch (const json::exception&) {
    return Error{ErrorCode::kUsage, kOrderCommand, "its standard input is no order of a batch",
                 "use clipmill batch --isolate, which runs it"};
  }
  CLIPMILL_TRY(const Recipe recipe, parseRecipe(recipe_text, ""));
  return answerOf(doJob({"", input, output, ""}, recipe, settings));
}

}  // namespace clipmill::batch
