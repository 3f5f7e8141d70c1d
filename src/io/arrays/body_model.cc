// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Proportions are fractions of stature: R. Drillis and R. Contini, "Body Segment Parameters", New
// York University TR 1166.03, 1966, as drawn in D. Winter, "Biomechanics and Motor Control of Human
// Movement", chapter 4. Positions that it has no segments for (spine, collar, fingers, eyes) are
// estimates between these. None are taken from a body model.
#include "io/arrays/body_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/to_size.h"

namespace clipmill::io::arrays {
namespace {

constexpr double kStature_m = 1.70;
constexpr std::array<std::string_view, 6> kModels = {"humanml3d22", "smpl24", "smplh52",
                                                     "smplx55",     "h36m17", "coco17"};

// A point of the left half; the right one is its mirror image.
struct Point {
  double x, y, z;  // fractions of stature
};

constexpr Point kPelvis{0, 0.550, 0}, kHip{0.055, 0.530, 0}, kKnee{0.055, 0.285, 0.003},
    kAnkle{0.055, 0.039, -0.005}, kToes{0.060, 0.010, 0.070}, kSpine1{0, 0.605, -0.005},
    kSpine2{0, 0.665, -0.005}, kSpine3{0, 0.715, -0.003}, kNeck{0, 0.830, -0.005},
    kHead{0, 0.880, 0.010}, kHeadTop{0, 1.000, 0.010}, kNose{0, 0.925, 0.070},
    kCollar{0.035, 0.800, -0.005}, kShoulder{0.110, 0.818, -0.010}, kElbow{0.296, 0.818, -0.010},
    kWrist{0.442, 0.818, -0.010}, kPalm{0.495, 0.818, -0.010}, kJaw{0, 0.885, 0.020},
    kEye{0.019, 0.936, 0.060}, kThorax{0, 0.818, -0.005};

class Builder {
 public:
  explicit Builder(std::string_view name) { model_.name = name; }

  int add(const std::string& name, std::string_view parent, const Point& at,
          const std::string& role = "", double side = 1.0) {
    BodyJoint joint;
    joint.name = name;
    joint.parent = parent.empty() ? -1 : model_.find(parent);
    joint.rest_m = Vec3(side * at.x, at.y, at.z) * kStature_m;
    joint.role = role;
    joint.column = static_cast<int>(model_.joints.size());
    model_.joints.push_back(joint);
    return joint.column;
  }
  // left_NAME or right_NAME below the joint of the same side.
  void side(bool is_left, const std::string& name, const std::string& parent, bool has_sided_parent,
            const Point& at, const std::string& role = "") {
    const std::string prefix = is_left ? "left_" : "right_";
    const std::string whole = role.empty() ? "" : (is_left ? "left" : "right") + role;
    add(prefix + name, has_sided_parent ? prefix + parent : parent, at, whole, is_left ? 1 : -1);
  }
  void pair(const std::string& name, const std::string& parent, bool has_sided_parent,
            const Point& at, const std::string& role = "") {
    for (const bool is_left : {true, false})
      side(is_left, name, parent, has_sided_parent, at, role);
  }
  void columns(const std::string& joint, int column, int other = -1) {
    BodyJoint& found = model_.joints[toSize(model_.find(joint))];
    found.column = column;
    found.other_column = other;
  }
  void fit(const std::string& joint, const std::vector<std::pair<std::string, double>>& points,
           bool is_rigid) {
    JointFit made{model_.find(joint), {}, is_rigid};
    for (const auto& [name, weight] : points) made.points.push_back({model_.find(name), weight});
    model_.fits.push_back(std::move(made));
  }
  // Knees bend backwards; elbows forwards, in a T pose with the palms down.
  void hinges() {
    for (const char* hip : {"left_hip", "right_hip"})
      model_.hinges.push_back({model_.find(hip), Vec3(1, 0, 0)});
    model_.hinges.push_back({model_.find("left_shoulder"), Vec3(0, -1, 0)});
    model_.hinges.push_back({model_.find("right_shoulder"), Vec3(0, 1, 0)});
  }
  BodyModel done(std::size_t columns) {
    model_.columns = columns;
    return std::move(model_);
  }
  const BodyModel& model() const { return model_; }

 private:
  BodyModel model_;
};

// The 22 joints that all SMPL models start with.
Builder smplBody(std::string_view name) {
  Builder body(name);
  body.add("pelvis", "", kPelvis, "hips");
  body.pair("hip", "pelvis", false, kHip, "UpperLeg");
  body.add("spine1", "pelvis", kSpine1, "spine");
  body.pair("knee", "hip", true, kKnee, "LowerLeg");
  body.add("spine2", "spine1", kSpine2, "chest");
  body.pair("ankle", "knee", true, kAnkle, "Foot");
  body.add("spine3", "spine2", kSpine3, "upperChest");
  body.pair("foot", "ankle", true, kToes, "Toes");
  body.add("neck", "spine3", kNeck, "neck");
  body.pair("collar", "spine3", false, kCollar, "Shoulder");
  body.add("head", "neck", kHead, "head");
  body.pair("shoulder", "collar", true, kShoulder, "UpperArm");
  body.pair("elbow", "shoulder", true, kElbow, "LowerArm");
  body.pair("wrist", "elbow", true, kWrist, "Hand");
  body.fit("pelvis", {{"left_hip", 1.0}, {"right_hip", 1.0}, {"spine1", 1.0}}, true);
  body.fit("spine3", {{"neck", 1.0}, {"left_collar", 1.0}, {"right_collar", 1.0}}, true);
  body.hinges();
  return body;
}

// Fifteen joints of a hand, in the order of MANO.
void addFingers(bool is_left, Builder& body) {
  struct Finger {
    const char *name, *role;
    double along, z;  // of the knuckle
    double lengths[2];
  };
  constexpr Finger kFingers[] = {{"index", "Index", 0.056, 0.013, {0.022, 0.014}},
                                 {"middle", "Middle", 0.057, 0.001, {0.024, 0.015}},
                                 {"pinky", "Little", 0.049, -0.021, {0.016, 0.011}},
                                 {"ring", "Ring", 0.054, -0.010, {0.022, 0.014}},
                                 {"thumb", "Thumb", 0.016, 0.022, {0.020, 0.017}}};
  for (const Finger& finger : kFingers) {
    const bool is_thumb = finger.role == std::string_view("Thumb");
    const char* phalanges[] = {is_thumb ? "Metacarpal" : "Proximal",
                               is_thumb ? "Proximal" : "Intermediate", "Distal"};
    Point at{kWrist.x + finger.along, kWrist.y, kWrist.z + finger.z};
    std::string parent = "wrist";
    for (int k = 0; k < 3; ++k) {
      const std::string name = finger.name + std::to_string(k + 1);
      body.side(is_left, name, parent, true, at, std::string(finger.role) + phalanges[k]);
      if (k < 2) at.x += finger.lengths[k] * (is_thumb ? 0.7 : 1.0);
      if (k < 2 && is_thumb) at.z += finger.lengths[k] * 0.7;
      parent = name;
    }
  }
}

// The whole hand moves as one body with the knuckles.
void fitHands(Builder& body) {
  for (const std::string side : {"left_", "right_"}) {
    body.fit(side + "wrist",
             {{side + "index1", 1.0},
              {side + "middle1", 1.0},
              {side + "pinky1", 1.0},
              {side + "ring1", 1.0},
              {side + "thumb1", 1.0}},
             true);
  }
}

BodyModel smplBodyOf(std::size_t joints, std::string_view name) {
  Builder body = smplBody(name);
  if (joints == 24) body.pair("hand", "wrist", true, kPalm);
  if (joints == 55) {
    body.add("jaw", "head", kJaw, "jaw");
    body.pair("eye_smplhf", "head", false, kEye, "Eye");
    body.fit("head", {{"jaw", 1.0}, {"left_eye_smplhf", 1.0}, {"right_eye_smplhf", 1.0}}, true);
  }
  if (joints > 24) {
    addFingers(true, body);
    addFingers(false, body);
    fitHands(body);
  }
  return body.done(joints);
}

// Legs, in the columns of their hips; knees and ankles are `step` columns apart.
void addLegs(Builder& body, int left_hip, int right_hip, int step) {
  body.pair("hip", "pelvis", false, kHip, "UpperLeg");
  body.pair("knee", "hip", true, kKnee, "LowerLeg");
  body.pair("ankle", "knee", true, kAnkle, "Foot");
  int k = 0;
  for (const std::string joint : {"hip", "knee", "ankle"}) {
    body.columns("left_" + joint, left_hip + k * step);
    body.columns("right_" + joint, right_hip + k * step);
    ++k;
  }
}

// Arms likewise.
void addArms(Builder& body, const std::string& parent, bool has_collars, int left, int right,
             int step) {
  const std::string above = has_collars ? "collar" : parent;
  body.pair("shoulder", above, has_collars, kShoulder, "UpperArm");
  body.pair("elbow", "shoulder", true, kElbow, "LowerArm");
  body.pair("wrist", "elbow", true, kWrist, "Hand");
  int k = 0;
  for (const std::string joint : {"shoulder", "elbow", "wrist"}) {
    body.columns("left_" + joint, left + k * step);
    body.columns("right_" + joint, right + k * step);
    ++k;
  }
}

// Where several bones that move on their own meet in one point, each gets a joint of its own there.
BodyModel h36mBody() {
  constexpr double kHint = 1e-3;
  Builder body("h36m17");
  const Point pelvis{0, kHip.y, 0}, spine{0, 0.665, -0.005};
  body.add("pelvis", "", pelvis, "hips");
  addLegs(body, 4, 1, 1);
  body.columns("pelvis", 0);
  body.add("lower_spine", "pelvis", pelvis, "spine");
  body.columns("lower_spine", 0);
  body.add("spine", "lower_spine", spine, "chest");
  body.columns("spine", 7);
  body.add("thorax", "spine", kThorax, "upperChest");
  body.columns("thorax", 8);
  body.add("neck_base", "thorax", kThorax, "neck");
  body.columns("neck_base", 8);
  body.add("head", "neck_base", {0, 0.900, 0.040}, "head");
  body.columns("head", 9);
  body.add("head_top", "head", kHeadTop);
  body.columns("head_top", 10);
  body.pair("collar", "thorax", false, kThorax);
  for (const char* collar : {"left_collar", "right_collar"}) body.columns(collar, 8);
  addArms(body, "thorax", true, 11, 14, 1);
  body.fit("pelvis", {{"left_hip", 1.0}, {"right_hip", 1.0}, {"spine", kHint}}, false);
  body.fit("thorax", {{"left_shoulder", 1.0}, {"right_shoulder", 1.0}, {"head", kHint}}, false);
  body.hinges();
  return body.done(17);
}

BodyModel cocoBody() {
  constexpr double kHint = 1e-3;
  Builder body("coco17");
  const Point pelvis{0, kHip.y, 0}, neck{0, kShoulder.y, kShoulder.z};
  body.add("pelvis", "", pelvis, "hips");
  body.columns("pelvis", 11, 12);
  addLegs(body, 11, 12, 2);
  body.add("lower_spine", "pelvis", pelvis, "spine");
  body.columns("lower_spine", 11, 12);
  body.add("thorax", "lower_spine", neck, "chest");
  body.columns("thorax", 5, 6);
  body.add("neck_base", "thorax", neck, "neck");
  body.columns("neck_base", 5, 6);
  body.add("head", "neck_base", {0, 0.925, 0.0}, "head");
  body.columns("head", 3, 4);
  body.add("nose", "head", kNose);
  body.columns("nose", 0);
  addArms(body, "thorax", false, 5, 6, 2);
  body.fit("pelvis", {{"left_hip", 1.0}, {"right_hip", 1.0}, {"thorax", kHint}}, false);
  body.fit("thorax", {{"left_shoulder", 1.0}, {"right_shoulder", 1.0}, {"head", kHint}}, false);
  body.hinges();
  return body.done(17);
}

}  // namespace

int BodyModel::find(std::string_view joint) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == joint) return static_cast<int>(j);
  }
  return -1;
}

std::span<const std::string_view> bodyModelNames() { return kModels; }

std::optional<BodyModel> bodyModel(std::string_view name) {
  if (name == "humanml3d22") return smplModel(22);
  if (name == "smpl24") return smplModel(24);
  if (name == "smplh52") return smplModel(52);
  if (name == "smplx55") return smplModel(55);
  if (name == "h36m17") return h36mBody();
  if (name == "coco17") return cocoBody();
  return std::nullopt;
}

std::optional<BodyModel> smplModel(std::size_t joints) {
  if (joints == 22) return smplBodyOf(22, "humanml3d22");
  if (joints == 24) return smplBodyOf(24, "smpl24");
  if (joints == 52) return smplBodyOf(52, "smplh52");
  if (joints == 55) return smplBodyOf(55, "smplx55");
  return std::nullopt;
}

std::vector<Vec3> restOffsets(const BodyModel& model) {
  std::vector<Vec3> offsets;
  for (const BodyJoint& joint : model.joints) {
    offsets.push_back(joint.parent < 0 ? joint.rest_m
                                       : joint.rest_m - model.joints[toSize(joint.parent)].rest_m);
  }
  return offsets;
}

void addBody(const BodyModel& model, std::span<const Vec3> offsets_m,
             const Affine& file_from_metric, Scene& scene) {
  const double unit = lengthOf(file_from_metric.linear[0]);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const BodyJoint& joint = model.joints[j];
    Node node;
    node.name = joint.name;
    node.parent = joint.parent;
    node.source_id = static_cast<int>(j);
    // Below the root, axes are those of the T pose.
    node.rest.translation = offsets_m[j] * unit;
    if (joint.parent < 0) {
      node.rest.translation = transformVector(file_from_metric, offsets_m[j]);
      node.rest.rotation = rotationOf(file_from_metric);
    }
    scene.skeleton.nodes.push_back(std::move(node));
    if (!joint.role.empty()) scene.humanoid.push_back({joint.role, static_cast<int>(j)});
  }
}

std::optional<Mat3> uprightFrom(std::string_view up_axis) {
  if (up_axis == "y") return Mat3(1.0);
  if (up_axis == "-y") return Mat3(1, 0, 0, 0, -1, 0, 0, 0, -1);
  if (up_axis == "z") return Mat3(1, 0, 0, 0, 0, -1, 0, 1, 0);
  if (up_axis == "-z") return Mat3(1, 0, 0, 0, 0, 1, 0, -1, 0);
  if (up_axis == "x") return Mat3(0, 1, 0, -1, 0, 0, 0, 0, 1);
  if (up_axis == "-x") return Mat3(0, -1, 0, 1, 0, 0, 0, 0, 1);
  return std::nullopt;
}

std::string_view axisNearest(const Vec3& direction) {
  constexpr std::string_view kNames[2][3] = {{"x", "y", "z"}, {"-x", "-y", "-z"}};
  int axis = 1;
  for (const int other : {2, 0}) {
    if (std::abs(direction[other]) > std::abs(direction[axis])) axis = other;
  }
  return kNames[direction[axis] < 0.0 ? 1 : 0][axis];
}

}  // namespace clipmill::io::arrays
