# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Settings of the engine as properties of Blender, made from the JSON Schema that the program
prints: one group a stage, one property a key. A recipe has the keys that differ from their
defaults."""
import re

import bpy
from bpy.props import (
    BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty,
    PointerProperty, StringProperty,
)

# Keys that the add-on sets itself, by stage.
OWN_KEYS = {
    'input': {'clip_from', 'copy_as', 'still_duration_s'},
    'tet-bake': {
        'bake_to', 'deltas', 'normals', 'twist_joints', 'keep_tets', 'tets', 'tets_scale',
        'outside', 'max_joints',
    },
    # They insert joints, which an armature would need as bones.
    'root': {'create', 'ik_bones'},
    'stretch': {'ring_count'},
    'dynamic-bones': {'continue_from'},
}
# Stages that make no sense in a scene.
_NOT_OFFERED = {'rename'}
_UNLIMITED = 1e6


class Field:
    """One key of a table: its kind decides the property and the value in a recipe."""

    def __init__(self, name, schema):
        self.name, self.doc = name, schema.get('description', '')
        self.has_default = 'default' in schema
        self.default = schema.get('default')
        self.choices = schema.get('enum')
        self.kind, self.bounds = _kind_of(schema)
        methods = re.search(r'Methods?: ([a-z0-9, ]+)', self.doc)
        self.methods = set(re.split(r',\s*', methods.group(1).strip())) if methods else None

    @property
    def is_optional(self):
        """Whether the key is left out where a switch beside it is off."""
        return not self.has_default and self.kind in ('boolean', 'integer', 'number', 'choice')

    @property
    def label(self):
        return label(self.name)

    @property
    def switch(self):
        return 'use_' + self.name

    def property(self):
        options = {'name': label(self.name), 'description': self.doc}
        low, high = self.bounds
        if self.kind == 'boolean':
            return BoolProperty(default=bool(self.default), **options)
        if self.kind == 'choice':
            items = [(c, label(c), self.doc) for c in self.choices]
            return EnumProperty(items=items, default=self.default or self.choices[0], **options)
        if self.kind == 'integer':
            return IntProperty(
                default=int(self.default or max(low, 0)), min=int(max(low, -(2**31))),
                max=int(min(high, 2**31 - 1)), **options,
            )
        if self.kind == 'number':
            return FloatProperty(
                default=_first(self.default, max(low, 0.0)), min=low, max=high, precision=3,
                **options,
            )
        if self.kind == 'curve':
            options['description'] += ' (at the root and at the tip of a chain)'
            value = _first(self.default, max(low, 0.0))
            return FloatVectorProperty(
                size=2, default=(value, value), min=low, max=high, precision=3, **options
            )
        if self.kind == 'vector':
            return FloatVectorProperty(size=3, default=self.default or (0, 0, 0), **options)
        if self.kind in ('numbers', 'texts'):
            options['description'] += ' (separated by commas)'
            return StringProperty(default=_list_text(self.default), **options)
        return StringProperty(default=self.default or '', **options)

    def value(self, group):
        """The value for a recipe, or None where the key is left out."""
        if self.is_optional and not getattr(group, self.switch):
            return None
        value = getattr(group, self.name)
        if self.kind == 'number':
            value = _short(value)
        elif self.kind == 'curve':
            root, tip = (_short(v) for v in value)
            value = root if root == tip else [[0, root], [1, tip]]
        elif self.kind == 'vector':
            value = [_short(v) for v in value]
        elif self.kind == 'numbers':
            value = [float(text) for text in _split(value)]
        elif self.kind == 'texts':
            value = _split(value)
        elif self.kind == 'text' and value.startswith('//'):
            value = bpy.path.abspath(value)
        unset = self.default if self.has_default else _EMPTY.get(self.kind)
        return None if not self.is_optional and value == unset else value


# Values of properties that leave a key without a default out.
_EMPTY = {'numbers': [], 'texts': [], 'text': ''}


class Table:
    """The keys of a stage, or of an item of a list in it."""

    def __init__(self, name, schema, own=()):
        self.name, self.fields, self.lists = name, [], []
        for key, value in schema['properties'].items():
            if key == 'type' and 'const' in value:
                continue
            if value.get('type') == 'array' and value['items'].get('type') == 'object':
                self.lists.append(Table(key, value['items']))
            elif key not in own:
                self.fields.append(Field(key, value))

    def value(self, group):
        """The table for a recipe."""
        table = {}
        for field in self.fields:
            value = field.value(group)
            if value is not None:
                table[field.name] = value
        for items in self.lists:
            values = [items.value(item) for item in getattr(group, items.name)]
            if values:
                table[items.name] = values
        return table

    def shown_fields(self, group, parent=None):
        """The fields that the method of the stage uses."""
        method = getattr(parent or group, 'method', None)
        return [f for f in self.fields if not f.methods or not method or method in f.methods]


class Stage(Table):
    def __init__(self, name, schema):
        super().__init__(name, schema, OWN_KEYS.get(name, ()))
        self.doc = schema['properties'].get('type', {}).get('description', '')
        self.group = name.replace('-', '_')

    @property
    def label(self):
        return label(self.name)


def stages_of(schema):
    """[Stage] of a schema; the first one is the table `input`."""
    properties = schema['properties']
    stages = [Stage('input', properties['input'])]
    for stage in properties['stage']['items']['oneOf']:
        name = stage['properties']['type']['const']
        if name not in _NOT_OFFERED:
            stages.append(Stage(name, stage))
    return stages


class Registry:
    """The stages that are registered as properties of objects: Object.clipmill.<stage>."""

    def __init__(self):
        self.stages, self._classes = [], []

    def find(self, name):
        return next(s for s in self.stages if s.name == name)

    def register(self, schema):
        self.stages = stages_of(schema)
        groups = {s.group: PointerProperty(type=self._group(s, s.group)) for s in self.stages}
        root = self._register('ClipmillSettings', groups)
        bpy.types.Object.clipmill = PointerProperty(type=root)

    def unregister(self):
        if self._classes:
            del bpy.types.Object.clipmill
        for group in reversed(self._classes):
            bpy.utils.unregister_class(group)
        self.stages, self._classes = [], []

    def _group(self, table, name):
        properties = {}
        for field in table.fields:
            properties[field.name] = field.property()
            if field.is_optional:
                properties[field.switch] = BoolProperty(
                    name=f'Set {label(field.name)}', description=field.doc
                )
        for items in table.lists:
            item = self._group(items, f'{name}_{items.name}')
            properties[items.name] = CollectionProperty(type=item)
            properties[items.name + '_index'] = IntProperty()
        return self._register('Clipmill_' + name, properties)

    def _register(self, name, properties):
        group = type(name, (bpy.types.PropertyGroup,), {'__annotations__': properties})
        bpy.utils.register_class(group)
        self._classes.append(group)
        return group


def label(name):
    """'damping_ratio' as 'Damping ratio'; units in brackets."""
    parts = name.replace('-', '_').split('_')
    units = {
        'm': 'm', 's': 's', 'deg': 'deg', 'hz': 'Hz', 'mm': 'mm', 'ms': 'ms', 'fps': 'fps',
        'mps': 'm/s', 'mps2': 'm/s²', 'degps': 'deg/s', 'percent': '%',
    }
    if len(parts) > 1 and parts[-1] in units:
        return ' '.join(parts[:-1]).capitalize() + f' [{units[parts[-1]]}]'
    return ' '.join(parts).capitalize()


def _kind_of(schema):
    """(kind, (minimum, maximum))"""
    parts = schema.get('anyOf', [schema])
    first = parts[0]
    bounds = (first.get('minimum', -_UNLIMITED), first.get('maximum', _UNLIMITED))
    if 'enum' in schema:
        return 'choice', bounds
    if len(parts) == 2 and first.get('type') == 'string':
        return 'texts', bounds
    if len(parts) == 2 and parts[1]['items'].get('type') == 'array':
        return 'curve', bounds
    if len(parts) == 2:
        return 'numbers', bounds
    if schema.get('type') == 'array':
        return 'vector', bounds
    return {'string': 'text'}.get(schema['type'], schema['type']), bounds


def _first(default, otherwise):
    return float(otherwise if default is None else default)


def _short(value):
    """A 32-bit float as the number that was typed."""
    return float(f'{value:.6g}')


def _split(text):
    return [part.strip() for part in text.split(',') if part.strip()]


def _list_text(values):
    return ', '.join(v if isinstance(v, str) else f'{v:g}' for v in values or [])
