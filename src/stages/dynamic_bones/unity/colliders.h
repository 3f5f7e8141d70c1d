// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/dynamic_bones/settings.h"
#include "stages/dynamic_bones/unity/components.h"
#include "stages/dynamic_bones/unity/hierarchy.h"

namespace clipmill::stages::dynamic_bones::unity {

/// The colliders of a Unity file, each as one ColliderSettings.
class Colliders {
 public:
  Colliders(const std::vector<Object>& objects, const Hierarchy& hierarchy, Notes& notes,
            std::vector<ColliderSettings>& settings);

  /// Names of the colliders of a component; none for other objects.
  const std::vector<std::string>& namesOf(const std::string& id) const;

 private:
  void read(const Object& object);
  void readDynamic(const Object& object);
  void readPhys(const Object& object);
  void readVrm(const Object& object);
  void add(const std::string& id, int node, ColliderSettings collider, const Vec3& offset,
           const std::optional<Vec3>& tail);

  const Hierarchy& hierarchy_;
  Notes& notes_;
  std::vector<ColliderSettings>& settings_;
  std::map<std::string, std::vector<std::string>> names_of_id_;
};

}  // namespace clipmill::stages::dynamic_bones::unity
