# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
class_name ClipmillPoseDrivers
extends Node
## Plays the pose drivers of "clipmill tet-bake --drive pose" in Godot 4: blend shapes and helper
## bones as functions of bone rotations (docs/tet-bake.md, Pose drivers).
## Add the node below the root of an imported character and choose the .drivers.json file. It
## replaces the keys that animation players set.

@export_file("*.json") var drivers_file := ""

var _skeleton: Skeleton3D
var _constant: Array = []  # of targets: [MeshInstance3D, index]
var _drivers: Array = []


func _ready() -> void:
    process_priority = 1000
    var json: Variant = JSON.parse_string(FileAccess.get_file_as_string(drivers_file))
    if not json is Dictionary or json.get("format") != "clipmill-drivers" or json["version"] != 1:
        push_error("%s: not drivers of a version that is known here" % drivers_file)
        return
    _skeleton = get_parent().find_children("*", "Skeleton3D", true, false).pop_front()
    if not _skeleton:
        push_error("%s: no Skeleton3D beside this node" % drivers_file)
        return
    for morph: String in json["constant"]:
        _constant.append_array(_targets_of(morph))
    json["drivers"].map(_add)


func _add(driver: Dictionary) -> void:
    var bones := PackedInt32Array()
    for joint: Dictionary in driver["joints"]:
        var bone := _bone_of(joint["name"])
        if bone < 0:
            return
        bones.append(bone)
    var binds: Array = driver["joints"].map(
            func(joint: Dictionary) -> Quaternion: return _quaternion(joint["bind"]))
    var centers: Array = driver["centers"].map(
            func(center: Array) -> Array: return center.map(_quaternion))
    var inputs: Array = []
    for input: Dictionary in driver["inputs"]:
        var axis := _vector(input.get("axis", [1, 0, 0]))
        inputs.append([int(input["joint"]), input["part"], axis, float(input["weight"])])
    var morphs: Array = driver["morphs"].map(
            func(morph: Dictionary) -> Array: return [morph["values"], _targets_of(morph["name"])])
    var helpers: Array = []
    for helper: Dictionary in driver.get("helpers", []):
        var bone := _bone_of(helper["name"])
        if bone < 0:
            return
        helpers.append([bone, helper["translations"].map(_vector), helper["rotations"].map(_vector)])
    _drivers.append({"bones": bones, "binds": binds, "centers": centers, "inputs": inputs,
            "width": float(driver["width"]), "morphs": morphs, "helpers": helpers})


## The bone of a name, or -1 with an error message.
func _bone_of(joint: String) -> int:
    # Names of imported bones have no ":" and "/".
    var bone := _skeleton.find_bone(joint.replace(":", "_").replace("/", "_"))
    if bone < 0:
        push_error("%s: no bone %s" % [drivers_file, joint])
    return bone


func _process(_delta: float) -> void:
    for target: Array in _constant:
        target[0].set_blend_shape_value(target[1], 1.0)
    for driver: Dictionary in _drivers:
        var weights := _center_weights(driver, _pose_of(driver))
        for morph: Array in driver["morphs"]:
            var weight := 0.0
            for center in weights.size():
                weight += weights[center] * float(morph[0][center])
            for target: Array in morph[1]:
                target[0].set_blend_shape_value(target[1], weight)
        for helper: Array in driver["helpers"]:
            _skeleton.set_bone_pose_position(helper[0], _mean(helper[1], weights))
            var r := _mean(helper[2], weights)
            _skeleton.set_bone_pose_rotation(helper[0], Quaternion(r.x, r.y, r.z, 0.0).exp())


func _mean(vectors: Array, weights: PackedFloat64Array) -> Vector3:
    var sum := Vector3.ZERO
    for center in weights.size():
        sum += weights[center] * vectors[center]
    return sum


## Rotations of the bones relative to the bind pose.
func _pose_of(driver: Dictionary) -> Array[Quaternion]:
    var pose: Array[Quaternion] = []
    for j in driver["bones"].size():
        var local := _skeleton.get_bone_pose_rotation(driver["bones"][j])
        pose.append((driver["binds"][j].inverse() * local).normalized())
    return pose


## Weights of the centers, which sum to 1.
func _center_weights(driver: Dictionary, pose: Array[Quaternion]) -> PackedFloat64Array:
    var weights := PackedFloat64Array()
    var nearest := INF
    for center: Array in driver["centers"]:
        var distance := 0.0
        for input: Array in driver["inputs"]:
            distance += input[3] * _distance2(input, center[input[0]], pose[input[0]])
        nearest = minf(nearest, distance)
        weights.append(distance)
    var sum := 0.0
    for c in weights.size():
        weights[c] = exp((nearest - weights[c]) / (2.0 * driver["width"] ** 2))
        sum += weights[c]
    for c in weights.size():
        weights[c] /= sum
    return weights


## Square of the distance of two rotations, 0 to 4.
func _distance2(input: Array, a: Quaternion, b: Quaternion) -> float:
    if input[1] == "swing":
        return 2.0 - 2.0 * (a * input[2]).dot(b * input[2])
    var is_twist: bool = input[1] == "twist"
    var half := _half_twist(a, input[2]).dot(_half_twist(b, input[2])) if is_twist else a.dot(b)
    return 4.0 * (1.0 - half * half)


## Cosine and sine of half the angle about an axis; zero where that is undetermined.
func _half_twist(q: Quaternion, axis: Vector3) -> Vector2:
    return Vector2(q.w, Vector3(q.x, q.y, q.z).dot(axis)).normalized()


## All meshes that have the blend shape, with its index.
func _targets_of(morph: String) -> Array:
    var targets: Array = []
    for mesh: MeshInstance3D in get_parent().find_children("*", "MeshInstance3D", true, false):
        var index := mesh.find_blend_shape_by_name(morph)
        if index >= 0:
            targets.append([mesh, index])
    return targets


func _vector(numbers: Array) -> Vector3:
    return Vector3(numbers[0], numbers[1], numbers[2])


func _quaternion(numbers: Array) -> Quaternion:
    return Quaternion(numbers[0], numbers[1], numbers[2], numbers[3]).normalized()
