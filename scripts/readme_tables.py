#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rewrites the settings tables of the README from what the program itself says.

  readme_tables.py [CLIPMILL] [--check]
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def kind_of(schema):
    if 'enum' in schema:
        return ' \\| '.join('`%s`' % word for word in schema['enum'])
    low, high = schema.get('minimum'), schema.get('maximum')
    if 'anyOf' in schema:
        if schema['anyOf'][0].get('type') == 'string':
            return 'texts'
        if schema['anyOf'][1]['items'].get('type') == 'number':
            return 'numbers'
        low, high = schema['anyOf'][0].get('minimum'), schema['anyOf'][0].get('maximum')
        bounds = '' if low is None and high is None else ' %s to %s' % (number(low), number(high))
        return 'number or curve' + bounds
    if low is not None or high is not None:
        return '%s to %s' % (number(low), number(high))
    if schema.get('type') == 'array':
        return '%s numbers' % schema.get('minItems', 'any')
    return {
        'boolean': 'true, false',
        'string': 'text',
        'number': 'number',
        'integer': 'whole number',
    }[schema['type']]


def number(value):
    return 'any' if value is None else '%g' % value


def rows(properties, prefix):
    for name, schema in properties.items():
        if name == 'type':
            continue
        if schema.get('items', {}).get('properties'):
            yield '| **`[[stage.%s]]`** | | | %s |' % (name, schema['description'])
            yield from rows(schema['items']['properties'], prefix)
            continue
        default = json.dumps(schema['default']) if 'default' in schema else ''
        yield '| `%s` | `%s` | %s | %s |' % (name, default, kind_of(schema), schema['description'])


def tables(program):
    schema = json.loads(
        subprocess.run([program, '--schema'], capture_output=True, text=True, check=True).stdout
    )
    found = {name: schema['properties'][name]['properties'] for name in ('input', 'output')}
    for stage in schema['properties']['stage']['items']['oneOf']:
        found[stage['properties']['type']['const']] = stage['properties']
    head = '| key | default | values | meaning |\n|---|---|---|---|\n'
    return {name: head + '\n'.join(rows(properties, name)) for name, properties in found.items()}


def main():
    arguments = [a for a in sys.argv[1:] if a != '--check']
    program = arguments[0] if arguments else str(ROOT / 'build/release/tools/clipmill/clipmill')
    made = tables(program)
    readme = ROOT / 'README.md'
    text = readme.read_text()
    fresh = re.sub(
        r'<!-- settings:([a-z-]+) -->\n.*?<!-- /settings -->',
        lambda m: '<!-- settings:%s -->\n%s\n<!-- /settings -->' % (m[1], made[m[1]]),
        text,
        flags=re.S,
    )
    missing = [name for name in made if '<!-- settings:%s -->' % name not in text]
    if missing:
        sys.exit('README.md has no table for: ' + ', '.join(missing))
    if '--check' in sys.argv:
        sys.exit(
            0
            if fresh == text
            else 'README.md: settings tables are not what the program says; '
            'run scripts/readme_tables.py'
        )
    readme.write_text(fresh)


if __name__ == '__main__':
    main()
