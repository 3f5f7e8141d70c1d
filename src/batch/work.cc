// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/work.h"

#include <exception>
#include <new>

#include "batch/clip_outcomes.h"
#include "core/file.h"
#include "pages/preview.h"
#include "pipeline/report.h"
#include "pipeline/run.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

std::uint64_t warningsOf(const Warnings& warnings) { return warnings.all().size(); }

std::uint64_t warningsOf(const pipeline::RunReport& report) {
  std::uint64_t count = warningsOf(report.warnings);
  for (const pipeline::ClipReport& clip : report.clips) {
    count += warningsOf(clip.warnings);
    for (const pipeline::StageReport& stage : clip.stages) count += warningsOf(stage.warnings);
  }
  for (const pipeline::RunReport& variant : report.variants) count += warningsOf(variant);
  return count;
}

// What was written beside outputs, by path.
class BesideWriter {
 public:
  BesideWriter(const BatchJob& job, const WorkSettings& settings)
      : job_(job), settings_(settings) {}

  Result<std::vector<fs::path>> write(const pipeline::RunReport& report) {
    takeCaches(report);
    if (settings_.beside.reports) {
      const std::string path = job_.output.string() + pipeline::kReportEnding;
      CLIPMILL_CHECK(writeFileAtomically(path, pipeline::reportJson(report)));
      written_.emplace_back(path);
    }
    if (settings_.beside.previews) CLIPMILL_CHECK(writePreviews(report));
    return std::move(written_);
  }

 private:
  // Point caches and the like, which stages wrote.
  void takeCaches(const pipeline::RunReport& report) {
    written_.insert(written_.end(), report.beside.begin(), report.beside.end());
    for (const pipeline::RunReport& variant : report.variants) takeCaches(variant);
  }

  Status writePreviews(const pipeline::RunReport& report) {
    CLIPMILL_TRY(const std::string page_template, pages::loadPreviewTemplate());
    CLIPMILL_TRY(const pages::PreviewModel before,
                 pages::loadPreviewModel(job_.input, {}, settings_.limits));
    if (report.variants.empty()) return writePreview(page_template, before, report);
    for (const pipeline::RunReport& variant : report.variants) {
      CLIPMILL_CHECK(writePreview(page_template, before, variant));
    }
    return {};
  }

  Status writePreview(const std::string& page_template, const pages::PreviewModel& before,
                      const pipeline::RunReport& part) {
    CLIPMILL_TRY(const pages::Preview preview, pages::previewOfRun(before, part, settings_.limits));
    CLIPMILL_TRY(const std::string page, pages::previewPage(page_template, preview));
    const std::string path = part.output + pipeline::kPreviewEnding;
    CLIPMILL_CHECK(writeFileAtomically(path, page));
    written_.emplace_back(path);
    return {};
  }

  const BatchJob& job_;
  const WorkSettings& settings_;
  std::vector<fs::path> written_;
};

Status work(const BatchJob& job, const pipeline::Recipe& recipe, const WorkSettings& settings,
            BatchRecord& record) {
  const std::uint64_t most = settings.limits.max_file_bytes;
  CLIPMILL_TRY(FileStamp input, stampOf(job.input, most));
  record.read.push_back(std::move(input));
  std::error_code fault;
  fs::create_directories(job.output.parent_path(), fault);
  if (fault)
    return Error{ErrorCode::kWrite, job.output.string(), "its folder cannot be created", ""};
  pipeline::RunOptions run;
  run.clips = settings.clips;
  run.threads = 1;
  run.limits = settings.limits;
  pipeline::RunReport report;
  const Status done = pipeline::runFile(job.input, recipe, job.output, run, report);
  record.clips = report.clips.size();
  for (const pipeline::RunReport& variant : report.variants) record.clips += variant.clips.size();
  record.warnings = warningsOf(report);
  for (const fs::path& path : report.read_files) {
    CLIPMILL_TRY(FileStamp stamp, stampOf(path, most));
    record.read.push_back(std::move(stamp));
  }
  CLIPMILL_CHECK(done);
  for (const fs::path& path : pipeline::outputsOf(report)) {
    CLIPMILL_TRY(FileStamp stamp, stampOf(path, most));
    record.written.push_back(std::move(stamp));
  }
  record.outcomes_json = clipOutcomesJson(report);
  CLIPMILL_TRY(const std::vector<fs::path> beside, BesideWriter(job, settings).write(report));
  for (const fs::path& path : beside) {
    CLIPMILL_TRY(FileStamp stamp, stampOf(path, most));
    record.beside.push_back(std::move(stamp));
  }
  return {};
}

}  // namespace

BatchRecord doJob(const BatchJob& job, const pipeline::Recipe& recipe,
                  const WorkSettings& settings) {
  BatchRecord record;
  // One file is not to end all others.
  try {
    if (Status done = work(job, recipe, settings, record); !done) record.error = done.error();
  } catch (const std::bad_alloc&) {
    record.error = Error{ErrorCode::kLimit, job.input.string(), "needs more memory than available",
                         "lower --jobs, or raise --max-memory if it is set"};
  } catch (const std::exception& fault) {
    record.error = Error{ErrorCode::kInternal, job.input.string(),
                         std::string("caused an internal error: ") + fault.what(),
                         "report this as a bug and attach the file"};
  }
  return record;
}

}  // namespace clipmill::batch
