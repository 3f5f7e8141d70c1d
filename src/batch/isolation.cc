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

// A response is a record, which has a few lines for each file.
constexpr std::uint64_t kMaxResponseBytes = std::uint64_t{64} << 20;

std::string requestText(const pipeline::Recipe& recipe, const WorkSettings& settings) {
  const json request = {{"recipe", pipeline::recipeToml(recipe, false)},
                        {"clips", settings.clips},
                        {"reports", settings.beside.reports},
                        {"previews", settings.beside.previews},
                        {"max_file_bytes", settings.limits.max_file_bytes},
                        {"max_decoded_bytes", settings.limits.max_decoded_bytes},
                        {"max_depth", settings.limits.max_depth}};
  return request.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string responseText(const BatchRecord& record) {
  const json response = {{"record", recordText(record)},
                         {"peak_memory_bytes", system::peakMemoryBytes()}};
  return response.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool readResponse(std::string_view text, IsolatedWork& work) {
  try {
    const json response = json::parse(text);
    response.at("peak_memory_bytes").get_to(work.peak_memory_bytes);
    auto record = recordFrom(response.at("record").get<std::string>());
    if (!record) return false;
    work.record = std::move(*record);
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

std::string megabytesText(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

Error childError(const system::ChildResult& child, const Isolation& isolation) {
  constexpr const char* kReport = "report this as a bug and attach the file";
  switch (child.end) {
    case system::ChildEnd::kTimeOut:
      return {ErrorCode::kLimit, "",
              "did not finish within " + numberText(isolation.timeout_s.value_or(0.0)) + " s",
              "raise --timeout if the file needs more time"};
    case system::ChildEnd::kInterrupted:
      return {ErrorCode::kInterrupted, "", "was interrupted; nothing was written", "run it again"};
    case system::ChildEnd::kSignal:
      if (isolation.max_memory_bytes && child.code == SIGABRT) {
        return {ErrorCode::kLimit, "",
                "crashed its process (signal " + std::to_string(child.code) +
                    ") with a memory limit of " + megabytesText(*isolation.max_memory_bytes),
                "raise --max-memory if the file needs more memory"};
      }
      return {ErrorCode::kInternal, "",
              "crashed its process (signal " + std::to_string(child.code) + ")", kReport};
    case system::ChildEnd::kKilled:
      return {ErrorCode::kLimit, "", "was killed by the system (signal 9)",
              "lower --jobs if the system was out of memory"};
    case system::ChildEnd::kExited:
    case system::ChildEnd::kTooMuchOutput:
      break;
  }
  return {ErrorCode::kInternal, "",
          "ended its process unexpectedly (exit code " + std::to_string(child.code) + ")", kReport};
}

system::ChildLimits childLimits(const Isolation& isolation) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  system::ChildLimits limits;
  limits.seconds = isolation.timeout_s.value_or(kForever);
  limits.output_bytes = kMaxResponseBytes;
  limits.memory_bytes =
      isolation.max_memory_bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  limits.may_write_files = true;
  return limits;
}

}  // namespace

IsolatedWork doJobInChild(const BatchJob& job, const pipeline::Recipe& recipe,
                          const WorkSettings& settings, const Isolation& isolation) {
  IsolatedWork work;
  const auto child =
      system::runChild(isolation.program, {kChildCommand, job.input.string(), job.output.string()},
                       childLimits(isolation), asBytes(requestText(recipe, settings)));
  if (!child) {
    work.record.error = child.error();
    return work;
  }
  const bool has_response = child->end == system::ChildEnd::kExited && child->code == 0 &&
                            readResponse(asText(child->output), work);
  if (has_response) return work;
  removeTemporaries(job.output.parent_path(), child->process_id);
  work = {};
  work.record.error = within(job.input.string(), childError(*child, isolation));
  return work;
}

Result<std::string> runRequest(const std::filesystem::path& input,
                               const std::filesystem::path& output, std::string_view request) {
  WorkSettings settings;
  std::string recipe_text;
  try {
    const json value = json::parse(request);
    value.at("recipe").get_to(recipe_text);
    value.at("clips").get_to(settings.clips);
    value.at("reports").get_to(settings.beside.reports);
    value.at("previews").get_to(settings.beside.previews);
    value.at("max_file_bytes").get_to(settings.limits.max_file_bytes);
    value.at("max_decoded_bytes").get_to(settings.limits.max_decoded_bytes);
    value.at("max_depth").get_to(settings.limits.max_depth);
  } catch (const json::exception&) {
    return Error{ErrorCode::kUsage, kChildCommand, "standard input is not a batch request",
                 "use clipmill batch --isolate, which runs this command"};
  }
  CLIPMILL_TRY(const pipeline::Recipe recipe, pipeline::parseRecipe(recipe_text, ""));
  return responseText(doJob({"", input, output, ""}, recipe, settings));
}

}  // namespace clipmill::batch
