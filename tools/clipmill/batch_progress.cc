// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch_progress.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "core/log.h"
#include "core/system.h"
#include "core/text.h"
#include "core/to_size.h"
#include "pipeline/report.h"

namespace clipmill::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kPlainLines = 20;
constexpr int kBarCells = 20;
constexpr std::chrono::milliseconds kBetweenBars{100};

// "0:07", "1:02:30"
std::string clockText(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e9) + 0.5);
  const auto two = [](std::int64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  const std::string start =
      hours > 0 ? std::to_string(hours) + ":" + two(minutes) : std::to_string(minutes);
  return start + ":" + two(whole % 60);
}

void printJson(const ordered_json& value) {
  const std::string line = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::fprintf(stderr, "%s\n", line.c_str());
}

struct Counts {
  std::size_t done = 0, known = 0, skipped = 0, failed = 0;
};

Counts countsOf(std::span<const batch::JobResult> results) {
  Counts counts;
  for (const batch::JobResult& result : results) {
    counts.done += result.status == batch::JobStatus::kDone;
    counts.skipped += result.status == batch::JobStatus::kSkipped;
    counts.failed += result.status == batch::JobStatus::kFailed;
    counts.known += result.from_record;
  }
  return counts;
}

}  // namespace

BatchProgress::BatchProgress(const std::string& mode, bool quiet, bool verbose)
    : is_verbose_(verbose) {
  const bool is_bar = mode == "bar" || (mode == "auto" && system::isStderrTerminal());
  mode_ = mode == "json"           ? Mode::kJson
          : quiet || mode == "off" ? Mode::kOff
          : is_bar                 ? Mode::kBar
                                   : Mode::kPlain;
}

// Unchanged files take no time, so they are not counted in the rate.
std::string BatchProgress::pace(std::size_t done, std::size_t total) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::size_t worked = done - known_;
  if (worked == 0 || seconds <= 0.0) return "";
  const double rate = static_cast<double>(worked) / seconds;
  return ", " + fixedText(rate, rate < 10.0 ? 2 : 0) + " files/s, " +
         clockText(static_cast<double>(total - done) / rate) + " left";
}

void BatchProgress::drawBar(const batch::JobResult& result, std::size_t done, std::size_t total) {
  const auto now = Clock::now();
  if (done < total && now - drawn_ < kBetweenBars) return;
  drawn_ = now;
  const std::size_t full = done * kBarCells / total;
  std::string line = "[" + std::string(full, '#') + std::string(kBarCells - full, '-') + "] " +
                     std::to_string(done) + " of " + std::to_string(total) + pace(done, total);
  if (failed_ > 0) line += ", " + std::to_string(failed_) + " failed";
  // A line that wraps cannot be drawn over.
  const auto columns = toSize(system::stderrColumns());
  constexpr std::size_t kShortestName = 8;
  if (line.size() + 2 + kShortestName < columns) {
    line += "  " + printable(result.job.name, columns - line.size() - 3);
  }
  line.resize(std::min(line.size(), columns - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void BatchProgress::fileDone(const batch::JobResult& result, std::size_t done, std::size_t total) {
  failed_ += result.status == batch::JobStatus::kFailed;
  known_ += result.from_record;
  if (mode_ == Mode::kBar) {
    drawBar(result, done, total);
  } else if (mode_ == Mode::kJson) {
    ordered_json line = {{"event", "file"},
                         {"name", result.job.name},
                         {"input", result.job.input.generic_string()},
                         {"status", result.error ? "failed" : "done"},
                         {"from_record", result.from_record},
                         {"done", done},
                         {"total", total},
                         {"failed", failed_}};
    if (result.error) {
      line["error"] = {{"code", pipeline::errorWord(result.error->code)},
                       {"location", result.error->location},
                       {"message", result.error->message},
                       {"remedy", result.error->remedy}};
    }
    printJson(line);
  } else if (mode_ == Mode::kPlain) {
    const bool is_step = done * kPlainLines / total > (done - 1) * kPlainLines / total;
    const std::string failed = failed_ > 0 ? ", " + std::to_string(failed_) + " failed" : "";
    if (is_verbose_) {
      log::note(std::to_string(done) + " of " + std::to_string(total) + ": " +
                printable(result.job.name));
    } else if (is_step) {
      log::note(std::to_string(done) + " of " + std::to_string(total) + pace(done, total) + failed);
    }
  }
}

void BatchProgress::finish(std::span<const batch::JobResult> results) {
  const Counts counts = countsOf(results);
  if (mode_ == Mode::kJson) {
    printJson({{"event", "end"},
               {"done", counts.done},
               {"failed", counts.failed},
               {"skipped", counts.skipped},
               {"from_record", counts.known}});
    return;
  }
  if (mode_ == Mode::kBar) std::fprintf(stderr, "\r\033[K");
  log::note(std::to_string(counts.done) + " done, " + std::to_string(counts.failed) + " failed, " +
            std::to_string(counts.skipped) + " not started; " + std::to_string(counts.known) +
            " unchanged");
  for (const batch::JobResult& result : results) {
    if (result.error) log::error(failureText(result));
  }
}

std::string failureText(const batch::JobResult& result) {
  const std::string text = describe(*result.error);
  const std::string name = printable(result.job.input.string());
  return text.starts_with(name) ? text : name + ": " + text;
}

}  // namespace clipmill::cli
