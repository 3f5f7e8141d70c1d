# SPDX-License-Identifier: MIT
"""The manual page and the shell completions match --help and --schema."""
import json
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from clipmill_process import ProcessTest

FLAG = re.compile(r'(?<![\w-])(--?[a-z][\w-]*)')


class Reference(ProcessTest):
    def help_of(self, command):
        return self.run_clipmill(*command.split(), '--help').stdout

    def commands_below(self, command):
        listed = self.help_of(command).partition('\nSubcommands:\n')[2].partition('\n\n')[0]
        for name in re.findall(r'^  (\S+)', listed, re.M):
            below = f'{command} {name}'.strip()
            yield below
            yield from self.commands_below(below)

    def commands(self):
        commands = list(self.commands_below(''))
        self.assertIn('batch plan', commands)
        self.assertNotIn('man', commands)
        return commands

    def flags(self, command):
        options = self.help_of(command).partition('\nOptions:\n')[2].partition('\n\n')[0]
        names = re.findall(r'^  (-\S+)', options, re.M)
        flags = {flag for name in names for flag in name.split(',')}
        self.assertIn('--help', flags)
        return flags

    def stages(self):
        """Keys by the name of a stage, those of a list as chain.root."""

        def keys_of(properties, prefix=''):
            for name, schema in properties.items():
                items = schema.get('items', {}).get('properties')
                if items:
                    yield from keys_of(items, prefix + name + '.')
                elif name != 'type':
                    yield prefix + name

        properties = json.loads(self.run_clipmill('--schema').stdout)['properties']
        keys = {name: set(keys_of(properties[name]['properties'])) for name in ('input', 'output')}
        for stage in properties['stage']['items']['oneOf']:
            name = stage['properties']['type']['const']
            keys[name] = set(keys_of(stage['properties']))
        self.assertIn('chain.damping_ratio', keys['dynamic-bones'])
        return keys

    def completions(self, shell):
        return self.run_clipmill('completions', shell).stdout


class ManPage(Reference):
    def setUp(self):
        super().setUp()
        self.page = self.run_clipmill('man', '--date', '2026-01-02').stdout
        plain = re.sub(r'\\f[BIPR]', '', self.page).replace('\\-', '-')
        # A part for each command, under its own title.
        parts = re.split(r'^\.S[SH] ', plain, flags=re.M)
        self.parts = {part.partition('\n')[0]: part for part in parts}

    def part(self, command):
        named = f'clipmill {command}'
        found = [
            part
            for title, part in self.parts.items()
            if title == named or re.match(re.escape(named) + r' \[?[A-Z]', title)
        ]
        self.assertEqual(len(found), 1, command)
        return found[0]

    def test_every_command_and_flag_is_in_it(self):
        common = set(FLAG.findall(self.parts['COMMANDS']))
        self.assertIn('--max-file-mb', common)
        of_run = self.flags('run')
        self.assertLessEqual(self.flags(''), set(FLAG.findall(self.parts['DESCRIPTION'])))
        for command in self.commands():
            listed = common | set(FLAG.findall(self.part(command)))
            if command in self.stages():
                listed |= of_run
            self.assertLessEqual(self.flags(command), listed, command)

    def test_every_stage_and_key_is_in_it(self):
        for stage, keys in self.stages().items():
            part = self.parts['RECIPES'] if stage in ('input', 'output') else self.part(stage)
            terms = set(re.findall(r'^\.TP\n(\S+)', part, re.M))
            for key in keys:
                *lists, name = key.split('.')
                self.assertIn(name, terms, stage)
                if lists:
                    self.assertIn('[[stage.' + '.'.join(lists) + ']]', terms, stage)

    def test_every_exit_code_is_in_it(self):
        codes = re.findall(r'^\.TP\n(\d+)\n', self.parts['EXIT STATUS'], re.M)
        self.assertEqual(codes, ['0', '1', '2', '3', '4', '70', '75'])
        footer = self.help_of('').partition('Exit codes:')[2]
        self.assertEqual(re.findall(r'^  (\d+)', footer, re.M), codes)

    def test_the_programs_that_read_manual_pages_find_no_fault(self):
        page = self.file('clipmill.1', self.page)
        checks = {
            'mandoc': ['mandoc', '-Tlint', '-Wwarning', page],
            'groff': ['groff', '-man', '-ww', '-z', '-Tutf8', page],
        }
        for name, command in checks.items():
            if not shutil.which(name):
                print(f'skipped: there is no {name}')
                continue
            process = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((process.stdout, process.stderr, process.returncode), ('', '', 0))

    def test_its_foot_has_version_and_date(self):
        version = self.run_clipmill('--version').stdout.split()[1]
        first = self.page.splitlines()[0]
        self.assertIn('"2026-01-02"', first)
        self.assertIn(f'"clipmill {version}"', first)


class Completions:
    """What every shell has to offer; `offered(line)` is what it offers at the end of a line."""

    def test_commands(self):
        top = {command for command in self.commands() if ' ' not in command}
        self.assertEqual(self.offered('clipmill '), top)
        self.assertEqual(self.offered('clipmill str'), {'stretch'})
        below = {command.partition(' ')[2] for command in self.commands() if ' ' in command}
        self.assertLessEqual(below, self.offered('clipmill batch '))

    def test_flags_of_every_command(self):
        for command in ['', *self.commands()]:
            line = f'clipmill {command} '.replace('  ', ' ')
            offered = self.offered(line + '--')
            self.assertEqual(
                offered, {flag for flag in self.flags(command) if flag.startswith('--')}, command
            )

    def test_values_of_a_flag(self):
        progress = {'auto', 'bar', 'plain', 'json', 'off'}
        self.assertEqual(self.offered('clipmill run in.glb --progress '), progress)
        self.assertEqual(self.offered('clipmill batch run --progress '), progress)
        methods = self.offered('clipmill dynamic-bones in.glb --method ')
        self.assertEqual(methods, {'rod', 'spring', 'reference', 'vrm1', 'vrm0'})

    def test_numbers_are_not_guessed(self):
        self.file('7.glb', '')
        self.assertEqual(self.offered('clipmill run in.glb --fps '), set())

    def test_files(self):
        self.file('humanoid.glb', '')
        self.file('recipe.toml', '')
        for line in ('info hum', 'run hum', 'run --recipe x -o hum', 'batch hum', 'preview a hum'):
            self.assertEqual(self.offered(f'clipmill {line}'), {'humanoid.glb'}, line)
        self.assertEqual(self.offered('clipmill run --recipe rec'), {'recipe.toml'})

    def test_every_key_of_a_recipe(self):
        keys = {f'{stage}.{key}' for stage, names in self.stages().items() for key in names}
        for line in ('clipmill run in.glb --set ', 'clipmill batch --set '):
            offered = {word.partition('=')[0] for word in self.offered(line)}
            self.assertEqual(offered, keys)
        values = self.offered('clipmill run --set output.keys=')
        self.assertEqual({word.rpartition('=')[2] for word in values}, {'reduced', 'all'})


class Terminal:
    """A shell that believes a person sits before it."""

    def __init__(self, test, arguments, folder):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(TERM='dumb', LC_ALL='C.UTF-8', HOME=str(folder))
            os.execvp(arguments[0], arguments)
        test.addCleanup(self.close)

    def close(self):
        os.close(self.file)
        os.waitpid(self.process, 0)

    def type(self, text, end):
        """What it shows from then on until `end` is there, which nobody types."""
        os.write(self.file, text.encode())
        shown, deadline = '', time.monotonic() + 30
        while end not in shown:
            if not select.select([self.file], [], [], deadline - time.monotonic())[0]:
                raise AssertionError(f'{text!r}: no reply\n{shown}')
            shown += os.read(self.file, 65536).decode(errors='replace')
        return shown


def tokens_in(shown):
    return {word for word in re.findall(r'<([^<>\r\n]*)>', shown)}


@unittest.skipUnless(shutil.which('bash'), 'there is no bash')
class Bash(Completions, Reference):
    # Shows its tokens instead of running.
    SETUP = (
        "bind 'set enable-bracketed-paste off'; PS1=; PS2=\n"
        "source .completions; clipmill() { printf '<%s>' \"$@\"; echo '<''<end>>'; }\n"
        "echo '<''<ready>>'\n"
    )

    def setUp(self):
        super().setUp()
        self.file('.completions', self.completions('bash'))
        self.shell = Terminal(self, ['bash', '--norc', '--noprofile', '-i'], self.folder)
        self.shell.type(self.SETUP, '<<ready>>')

    def offered(self, line):
        # ESC * puts all that is offered into the line.
        shown = tokens_in(self.shell.type(line + '\x1b*\r', '<<end>>'))
        return shown - set(line.split()) - {'end', ''}


@unittest.skipUnless(shutil.which('zsh'), 'there is no zsh')
class Zsh(Completions, Reference):
    SETUP = r'''
PROMPT= RPROMPT=
setopt no_auto_list no_auto_menu no_beep
fpath=($PWD $fpath)
autoload -Uz compinit && compinit -u -D
bindkey -e
bindkey '^I' complete-word
compadd() {
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a found
  builtin compadd -A found "$@"
  (( $#found )) && printf '<%s>' $found
}
finish() { printf '<<e''nd>>'; comppostfuncs=(finish) }
comppostfuncs=(finish)
printf '<<re''ady>>'
'''

    def setUp(self):
        super().setUp()
        self.file('_clipmill', self.completions('zsh'))
        self.file('.setup', self.SETUP)
        self.shell = Terminal(self, ['zsh', '-f', '-i'], self.folder)
        self.shell.type('source ./.setup\n', '<<ready>>')

    def offered(self, line):
        # Control-U empties the line again.
        shown = tokens_in(self.shell.type(line + '\t', '<<end>>'))
        self.shell.type('\x15print "<<"empty">>"\n', '<<empty>>')
        return shown - {'end'}


@unittest.skipUnless(shutil.which('fish'), 'there is no fish')
class Fish(Completions, Reference):
    def setUp(self):
        super().setUp()
        self.script = self.file('.completions', self.completions('fish'))

    def offered(self, line):
        command = f"source .completions; complete -C '{line}'"
        reply = subprocess.run(
            ['fish', '--no-config', '-c', command], cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(reply.stderr, '')
        return {one.partition('\t')[0] for one in reply.stdout.splitlines()}


if __name__ == '__main__':
    unittest.main()
