# SPDX-License-Identifier: MIT
"""Screenshots of the add-on's panel, and a bake that runs in the background of the interface: its
progress, its cancel and its undo. Needs a display.

  blender --enable-event-simulate --factory-startup -noaudio -P blender_panel.py -- ZIP PROGRAM
      SAMPLES OUT_FOLDER
"""
import json
import pathlib
import sys
import time
import traceback

import bpy
import numpy

bpy.context.preferences.view.show_splash = False
numpy.bool = bool  # Blender 3.4's importer uses numpy.bool, which Debian's numpy no longer has
addon, program, samples, target = map(pathlib.Path, sys.argv[sys.argv.index('--') + 1 :][:4])
# Distances from the right and upper edge of the sidebar: of the add-on's tab, which is the last
# one, of the head of its first stage, and of the head of the check below it.
TAB, STAGE, CHECK = (12, 175), (110, 243), (110, 373)
RESULTS = {'progress': []}


def install():
    bpy.ops.preferences.addon_install(filepath=str(addon))
    bpy.ops.preferences.addon_enable(module='clipmill_addon')
    bpy.context.preferences.addons['clipmill_addon'].preferences.program = str(program)


def view(kind='VIEW_3D'):
    """(window, area, region) of the 3D view, or of another editor."""
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == kind)
    return window, area, next(r for r in area.regions if r.type == 'WINDOW')


def context(kind='VIEW_3D'):
    window, area, region = view(kind)
    return bpy.context.temp_override(window=window, area=area, region=region)


def key_count():
    return sum(len(c.keyframe_points) for a in bpy.data.actions for c in a.fcurves)


def armature():
    return next(o for o in bpy.data.objects if o.type == 'ARMATURE')


def is_running():
    return sys.modules['clipmill_addon'].state.running is not None


def wait_until_done(timeout_s=120):
    end = time.monotonic() + timeout_s
    while is_running():
        run = sys.modules['clipmill_addon'].state.running
        RESULTS['progress'].append([run.step, run.done, run.total])
        if time.monotonic() > end:
            raise TimeoutError('the bake does not end')
        yield 0.05


def set_up():
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=str(samples / 'dynamic-bones' / 'humanoid.glb'))
    bpy.context.view_layer.objects.active = armature()
    _, area, _ = view()
    area.spaces[0].show_region_ui = True
    area.spaces[0].overlay.show_relationship_lines = False
    with context():
        bpy.ops.object.mode_set(mode='POSE')
        for bone in armature().data.bones:
            bone.select = bone.name in ('Tail1', 'Whip1')
        bpy.ops.clipmill.list_add(stage='dynamic-bones', items='chain')
        bpy.ops.view3d.view_all()
    chains = armature().clipmill.dynamic_bones.chain
    chains[0].preset, chains[1].preset = 'rope', 'tail'


def show_object_tab():
    """A screenshot of the Properties with the tab Object, as large as the window."""
    with context('PROPERTIES'):
        view('PROPERTIES')[1].spaces[0].context = 'OBJECT'
        bpy.ops.screen.screen_full_area()
    yield 1.0
    with context('PROPERTIES'):
        bpy.ops.screen.screenshot(filepath=str(target / 'object.png'))
        bpy.ops.screen.back_to_previous()
    yield 1.0


def show_panel():
    """The 3D view fills the window, and its sidebar shows the tab of the add-on."""
    with context():
        bpy.ops.screen.screen_full_area()
    yield 0.5
    _, area, _ = view()
    area.spaces[0].show_region_ui = True
    yield 0.5
    yield from click(*TAB)


def click(right, down):
    """A click at that distance from the right and upper edge of the sidebar."""
    window, area, _ = view()
    region = next(r for r in area.regions if r.type == 'UI')
    where = {'x': region.x + region.width - right, 'y': region.y + region.height - down}
    window.event_simulate(type='MOUSEMOVE', value='NOTHING', **where)
    yield 0.2
    for value in ('PRESS', 'RELEASE'):
        window.event_simulate(type='LEFTMOUSE', value=value, **where)
    yield 0.5


def screenshot(name):
    with context():
        bpy.ops.screen.screenshot(filepath=str(target / name))


def steps():
    """Yields the time to wait before it goes on, so that Blender draws and handles events."""
    install()
    set_up()
    yield from show_object_tab()
    yield from show_panel()
    yield 1.0
    screenshot('panel.png')
    before = key_count()
    settings = armature().clipmill.dynamic_bones
    settings.colliders, settings.quality = 'skin', 'high'  # takes some seconds
    with context():
        bpy.ops.ed.undo_push(message='before')
        RESULTS['cancelled'] = list(
            bpy.ops.clipmill.bake('INVOKE_DEFAULT', stage='dynamic-bones', all_actions=True)
        )
    yield 0.4
    RESULTS['was_running'] = is_running()
    screenshot('running.png')
    bpy.ops.clipmill.cancel()
    yield from wait_until_done()
    yield 0.5
    RESULTS['is_kept_after_cancel'] = key_count() == before
    settings = armature().clipmill.dynamic_bones
    settings.colliders, settings.quality = 'given', 'standard'
    with context():
        RESULTS['started'] = list(bpy.ops.clipmill.bake('INVOKE_DEFAULT', stage='dynamic-bones'))
    yield from wait_until_done()
    yield 0.5
    RESULTS['is_baked'] = key_count() != before
    screenshot('baked.png')
    with context():
        bpy.ops.ed.undo()
    yield 0.5
    RESULTS['is_restored'] = key_count() == before
    with context():
        bpy.ops.ed.redo()
    yield 0.5
    RESULTS['is_redone'] = key_count() != before
    with context():
        bpy.ops.clipmill.check('INVOKE_DEFAULT')
    yield from wait_until_done()
    yield 0.5
    RESULTS['has_findings'] = len(bpy.context.window_manager.clipmill.findings) > 0
    yield from click(*STAGE)  # closes it
    yield 1.0
    yield from click(*CHECK)
    yield 1.0
    screenshot('check.png')


_steps = steps()


def advance():
    try:
        return next(_steps)
    except StopIteration:
        pass
    except Exception:
        RESULTS['error'] = traceback.format_exc()
    (target / 'panel.json').write_text(json.dumps(RESULTS))
    bpy.ops.wm.quit_blender()
    return None


bpy.app.timers.register(advance, first_interval=1.0)
