# SPDX-License-Identifier: MIT
"""README, docs and samples: commands run, links lead somewhere, tables match the program."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest

PAGES = sorted(
    [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', ROOT / 'CHANGELOG.md']
    + list((ROOT / 'docs').rglob('*.md'))
    + list(SAMPLES.rglob('*.md'))
)
MAX_README_LINES = 200


def without_code(text):
    return re.sub(r'```.*?```', '', text, flags=re.S)


def anchors_of(path):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for title in re.findall(r'^#+ (.+)$', without_code(path.read_text()), re.M):
        plain = re.sub(r'[^\w\- ]', '', title.lower())
        found.add(plain.replace(' ', '-'))
    return found


def links_of(path):
    """(file, anchor) of each link and image of a page that stays within the project."""
    for link in re.findall(r'\]\(([^)\s]+)\)', without_code(path.read_text())):
        if '://' in link:
            continue
        target, _, anchor = link.partition('#')
        yield (path.parent / target if target else path), anchor


class Commands(ProcessTest):
    """Blocks marked `sh` are run; those that need other machines are `console` or `text`."""

    def commands(self, path):
        for block in re.findall(r'```sh\n(.*?)```', path.read_text(), re.S):
            yield from (line for line in block.splitlines() if line.strip())

    def run_all(self, path):
        """The commands of one page in a row, in a folder that has only the samples."""
        folder = self.folder / path.relative_to(ROOT).as_posix().replace('/', '-')
        folder.mkdir()
        (folder / 'samples').symlink_to(SAMPLES)
        environment = dict(
            os.environ, PATH=str(pathlib.Path(PROGRAM).parent) + ':' + os.environ['PATH']
        )
        count = 0
        for command in self.commands(path):
            process = subprocess.run(
                ['bash', '-c', command],
                cwd=folder,
                env=environment,
                text=True,
                capture_output=True,
                timeout=300,
            )
            self.assertEqual(process.returncode, 0, command + '\n' + process.stderr)
            count += 1
        return count

    def run_pages(self, pages):
        count = 0
        for page in pages:
            with self.subTest(page.relative_to(ROOT).as_posix()):
                count += self.run_all(page)
        return count

    def test_every_command_of_the_readme_runs(self):
        self.assertGreaterEqual(self.run_pages([ROOT / 'README.md']), 5)

    def test_every_command_of_the_guides_runs(self):
        self.assertGreaterEqual(self.run_pages(sorted((ROOT / 'docs').rglob('*.md'))), 50)

    def test_every_command_of_the_sample_pages_runs(self):
        pages = sorted(SAMPLES.glob('*/README.md'))
        self.assertGreaterEqual(len(pages), 4)
        self.assertGreaterEqual(self.run_pages(pages), 8)


class Pages(unittest.TestCase):
    def test_the_readme_is_short(self):
        lines = (ROOT / 'README.md').read_text().count('\n')
        self.assertLessEqual(lines, MAX_README_LINES)

    def test_every_linked_page_image_and_anchor_exists(self):
        count = 0
        for page in PAGES:
            for target, anchor in links_of(page):
                with self.subTest(page=page.relative_to(ROOT).as_posix(), target=target.name):
                    self.assertTrue(target.exists(), str(target))
                    if anchor:
                        self.assertIn(anchor, anchors_of(target))
                count += 1
        self.assertGreater(count, 100)

    def test_every_page_of_docs_is_in_the_index(self):
        index = ROOT / 'docs' / 'README.md'
        linked = {target.resolve() for target, _ in links_of(index)}
        for page in sorted((ROOT / 'docs').rglob('*.md')):
            if page != index:
                self.assertIn(page.resolve(), linked, page.name)

    def test_every_test_that_a_guide_quotes_exists(self):
        sources = ''.join(p.read_text() for p in (ROOT / 'tests' / 'unit').rglob('*.cc'))
        sources = re.sub(r'"\s*\n\s*"', '', sources).lower()
        guide = (ROOT / 'docs' / 'dynamic-bones.md').read_text()
        titles = re.findall(r'"([^"\n]+)"', guide[guide.index('## Requests') :])
        self.assertGreaterEqual(len(titles), 20)
        for title in titles:
            self.assertTrue(title.lower() in sources, title)

    def test_the_reference_is_that_of_the_program(self):
        process = subprocess.run(
            [sys.executable, ROOT / 'scripts' / 'reference_tables.py', PROGRAM, '--check'],
            capture_output=True,
            text=True,
        )
        self.assertEqual(process.returncode, 0, process.stderr)


if __name__ == '__main__':
    unittest.main(warnings="ignore")
