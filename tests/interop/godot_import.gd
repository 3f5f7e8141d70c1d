# SPDX-License-Identifier: MIT
extends Node
## Imports hero.glb with the import script, and prints what its animations show then. The program
## has written baked.glb, if that is there.


func _ready() -> void:
    var found := {"version": Engine.get_version_info()["string"]}
    var scene := _scene_of("res://hero.glb")
    found["before"] = _heads(scene)
    var post: RefCounted = load("res://post_import.gd").new()
    post.source = "res://no_recipe.glb"
    post._post_import(scene)
    post.source = "res://hero.glb"
    if FileAccess.file_exists("res://baked.glb"):
        _copy("res://baked.glb", "clipmill_%s.glb" % post.source.md5_text())
    found["is_same_scene"] = post._post_import(scene) == scene
    found["after"] = _heads(scene)
    print("RESULT " + JSON.stringify(found))
    get_tree().quit()


func _copy(path: String, name: String) -> void:
    DirAccess.make_dir_recursive_absolute(OS.get_cache_dir())
    var file := FileAccess.open(OS.get_cache_dir().path_join(name), FileAccess.WRITE)
    file.store_buffer(FileAccess.get_file_as_bytes(path))


func _scene_of(path: String) -> Node:
    var state := GLTFState.new()
    var document := GLTFDocument.new()
    if document.append_from_file(path, state) != OK:
        push_error("Godot does not read the file")
    var scene := document.generate_scene(state)
    add_child(scene)
    return scene


## Of each animation, at 30 frames a second: {bone: position}.
func _heads(scene: Node) -> Dictionary:
    var player: AnimationPlayer = scene.find_children("*", "AnimationPlayer", true, false)[0]
    var skeleton: Skeleton3D = scene.find_children("*", "Skeleton3D", true, false)[0]
    player.callback_mode_process = AnimationMixer.ANIMATION_CALLBACK_MODE_PROCESS_MANUAL
    var found := {}
    for clip in player.get_animation_list():
        var frames: Array = []
        player.play(clip)
        for frame in roundi(player.get_animation(clip).length * 30.0) + 1:
            skeleton.reset_bone_poses()
            player.seek(frame / 30.0, true)
            var heads := {}
            for bone in skeleton.get_bone_count():
                var pose := skeleton.global_transform * skeleton.get_bone_global_pose(bone)
                heads[skeleton.get_bone_name(bone)] = [
                    pose.origin.x, pose.origin.y, pose.origin.z,
                ]
            frames.append(heads)
        found[clip] = frames
    return found
