// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/settings.h"

#include "checks.h"

TEST_SUITE_BEGIN("core.settings");

using namespace clipmill;

namespace {

enum class Mode { kSlow, kFast };

struct Part {
  std::string root;
  double weight = 1.0;
};

struct Sample {
  bool loop = false;
  std::int64_t passes = 4;
  double gravity = 9.81;
  std::string name = "tail";
  Mode mode = Mode::kFast;
  std::vector<double> target{0, 0, 0};
  std::vector<std::string> ignore;
  Curve radius{0.1};
  std::vector<Part> parts;
};

struct Limits {
  std::optional<std::int64_t> frame;
  std::optional<double> end_s;
  std::optional<std::string> joint;
  std::optional<std::vector<double>> offset_m;
};

const SettingsTable& limitsTable() {
  static const SettingsTable table = SettingsTableBuilder<Limits>()
                                         .integer("frame", &Limits::frame, "Frame", 0, 100)
                                         .number("end_s", &Limits::end_s, "End", "s", 0.0, 10.0)
                                         .text("joint", &Limits::joint, "Joint")
                                         .numbers("offset_m", &Limits::offset_m, "Offset", "m", 0)
                                         .build();
  return table;
}

const SettingsTable& partTable() {
  static const SettingsTable table = SettingsTableBuilder<Part>()
                                         .text("root", &Part::root, "Where it starts")
                                         .number("weight", &Part::weight, "How much", "", 0.0, 1.0)
                                         .build();
  return table;
}

const SettingsTable& sampleTable() {
  static const SettingsTable table =
      SettingsTableBuilder<Sample>()
          .flag("loop", &Sample::loop, "Whether it repeats")
          .integer("passes", &Sample::passes, "How often", 1, 64)
          .number("gravity", &Sample::gravity, "Fall", "m/s2", -100.0, 100.0)
          .text("name", &Sample::name, "Its name")
          .choice("mode", &Sample::mode, "How", {{"slow", Mode::kSlow}, {"fast", Mode::kFast}})
          .numbers("target", &Sample::target, "Where to", "m", 3)
          .texts("ignore", &Sample::ignore, "What not")
          .curve("radius", &Sample::radius, "How thick", "m", 0.0, 10.0)
          .list("part", &Sample::parts, "Its parts", "root", partTable())
          .build();
  return table;
}

Result<SettingValue> parse(const std::string& field, const std::string& text) {
  return parseValue(*sampleTable().field(field), text, field);
}

ErrorCode codeOf(const Result<SettingValue>& result) {
  REQUIRE(!result.ok());
  return result.error().code;
}

}  // namespace

TEST_CASE("every kind of setting is parsed from text and stored in the struct") {
  Sample sample;
  const std::pair<const char*, const char*> given[] = {
      {"loop", "true"}, {"passes", "7"},       {"gravity", "-1.5"}, {"name", "whip, long"},
      {"mode", "slow"}, {"target", "1, 2 ,3"}, {"ignore", "a, b"},  {"radius", "0:0.1,1:0.4"}};
  for (const auto& [name, text] : given) {
    const auto value = parse(name, text);
    CHECK_OK(value);
    sampleTable().field(name)->set(&sample, *value);
  }
  CHECK(sample.loop);
  CHECK(sample.passes == 7);
  CHECK(sample.gravity == -1.5);
  CHECK(sample.name == "whip, long");
  CHECK(sample.mode == Mode::kSlow);
  CHECK(sample.target == std::vector<double>{1, 2, 3});
  CHECK(sample.ignore == std::vector<std::string>{"a", "b"});
  CHECK(sample.radius.at(0.5) == doctest::Approx(0.25));
}

TEST_CASE("every value is printed as text that reads back as the same value") {
  Sample sample;
  sample.gravity = 0.1 + 0.2;
  sample.radius = Curve({{0.25, 0.5}, {0.75, 1.0 / 3.0}});
  sample.ignore = {"a b", "c"};
  for (const SettingField& field : sampleTable().fields) {
    CAPTURE(field.name);
    const SettingValue value = *field.get(&sample);
    const auto back = parseValue(field, valueText(value), field.name);
    CHECK_OK(back);
    CHECK(*back == value);
  }
}

TEST_CASE("empty lists and curves of one late point read back as they are") {
  Sample sample;
  sample.radius = Curve({{0.5, 2.0}});
  for (const char* name : {"ignore", "radius"}) {
    CAPTURE(std::string(name));
    const SettingField& field = *sampleTable().field(name);
    const SettingValue value = *field.get(&sample);
    const auto back = parseValue(field, valueText(value), name);
    CHECK_OK(back);
    CHECK(*back == value);
  }
}

TEST_CASE("what does not fit its kind is refused with the location") {
  const std::pair<const char*, const char*> wrong[] = {
      {"loop", "yes"},     {"passes", "1.5"},  {"passes", "1e300"}, {"passes", "nan"},
      {"gravity", ""},     {"gravity", "1 m"}, {"target", "1,2"},   {"target", "1,2,x"},
      {"radius", "0:1,1"}, {"radius", ""},     {"mode", "medium"},  {"gravity", "nan"}};
  for (const auto& row : wrong) {
    const char *name = row.first, *text = row.second;
    CAPTURE(std::string(name));
    CAPTURE(std::string(text));
    const auto value = parse(name, text);
    CHECK(codeOf(value) == ErrorCode::kRecipe);
    CHECK(value.error().location == name);
  }
  CHECK(parse("mode", "medium").error().remedy == "choose one of: slow, fast");
}

TEST_CASE("bounds include their ends and are reported with the unit") {
  CHECK(parse("passes", "1").ok());
  CHECK(parse("passes", "64").ok());
  CHECK(!parse("passes", "0").ok());
  CHECK(!parse("passes", "65").ok());
  CHECK(!parse("radius", "0:1,1:11").ok());
  CHECK(describe(parse("gravity", "101").error()) == "gravity: is 101, outside -100 to 100 m/s2");
}

TEST_CASE("whole numbers are numbers, numbers are curves, a text is a list of one") {
  const auto number = checkedValue(*sampleTable().field("gravity"), std::int64_t{3}, "x");
  CHECK_OK(number);
  CHECK(std::get<double>(*number) == 3.0);
  const auto curve = checkedValue(*sampleTable().field("radius"), std::int64_t{3}, "x");
  CHECK_OK(curve);
  CHECK(std::get<Curve>(*curve) == Curve(3.0));
  const auto texts = checkedValue(*sampleTable().field("ignore"), std::string("a"), "x");
  CHECK_OK(texts);
  SettingField numbers = *sampleTable().field("target");
  CHECK(!checkedValue(numbers, 3.5, "x").ok());  // it needs three
  numbers.size = 0;
  const auto list = checkedValue(numbers, std::int64_t{3}, "x");
  CHECK_OK(list);
  CHECK(std::get<std::vector<double>>(*list) == std::vector<double>{3.0});
  CHECK(!checkedValue(*sampleTable().field("passes"), 3.5, "x").ok());
  CHECK(!checkedValue(*sampleTable().field("loop"), std::int64_t{1}, "x").ok());
}

TEST_CASE("a curve is linear between its points and constant outside them") {
  const Curve curve({{0.2, 1.0}, {0.4, 3.0}, {0.8, 2.0}});
  CHECK(curve.at(0.0) == 1.0);
  CHECK(curve.at(0.3) == doctest::Approx(2.0));
  CHECK(curve.at(0.4) == 3.0);
  CHECK(curve.at(0.6) == doctest::Approx(2.5));
  CHECK(curve.at(1.0) == 2.0);
}

TEST_CASE("the depths of a curve ascend within 0 to 1") {
  CHECK(!parse("radius", "0:1,0:2").ok());
  CHECK(!parse("radius", "0.5:1,0.2:2").ok());
  CHECK(!parse("radius", "-0.1:1").ok());
  CHECK(!parse("radius", "0:1,1.1:2").ok());
  CHECK(!parse("radius", "nan:1").ok());
}

TEST_CASE("lists append items that their own table describes") {
  Sample sample;
  const SettingList& list = *sampleTable().list("part");
  void* item = list.append(&sample);
  list.item->field("weight")->set(item, 0.25);
  CHECK(list.size(&sample) == 1);
  CHECK(list.at(&sample, 0) == &sample.parts[0]);
  CHECK(sample.parts[0].weight == 0.25);
  CHECK(list.item->field(list.key_field) != nullptr);
}

TEST_CASE("a copy has all values, and lists of its own") {
  Sample sample;
  sample.loop = true;
  sample.mode = Mode::kSlow;
  sample.radius = Curve({{0.25, 0.5}, {0.75, 2.0}});
  sample.parts = {{"a", 0.25}, {"b", 0.5}};
  Sample copy;
  copySettings(sampleTable(), &sample, &copy);
  for (const SettingField& field : sampleTable().fields) {
    CHECK(field.get(&copy) == field.get(&sample));
  }
  REQUIRE(copy.parts.size() == 2);
  CHECK(copy.parts[1].root == "b");
  CHECK(copy.parts[1].weight == 0.5);
}

TEST_CASE("an optional setting has no value until it is set") {
  Limits limits;
  for (const SettingField& field : limitsTable().fields) {
    CAPTURE(field.name);
    CHECK(field.is_optional);
    CHECK(!field.get(&limits));
    CHECK(defaultText(field, &limits) == "unset by default");
    const auto value = parseValue(field, "2", field.name);
    CHECK_OK(value);
    field.set(&limits, *value);
    CHECK(field.get(&limits) == *value);
  }
  CHECK(limits.frame == 2);
  CHECK(limits.end_s == 2.0);
  CHECK(limits.joint == "2");
  CHECK(limits.offset_m == std::vector<double>{2.0});
  CHECK(!sampleTable().field("gravity")->is_optional);
}

TEST_CASE("the bounds of an optional setting hold, and an empty text is refused") {
  CHECK(!parseValue(*limitsTable().field("end_s"), "-1", "end_s").ok());
  CHECK(!parseValue(*limitsTable().field("frame"), "-1", "frame").ok());
  CHECK(!parseValue(*limitsTable().field("joint"), "", "joint").ok());
  CHECK(parse("name", "").ok());
}

TEST_CASE("a copy leaves unset what is unset") {
  Limits limits;
  limits.end_s = 0.0;
  Limits copy;
  copySettings(limitsTable(), &limits, &copy);
  CHECK(copy.end_s == 0.0);
  CHECK(copy.frame == std::nullopt);
  CHECK(copy.joint == std::nullopt);
}

TEST_CASE("an unknown key is reported with the nearest known one") {
  CHECK(sampleTable().field("gravty") == nullptr);
  const Error near = unknownKey(sampleTable(), "gravty", "stage[0].gravty");
  CHECK(near.code == ErrorCode::kRecipe);
  CHECK(describe(near) == "stage[0].gravty: unknown key; did you mean 'gravity'?");
  CHECK(unknownKey(sampleTable(), "parts", "x").remedy == "did you mean 'part'?");
  CHECK(unknownKey(sampleTable(), "wavelength", "x").remedy.empty());
}

TEST_SUITE_END();
