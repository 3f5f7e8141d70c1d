# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
@tool
extends EditorScenePostImport
## Bakes the clips of a glTF file with clipmill when Godot 4 imports it.
##
## Choose this script as the import script of a .glb or .gltf file. Where a recipe is beside the
## file (hero.glb and hero.clipmill.toml), the program clipmill runs it, and the animations of the
## imported scene are replaced by the baked ones of the same names. The file itself stays as it is.
## The project setting "clipmill/program" is the path of the program; without it, PATH is searched.

const SETTING := "clipmill/program"
const BAKE_FPS := 60.0


func _post_import(scene: Node) -> Object:
    var source := get_source_file()
    var recipe := source.get_basename() + ".clipmill.toml"
    if not FileAccess.file_exists(recipe):
        return scene
    var baked := OS.get_cache_dir().path_join("clipmill_%s.glb" % source.md5_text())
    if _run(source, recipe, baked):
        _take_animations(scene, baked)
    DirAccess.remove_absolute(baked)
    return scene


## Whether the program wrote `baked`; its message is shown otherwise.
func _run(source: String, recipe: String, baked: String) -> bool:
    var program: String = ProjectSettings.get_setting(SETTING, "clipmill")
    var arguments := PackedStringArray([
        "run", ProjectSettings.globalize_path(source),
        "--recipe", ProjectSettings.globalize_path(recipe), "-o", baked, "-q",
    ])
    var output: Array = []
    var code := OS.execute(program, arguments, output, true)
    # 1: finished, and some clips stayed as they were.
    if code == 0 or code == 1:
        return true
    var message := "".join(output).strip_edges()
    push_error("clipmill, %s: %s" % [source, message if message else "was not found"])
    return false


## Replaces the keys of animations that both scenes have.
func _take_animations(scene: Node, baked: String) -> void:
    var state := GLTFState.new()
    var document := GLTFDocument.new()
    if document.append_from_file(baked, state) != OK:
        push_error("clipmill: Godot does not read %s" % baked)
        return
    var other := document.generate_scene(state, BAKE_FPS)
    var ours := _player(scene)
    var theirs := _player(other)
    if ours and theirs:
        for name in theirs.get_animation_list():
            if ours.has_animation(name):
                _replace_tracks(ours.get_animation(name), theirs.get_animation(name))
    other.free()


## Tracks by path and type; other tracks, loop mode and step stay as they were imported.
func _replace_tracks(target: Animation, source: Animation) -> void:
    for index in source.get_track_count():
        var path := source.track_get_path(index)
        var type := source.track_get_type(index)
        var old := target.find_track(path, type)
        if old >= 0:
            target.remove_track(old)
        source.copy_track(index, target)
    target.length = source.length


func _player(scene: Node) -> AnimationPlayer:
    var players := scene.find_children("*", "AnimationPlayer", true, false)
    return players[0] as AnimationPlayer if players else null
