# SPDX-License-Identifier: MIT
extends Node
## Plays driven.glb with its keys and with its pose drivers, and prints weights and helper bones of
## both.


func _ready() -> void:
    var state := GLTFState.new()
    var document := GLTFDocument.new()
    if document.append_from_file("res://driven.glb", state) != OK:
        push_error("Godot does not read the file")
    var scene := document.generate_scene(state)
    add_child(scene)
    var drivers := ClipmillPoseDrivers.new()
    drivers.drivers_file = "res://driven.drivers.json"
    scene.add_child(drivers)
    var player: AnimationPlayer = scene.find_children("*", "AnimationPlayer", true, false)[0]
    player.callback_mode_process = AnimationMixer.ANIMATION_CALLBACK_MODE_PROCESS_MANUAL
    var frames: Array = []
    for clip in player.get_animation_list():
        player.play(clip)
        for frame in range(0, roundi(player.get_animation(clip).length * 30.0) + 1, 4):
            player.seek(frame / 30.0, true)
            var keyed := _shown(scene)
            var skeleton: Skeleton3D = scene.find_children("*", "Skeleton3D", true, false)[0]
            for bone in _helpers(skeleton):
                skeleton.reset_bone_pose(bone)
            for mesh: MeshInstance3D in scene.find_children("*", "MeshInstance3D", true, false):
                for shape in mesh.get_blend_shape_count():
                    mesh.set_blend_shape_value(shape, 0.0)
            drivers._process(0.0)
            frames.append([keyed, _shown(scene)])
    print("RESULT " + JSON.stringify({"frames": frames}))
    get_tree().quit()


func _helpers(skeleton: Skeleton3D) -> Array:
    return range(skeleton.get_bone_count()).filter(
            func(bone: int) -> bool: return skeleton.get_bone_name(bone).begins_with("bake_"))


## {blend shape: weight}, and {helper: [position, axes of its rotation]}; the meshes of the character
## share their names.
func _shown(scene: Node) -> Dictionary:
    var skeleton: Skeleton3D = scene.find_children("*", "Skeleton3D", true, false)[0]
    var helpers := {}
    for bone: int in _helpers(skeleton):
        var pose := skeleton.get_bone_pose(bone)
        var vectors := [pose.origin, pose.basis.x, pose.basis.y, pose.basis.z]
        helpers[skeleton.get_bone_name(bone)] = vectors.map(
                func(v: Vector3) -> Array: return [v.x, v.y, v.z])
    var found := {}
    for mesh: MeshInstance3D in scene.find_children("*", "MeshInstance3D", true, false):
        for shape in mesh.get_blend_shape_count():
            found[mesh.mesh.get_blend_shape_name(shape)] = mesh.get_blend_shape_value(shape)
    return {"weights": found, "helpers": helpers}
