// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pages/batch_page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/file_names.h"
#include "pages/page_template.h"
#include "pipeline/output_names.h"

namespace clipmill::pages {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
// Numbers of a page are only displayed: single precision takes half the bytes.
using PageJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                      std::int64_t, std::uint64_t, float>;

constexpr std::size_t kMaxLevels = 256;

// Members of a report that anybody may have changed: what is not of its kind is not there.
const json& memberOf(const json& value, const char* name) {
  static const json kNone;
  if (!value.is_object()) return kNone;
  const auto found = value.find(name);
  return found == value.end() ? kNone : *found;
}

std::string textIn(const json& value, const char* name) {
  const json& member = memberOf(value, name);
  return member.is_string() ? member.get<std::string>() : "";
}

PageJson numberIn(const json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number()) return nullptr;
  const auto number = static_cast<float>(value.get<double>());
  return std::isfinite(number) ? PageJson(number) : PageJson(nullptr);
}

PageJson numberIn(const json& value, const char* name) { return numberIn(memberOf(value, name)); }

double plainNumberIn(const json& value, const char* name) {
  const json& member = memberOf(value, name);
  return member.is_number() ? member.get<double>() : 0.0;
}

// Indices of pairs of names, in the order of their first use.
class Names {
 public:
  Names(const char* first, const char* second) : first_(first), second_(second) {}

  std::size_t of(const std::string& first, const std::string& second) {
    const auto [found, is_new] = index_of_.try_emplace({first, second}, list_.size());
    if (is_new) list_.push_back({{first_, first}, {second_, second}});
    return found->second;
  }
  PageJson take() { return std::move(list_); }

 private:
  const char *first_, *second_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_of_;
  PageJson list_ = PageJson::array();
};

// Sets the value at `index`; missing elements before it become null.
void put(PageJson& list, std::size_t index, PageJson value) {
  while (list.size() <= index) list.push_back(nullptr);
  list[index] = std::move(value);
}

// What outputs are called from where the page lies: "" or "../out/"; nothing where that is unknown.
std::optional<std::string> linkBase(const fs::path& out_dir, const fs::path& page) {
  std::error_code fault;
  const fs::path folder = fs::weakly_canonical(fs::absolute(page), fault).parent_path();
  const fs::path target = fs::weakly_canonical(fs::absolute(out_dir), fault);
  if (fault) return std::nullopt;
  const fs::path path = target.lexically_relative(folder);
  if (path.empty()) return std::nullopt;
  return path == "." ? "" : (path / "").generic_string();
}

// The data of a page, job by job.
class PageData {
 public:
  PageData(const json& report, const std::optional<fs::path>& out_dir)
      : report_(report), out_dir_(out_dir) {
    const json& costs = memberOf(memberOf(report, "run"), "jobs");
    has_run_ = costs.is_array();
    if (!has_run_) return;
    for (const json& cost : costs) cost_of_[textIn(cost, "name")] = &cost;
  }

  PageJson make(const std::optional<std::string>& link_base) {
    for (const json& job : memberOf(report_, "jobs")) addJob(job);
    PageJson base = link_base ? PageJson(*link_base) : PageJson(nullptr);
    return {{"version", textIn(report_, "version")},
            {"done", numberIn(report_, "done")},
            {"failed", numberIn(report_, "failed")},
            {"skipped", numberIn(report_, "skipped")},
            {"run", runJson()},
            {"link_base", std::move(base)},
            {"columns", columns_.take()},
            {"curves", curves_.take()},
            {"warnings", warnings_.take()},
            {"files", std::move(files_)},
            {"rows", std::move(rows_)}};
  }

 private:
  PageJson runJson() const {
    if (!has_run_) return nullptr;
    const json& run = memberOf(report_, "run");
    double milliseconds = 0.0, peak_mb = plainNumberIn(run, "peak_mb");
    for (const auto& [name, cost] : cost_of_) {
      milliseconds += plainNumberIn(*cost, "ms");
      peak_mb = std::max(peak_mb, plainNumberIn(*cost, "peak_mb"));
    }
    return {{"ms", static_cast<std::int64_t>(milliseconds)},
            {"peak_mb", static_cast<float>(peak_mb)}};
  }

  bool isThere(const std::string& name) const {
    std::error_code fault;
    return out_dir_ && isPlainName(name) && fs::is_regular_file(*out_dir_ / name, fault);
  }

  PageJson outputsJson(const json& job) const {
    PageJson outputs = PageJson::array();
    const json& names = memberOf(job, "outputs");
    if (!names.is_array()) return outputs;
    for (const json& name : names) {
      if (name.is_string()) outputs.push_back(name.get<std::string>());
    }
    return outputs;
  }

  // The outputs that have one.
  PageJson previewsJson(const json& job) const {
    PageJson previews = PageJson::array();
    for (const PageJson& output : outputsJson(job)) {
      const auto name = output.get<std::string>();
      if (isThere(name + pipeline::kPreviewEnding)) previews.push_back(name);
    }
    return previews;
  }

  void addJob(const json& job) {
    const std::string name = textIn(job, "name"), status = textIn(job, "status");
    const auto cost = cost_of_.find(name);
    const bool was_done = cost != cost_of_.end();
    const bool is_known = has_run_ && !was_done && status == "done";
    PageJson file = {{"name", name},
                     {"input", textIn(job, "input")},
                     {"status", is_known ? "unchanged" : status},
                     {"outputs", outputsJson(job)},
                     {"report", isThere(name + pipeline::kReportEnding)},
                     {"previews", previewsJson(job)},
                     {"input_bytes", numberIn(job, "input_bytes")},
                     {"output_bytes", numberIn(job, "output_bytes")},
                     {"ms", was_done ? numberIn(*cost->second, "ms") : PageJson(nullptr)},
                     {"peak_mb", was_done ? numberIn(*cost->second, "peak_mb") : PageJson(nullptr)},
                     {"clips", numberIn(job, "clips")},
                     {"warning_count", numberIn(job, "warnings")}};
    const json& outcomes = memberOf(job, "outcomes");
    file["warnings"] = warningPairs(memberOf(outcomes, "warnings"));
    if (const json& error = memberOf(job, "error"); error.is_object()) {
      file["error"] = {{"code", textIn(error, "code")},
                       {"location", textIn(error, "location")},
                       {"message", textIn(error, "message")},
                       {"remedy", textIn(error, "remedy")}};
    }
    const json& clips = memberOf(outcomes, "clips");
    if (clips.is_array()) {
      for (const json& clip : clips) rows_.push_back(rowJson(clip, files_.size()));
    }
    files_.push_back(std::move(file));
  }

  PageJson rowJson(const json& clip, std::size_t file) {
    PageJson row = {{"file", file},
                    {"clip", textIn(clip, "clip")},
                    {"output", textIn(clip, "output")},
                    {"frames", numberIn(clip, "frames")},
                    {"fps", numberIn(clip, "fps")}};
    PageJson before = PageJson::array(), after = PageJson::array(), curves = PageJson::array();
    addKeys(memberOf(clip, "keys"), before, after);
    std::map<std::string, int> seen;  // a recipe may have a stage twice
    for (const json& stage : memberOf(clip, "stages")) {
      std::string type = textIn(stage, "type");
      const int count = ++seen[type];
      if (count > 1) type += " " + std::to_string(count);
      addMetrics(type, memberOf(stage, "metrics"), before, after);
      addCurves(type, memberOf(stage, "series"), curves);
    }
    row["before"] = std::move(before);
    row["after"] = std::move(after);
    row["curves"] = std::move(curves);
    row["warnings"] = warningPairs(memberOf(clip, "warnings"));
    return row;
  }

  void addKeys(const json& keys, PageJson& before, PageJson& after) {
    if (!keys.is_object()) return;
    const std::size_t index = columns_.of("keys", "keys");
    put(before, index, numberIn(keys, "before"));
    put(after, index, numberIn(keys, "after"));
    put(after, columns_.of("keys", "worst_error_mm"), numberIn(keys, "worst_error_mm"));
  }

  void addMetrics(const std::string& stage, const json& metrics, PageJson& before,
                  PageJson& after) {
    for (const auto& [side, list] : {std::pair<const char*, PageJson*>{"after", &after},
                                     std::pair<const char*, PageJson*>{"before", &before}}) {
      const json& values = memberOf(metrics, side);
      if (!values.is_object()) continue;
      for (const auto& [name, value] : values.items()) {
        put(*list, columns_.of(stage, name), numberIn(value));
      }
    }
  }

  void addCurves(const std::string& stage, const json& series, PageJson& curves) {
    if (!series.is_array()) return;
    for (const json& each : series) {
      const std::string levels = textIn(each, "levels");
      if (levels.empty() || levels.size() > kMaxLevels) continue;
      put(curves, curves_.of(stage, textIn(each, "name")),
          {numberIn(each, "low"), numberIn(each, "high"), levels});
    }
  }

  // A list of [index in "warnings", count, first].
  PageJson warningPairs(const json& warnings) {
    PageJson list = PageJson::array();
    if (!warnings.is_array()) return list;
    for (const json& warning : warnings) {
      list.push_back(
          PageJson::array({warnings_.of(textIn(warning, "code"), textIn(warning, "text")),
                           numberIn(warning, "count"), textIn(warning, "first")}));
    }
    return list;
  }

  const json& report_;
  const std::optional<fs::path>& out_dir_;
  bool has_run_ = false;
  std::map<std::string, const json*> cost_of_;  // by name of the job
  Names columns_{"stage", "name"}, curves_{"stage", "name"}, warnings_{"code", "text"};
  PageJson files_ = PageJson::array(), rows_ = PageJson::array();
};

}  // namespace

Result<std::string> batchPage(std::string_view page_template, std::string_view report_json,
                              const BatchPageLinks& links) {
  const json report = json::parse(report_json, nullptr, false);
  if (!memberOf(report, "jobs").is_array()) {
    return Error{ErrorCode::kMalformed, "", "is not a batch report",
                 "use a file that batch --report or batch merge wrote"};
  }
  std::optional<fs::path> out_dir = links.out_dir;
  const std::string own = textIn(memberOf(report, "run"), "out_dir");
  if (!out_dir && !own.empty()) out_dir = own;
  std::optional<std::string> base;
  if (out_dir) base = linkBase(*out_dir, links.page);
  const PageJson data = PageData(report, out_dir).make(base);
  const std::string text = data.dump(-1, ' ', false, PageJson::error_handler_t::replace);
  const PageBlock block = jsonBlock("batch", text);
  return pageWithData(page_template, {&block, 1});
}

Result<std::string> loadBatchTemplate() { return loadPageTemplate("batch.html"); }

}  // namespace clipmill::pages
