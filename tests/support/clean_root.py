# SPDX-License-Identifier: MIT
"""A fresh Debian in a folder, made from the mirrors of this machine, to install packages into."""
import os
import pathlib
import shutil
import subprocess


class CannotMake(Exception):
    """Why there is no such folder, one clause."""


def _output(*command):
    process = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return process.stdout.strip() if process.returncode == 0 else ''


def _release():
    """The code name of the Debian that this machine runs."""
    lines = pathlib.Path('/etc/os-release').read_text().splitlines()
    values = dict(line.partition('=')[::2] for line in lines)
    return values['VERSION_CODENAME'] if values.get('ID') == 'debian' else ''


def _bootstrap(archive, release):
    """Packs the smallest system of a release that has a package manager."""
    here = _release() if pathlib.Path('/etc/os-release').exists() else ''
    release = release or here
    indices = ('Created-By: Packages', f'Codename: {here}')
    sites = _output('apt-get', 'indextargets', '--format', '$(SITE)', *indices).splitlines()
    if not here or not sites:
        raise CannotMake('this machine knows no mirror of Debian')
    root = archive.with_suffix('.root')
    shutil.rmtree(root, ignore_errors=True)
    process = subprocess.run(
        ['debootstrap', '--variant=minbase', release, root, sites[0]],
        capture_output=True,
        text=True,
        timeout=600,
    )
    if process.returncode != 0:
        shutil.rmtree(root, ignore_errors=True)
        raise CannotMake('debootstrap failed: ' + process.stdout.strip().splitlines()[-1])
    subprocess.run(['tar', '-C', root, '--numeric-owner', '-cf', archive, '.'], check=True)
    shutil.rmtree(root)


class CleanRoot:
    """Unpacks into `folder` what is kept in `archive`, which is made where it is not there: of the
    Debian that this machine runs, or of `release`."""

    def __init__(self, archive, folder, release=''):
        if os.geteuid() != 0 or not shutil.which('debootstrap'):
            raise CannotMake('it takes root and debootstrap')
        archive.parent.mkdir(parents=True, exist_ok=True)
        if not archive.exists():
            _bootstrap(archive, release)
        self.folder = folder
        subprocess.run(['tar', '-C', folder, '--numeric-owner', '-xf', archive], check=True)
        self._use_mirrors_of_this_machine()

    def _use_mirrors_of_this_machine(self):
        apt = self.folder / 'etc' / 'apt'
        (apt / 'sources.list').unlink(missing_ok=True)
        for name in ('etc/apt/sources.list', 'etc/resolv.conf', 'etc/hosts'):
            if pathlib.Path('/', name).exists():
                shutil.copy(pathlib.Path('/', name), self.folder / name)
        for name in ('etc/apt/sources.list.d', 'etc/apt/keyrings', 'usr/share/keyrings'):
            if pathlib.Path('/', name).is_dir():
                shutil.copytree(pathlib.Path('/', name), self.folder / name, dirs_exist_ok=True)
        (apt / 'apt.conf.d' / '99machine').write_text(_output('apt-config', 'dump', 'Acquire'))

    def run(self, script, **options):
        """The finished process of a shell script that sees the folder as the whole system."""
        environment = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND': 'noninteractive'}
        # What is mounted goes with the process.
        inside = (
            'mount -t proc proc "$1/proc" || mount --bind /proc "$1/proc"; '
            'exec chroot "$1" sh -c "$2"'
        )
        return subprocess.run(
            ['unshare', '--mount', 'sh', '-c', inside, 'sh', self.folder, script],
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            **options,
        )
