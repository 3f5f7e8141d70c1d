// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pages/batch_page.h"

#include <nlohmann/json.hpp>

#include "checks.h"
#include "core/file.h"
#include "temporary_folder.h"

using namespace clipmill;
using namespace clipmill::pages;
using nlohmann::json;

TEST_SUITE_BEGIN("pages.page");

namespace {

constexpr const char* kTemplate = "<html><!--clipmill:data--></html>";
constexpr const char* kHostile = "</script><script>alert(1)</script><!--";

json reportJson() {
  return json::parse(R"({
    "version": "1", "done": 2, "failed": 1, "skipped": 0,
    "run": {"from_record": 1, "out_dir": "", "peak_mb": 20.0, "jobs": [
      {"name": "a.glb", "ms": 5, "peak_mb": 30.5}, {"name": "c.glb", "ms": 7}]},
    "jobs": [
      {"name": "a.glb", "input": "in/a.glb", "status": "done", "clips": 1, "warnings": 1,
       "outputs": ["a.glb"], "input_bytes": 10, "output_bytes": 20,
       "outcomes": {"warnings": [], "clips": [{"clip": "Run", "output": "a.glb", "fps": 30.0,
         "frames": 3, "keys": {"tracks": 1, "before": 9, "after": 4, "worst_error_mm": 0.1},
         "warnings": [{"code": "c", "text": "t", "count": 2, "first": "Arm"}],
         "stages": [
           {"type": "loop", "metrics": {"before": {"seam_mm": 8.0}, "after": {"seam_mm": 1.5}},
            "series": [{"name": "s_mm", "low": 0.0, "high": 2.0, "levels": "0f0"}]},
           {"type": "loop", "metrics": {"after": {"seam_mm": 2.5}}, "series": []}]}]}},
      {"name": "b.glb", "input": "in/b.glb", "status": "done", "clips": 0, "warnings": 0,
       "outputs": ["b.glb"], "input_bytes": 1, "output_bytes": 1},
      {"name": "c.glb", "input": "in/c.glb", "status": "failed", "clips": 0, "warnings": 0,
       "error": {"code": "malformed", "location": "p", "message": "m", "remedy": "r"}}]})");
}

std::string pageOf(const json& report, const BatchPageLinks& links = {"page.html", {}}) {
  const auto page = batchPage(kTemplate, report.dump(), links);
  CHECK_OK(page);
  return *page;
}

json dataOf(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"batch\">";
  const std::size_t at = page.find(start) + start.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

json dataOf(const json& report, const BatchPageLinks& links = {"page.html", {}}) {
  return dataOf(pageOf(report, links));
}

}  // namespace

TEST_CASE("A page has every file and clip of its report") {
  const json data = dataOf(reportJson());
  REQUIRE(data["files"].size() == 3);
  CHECK(data["files"][0]["status"] == "done");
  CHECK(data["files"][0]["ms"] == 5);
  CHECK(data["files"][0]["peak_mb"] == 30.5);
  CHECK(data["files"][1]["status"] == "unchanged");
  CHECK(data["files"][1]["ms"].is_null());
  CHECK(data["files"][2]["error"]["remedy"] == "r");
  CHECK(data["run"] == json({{"ms", 12}, {"peak_mb", 30.5}}));
  REQUIRE(data["rows"].size() == 1);
  CHECK(data["rows"][0]["clip"] == "Run");
  CHECK(data["rows"][0]["warnings"] == json::parse(R"([[0, 2, "Arm"]])"));
  CHECK(data["warnings"] == json::parse(R"([{"code": "c", "text": "t"}])"));
}

TEST_CASE("Columns are grouped by stage; a stage that is used twice has two groups") {
  const json data = dataOf(reportJson());
  const json& row = data["rows"][0];
  const auto valueOf = [&](const char* side, const char* stage, const char* name) -> json {
    for (std::size_t i = 0; i < data["columns"].size(); ++i) {
      const json& column = data["columns"][i];
      if (column["stage"] == stage && column["name"] == name) return row[side].at(i);
    }
    return "no such column";
  };
  CHECK(valueOf("before", "keys", "keys") == 9);
  CHECK(valueOf("after", "keys", "keys") == 4);
  CHECK(valueOf("before", "loop", "seam_mm") == 8.0);
  CHECK(valueOf("after", "loop", "seam_mm") == 1.5);
  CHECK(valueOf("after", "loop 2", "seam_mm") == 2.5);
  CHECK(data["curves"] == json::parse(R"([{"stage": "loop", "name": "s_mm"}])"));
  CHECK(row["curves"] == json::parse(R"([[0.0, 2.0, "0f0"]])"));
}

TEST_CASE("A report without run has no times and no unchanged files") {
  json report = reportJson();
  report.erase("run");
  const json data = dataOf(report);
  CHECK(data["run"].is_null());
  CHECK(data["link_base"].is_null());
  for (const json& file : data["files"]) {
    CHECK(file["ms"].is_null());
    CHECK(file["status"] != "unchanged");
  }
}

TEST_CASE("Links lead from the page to the outputs and to existing files beside them") {
  const test::TemporaryFolder folder;
  folder.write("out/a.glb.report.json", Bytes(1));
  folder.write("out/b.glb.preview.html", Bytes(1));
  const auto baseOf = [&](const std::string& page) {
    return dataOf(reportJson(), {folder / page, folder / "out"})["link_base"];
  };
  CHECK(baseOf("page.html") == "out/");
  CHECK(baseOf("out/page.html") == "");
  CHECK(baseOf("pages/page.html") == "../out/");
  const json data = dataOf(reportJson(), {folder / "page.html", folder / "out"});
  CHECK(data["files"][0]["report"] == true);
  CHECK(data["files"][0]["previews"].empty());
  CHECK(data["files"][1]["report"] == false);
  CHECK(data["files"][1]["previews"] == json({"b.glb"}));
}

TEST_CASE("No name can end the element of the data") {
  json report = reportJson();
  report["jobs"][0]["name"] = kHostile;
  report["jobs"][2]["error"]["message"] = kHostile;
  report["jobs"][0]["outcomes"]["clips"][0]["clip"] = kHostile;
  const std::string page = pageOf(report);
  CHECK(page.find("</script>") == page.rfind("</script>"));
  CHECK(page.find("<!--") == std::string::npos);
  CHECK(dataOf(page)["files"][0]["name"] == kHostile);
}

TEST_CASE("Files outside of the output folder are not searched") {
  const test::TemporaryFolder folder;
  folder.write("x.glb.report.json", Bytes(1));
  json report = reportJson();
  report["jobs"][0]["name"] = "../x.glb";
  const json data = dataOf(report, {folder / "page.html", folder / "out"});
  CHECK(data["files"][0]["report"] == false);
}

TEST_CASE("An edited report gives a page or an error, and no crash") {
  for (const char* text : {"", "[]", "{}", "{\"jobs\": 1}", "{\"clips\": []}"}) {
    const auto page = batchPage(kTemplate, text, {"page.html", {}});
    REQUIRE(!page);
    CHECK(page.error().code == ErrorCode::kMalformed);
  }
  const json report = reportJson();
  // Each member is replaced by a value of another type.
  const json flat = report.flatten();
  for (const auto& [path, value] : flat.items()) {
    for (const json& other :
         {json(nullptr), json("x"), json(-1), json::array({1}), json({{"x", 1}})}) {
      json changed = flat;
      changed[path] = other.is_structured() ? json("structured") : other;
      json whole = changed.unflatten();
      if (other.is_structured()) whole[json::json_pointer(path)] = other;
      CHECK_OK(batchPage(kTemplate, whole.dump(), {"page.html", {}}));
    }
  }
  CHECK(!batchPage("<html></html>", report.dump(), {"page.html", {}}));
}

TEST_SUITE_END();
