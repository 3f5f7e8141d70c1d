#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the pages of docs/reference from the JSON Schema and the help of the program.

  reference_tables.py [CLIPMILL] [--check]      --check: write nothing, fail where a page differs
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / 'docs' / 'reference'
GUIDES = {
    'dynamic-bones': 'dynamic-bones.md',
    'stretch': 'stretch.md',
    'self-collision': 'self-collision.md',
    'tet-bake': 'tet-bake.md',
    'input': 'clips.md#clips-of-other-characters',
    'output': 'formats.md#key-reduction',
    'exit-codes': 'install.md',
    'check': 'check.md',
}
OTHER_TITLES = {
    'input': ('Settings of `[input]`', 'Clips that a run takes from another file.'),
    'output': ('Settings of `[output]`', 'Keys and frame rate of the file that is written.'),
}
MADE = '<!-- written by scripts/reference_tables.py -->\n'
CHECK_FLAG = re.compile(
    r'^  (--max-[a-z0-9-]+) FLOAT\s+exit with 4 if above this value or not measured: (.+)$', re.M
)
EXIT_CODE = re.compile(r'^  (\d+)\s+(.+)$', re.M)


def output_of(program, *arguments):
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=True
    ).stdout


def number(value):
    return 'any' if value is None else '%g' % value


def bounds(low, high):
    if low is None and high is None:
        return ''
    if high is None:
        return ' from %s' % number(low)
    if low is None:
        return ' up to %s' % number(high)
    return ' %s to %s' % (number(low), number(high))


def kind_of(schema):
    """The values that a setting takes, as text."""
    if 'enum' in schema:
        return ' \\| '.join('`%s`' % word for word in schema['enum'])
    if 'anyOf' in schema:
        one, many = schema['anyOf'][0], schema['anyOf'][1]
        if one.get('type') == 'string':
            return 'texts'
        if many['items'].get('type') == 'number':
            return 'numbers'
        return 'number or curve' + bounds(one.get('minimum'), one.get('maximum'))
    if schema.get('type') == 'array':
        return '%s numbers' % schema.get('minItems', 'any')
    range_text = bounds(schema.get('minimum'), schema.get('maximum')).strip()
    plain = {'boolean': 'true, false', 'string': 'text', 'number': 'number'}
    return range_text or plain.get(schema['type'], 'whole number')


def table(head, rows):
    lines = ['| %s |' % ' | '.join(head), '|%s' % ('---|' * len(head))]
    return '\n'.join(lines + ['| %s |' % ' | '.join(row) for row in rows]) + '\n'


def settings_tables(properties):
    """The table of a stage's own settings, then one a list of tables such as `[[stage.chain]]`."""
    rows, lists = [], []
    for name, schema in properties.items():
        if name == 'type':
            continue
        doc = schema['description'].replace('|', '\\|')
        if schema.get('items', {}).get('properties'):
            part = '\n## `[[stage.%s]]`\n\n%s\n\n' % (name, sentence(doc))
            lists.append(part + settings_tables(schema['items']['properties']))
            continue
        default = '`%s`' % json.dumps(schema['default']) if 'default' in schema else 'unset'
        rows.append(('`%s`' % name, default, kind_of(schema), doc))
    return table(('key', 'default', 'values', 'meaning'), rows) + ''.join(lists)


def sentence(text):
    return text[0].upper() + text[1:].rstrip('.') + '.'


def page(name, title, text, body):
    guide = GUIDES.get(name, 'clips.md#' + name)
    if name in ('trim', 'retime'):
        guide = 'clips.md#trim-retime'
    if name in ('root', 'rename'):
        guide = 'clips.md#root-rename'
    head = '%s# %s\n\n%s Guide: [%s](../%s).\n\n' % (MADE, title, text, guide, guide)
    return head + body


def pages(program):
    """The text of each page, by file name."""
    schema = json.loads(output_of(program, '--schema'))['properties']
    made = {}
    for name, (title, text) in OTHER_TITLES.items():
        made[name] = page(name, title, text, settings_tables(schema[name]['properties']))
    for stage in schema['stage']['items']['oneOf']:
        kind = stage['properties']['type']
        name, text = kind['const'], sentence(kind['description'])
        made[name] = page(
            name, 'Settings of `%s`' % name, text, settings_tables(stage['properties'])
        )
    made['check'] = check_page(output_of(program, 'check', '--help'))
    made['exit-codes'] = page(
        'exit-codes',
        'Exit codes',
        'The same for all commands.',
        table(('code', 'meaning'), EXIT_CODE.findall(output_of(program, '--help'))),
    )
    return {'%s.md' % name: text for name, text in made.items()}


def check_page(help_text):
    # Long flags have their text on the next line.
    found = CHECK_FLAG.findall(re.sub(r' FLOAT\n +', ' FLOAT  ', help_text))
    rows = [('`%s`' % flag, doc.strip()) for flag, doc in found]
    text = (
        'Measures of `clipmill check`. Each flag sets a limit; a clip above it, or without that '
        'measure, ends with exit code 4.'
    )
    return page('check', 'Measures of `check`', text, table(('limit', 'measure'), rows))


def main():
    arguments = [a for a in sys.argv[1:] if a != '--check']
    program = arguments[0] if arguments else str(ROOT / 'build/release/tools/clipmill/clipmill')
    made = pages(program)
    if '--check' not in sys.argv:
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.glob('*.md'):
            old.unlink()
        for name, text in made.items():
            (FOLDER / name).write_text(text)
        return
    found = {path.name: path.read_text() for path in FOLDER.glob('*.md')}
    differing = sorted(n for n in found.keys() | made.keys() if found.get(n) != made.get(n))
    if differing:
        sys.exit(
            'docs/reference does not match the program: %s; run scripts/reference_tables.py'
            % ', '.join(differing)
        )


if __name__ == '__main__':
    main()
