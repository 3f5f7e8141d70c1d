// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/journal.h"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "pipeline/report.h"

namespace clipmill::batch {
namespace {

using nlohmann::json;

std::string lineOf(const json& event) {
  return event.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& path, std::size_t jobs) {
  Journal journal;
  CLIPMILL_TRY(journal.file_, system::AppendedFile::open(path));
  // On a line of its own, even after half a line of a process that was killed.
  CLIPMILL_CHECK(journal.file_.append("\n" + lineOf({{"event", "start"}, {"files", jobs}})));
  return journal;
}

void Journal::start(const BatchJob& job) {
  add(lineOf({{"event", "file_start"}, {"name", job.name}}));
}

void Journal::end(const JobResult& result) {
  json event = {{"event", "end"},
                {"name", result.job.name},
                {"status", jobStatusWord(result.status)},
                {"from_record", result.from_record}};
  if (result.error) event["error"] = pipeline::errorWord(result.error->code);
  add(lineOf(event));
}

Status Journal::close() {
  add(lineOf({{"event", "stop"}}));
  if (status_) status_ = file_.flush();
  return status_;
}

void Journal::add(const std::string& line) {
  if (status_) status_ = file_.append(line);
}

}  // namespace clipmill::batch
