# SPDX-License-Identifier: MIT
"""A Slurm cluster of four nodes on this machine, in a folder of its own."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

NODES = ('n1', 'n2', 'n3', 'n4')
NEEDED = ('slurmctld', 'slurmd', 'sbatch', 'munged')
CONFIGURATION = '''
ClusterName=clipmilltest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={work}/munge.socket,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/%n
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd.%n.pid
SlurmctldLogFile={work}/log/slurmctld.log
SlurmdLogFile={work}/log/slurmd.%n.log
SlurmctldTimeout=10
SlurmdTimeout=10
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={work}/log/jobs.txt
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=100000
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=5
SlurmdParameters=config_overrides
PartitionName=clips Nodes=ALL Default=YES MaxTime=INFINITE State=UP
'''
NODE = 'NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=500\n'


def missing():
    """Why there can be no cluster here; empty where there can."""
    path = os.environ['PATH'] + ':/usr/sbin:/sbin'
    absent = [name for name in NEEDED if not shutil.which(name, path=path)]
    if absent:
        return 'no ' + ', '.join(absent) + '; scripts/setup.sh interop installs them'
    return '' if os.geteuid() == 0 else 'a cluster of its own needs root'


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for opened in sockets:
        opened.bind(('127.0.0.1', 0))
    ports = [opened.getsockname()[1] for opened in sockets]
    for opened in sockets:
        opened.close()
    return ports


class Cluster:
    """Daemons are started by start() and ended by stop(), each by its process id."""

    def __init__(self, folder):
        self.work = pathlib.Path(folder)
        self.environment = {
            **os.environ,
            'SLURM_CONF': str(self.work / 'slurm.conf'),
            'PATH': os.environ['PATH'] + ':/usr/sbin:/sbin',
        }
        self.daemons = {}

    def start(self):
        for name in ('state', *NODES, 'log', 'munge'):
            (self.work / name).mkdir()
        (self.work / 'slurm.conf').write_text(self._configuration())
        self._start_munge()
        self._start('slurmctld', 'slurmctld', '-D', '-c')
        self._wait('slurmctld', lambda: self.ask('scontrol', 'ping', check=False).returncode == 0)
        for node in NODES:
            self._start(node, 'slurmd', '-D', '-N', node)
        self._wait('idle nodes', lambda: self.states() == dict.fromkeys(NODES, 'idle'))

    def _configuration(self):
        host = socket.gethostname().split('.')[0]
        port, *node_ports = free_ports(1 + len(NODES))
        nodes = [
            NODE.format(name=name, host=host, port=node_port)
            for name, node_port in zip(NODES, node_ports)
        ]
        return CONFIGURATION.format(host=host, work=self.work, port=port) + ''.join(nodes)

    def _start_munge(self):
        # Its own key and socket; forced, as it wants folders that all users can reach.
        key = self.work / 'munge' / 'key'
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        files = {'pid-file': 'pid', 'log-file': 'log', 'seed-file': 'seed'}
        self._start(
            'munged',
            *('munged', '--foreground', '--force', '--key-file', key),
            *('--socket', self.work / 'munge.socket'),
            *(f'--{option}={key.parent / name}' for option, name in files.items()),
        )
        self._wait('munged', (self.work / 'munge.socket').exists)

    def _start(self, name, program, *arguments):
        log = (self.work / 'log' / (name + '.out')).open('ab')
        self.daemons[name] = subprocess.Popen(
            [shutil.which(program, path=self.environment['PATH']), *map(str, arguments)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        log.close()

    def _wait(self, what, is_there, seconds=30):
        end = time.monotonic() + seconds
        while not is_there():
            dead = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                raise RuntimeError(f'no {what}; ended: {dead}\n{self.logs()}')
            time.sleep(0.1)

    def ask(self, *command, check=True):
        process = subprocess.run(
            command, env=self.environment, text=True, capture_output=True, timeout=60
        )
        if check and process.returncode:
            raise RuntimeError(f'{command}: {process.returncode}\n{process.stderr}\n{self.logs()}')
        return process

    def states(self):
        lines = self.ask('sinfo', '-h', '-N', '-o', '%N %T', check=False).stdout.splitlines()
        return dict(line.split() for line in lines)

    def queue(self):
        """Lines of squeue: task, state, node."""
        lines = self.ask('squeue', '-h', '-r', '-o', '%K|%T|%N').stdout.splitlines()
        return [line.split('|') for line in lines]

    def logs(self):
        texts = []
        for path in sorted((self.work / 'log').iterdir()):
            texts.append(f'== {path.name}\n' + path.read_text(errors='replace')[-2000:])
        return '\n'.join(texts)

    def processes(self, node=None):
        """Ids of what jobs of this cluster run, on one node or all, known by environment."""
        configuration = b'SLURM_CONF=' + self.environment['SLURM_CONF'].encode()
        found = set()
        for process in running():
            variables = read(process, 'environ').split(b'\0')
            if configuration not in variables or process == os.getpid():
                continue
            if node is None or b'SLURMD_NODENAME=' + node.encode() in variables:
                found.add(process)
        return found

    def signal_script(self, node, number):
        """Sends a signal to the batch script that runs on a node, and to nothing that it runs."""
        for process in self.processes(node):
            if read(process, 'cmdline').split(b'\0')[1].endswith(b'/slurm_script'):
                os.kill(process, number)

    def kill_node(self, node):
        """As if its power went: the daemon and all that it started are gone at once. Those that
        would report the end of others go first."""
        daemon = self.daemons.pop(node)
        jobs = self.processes(node) - {daemon.pid}
        watchers = {parent(process) for process in jobs}
        watchers = {process for process in watchers if read(process, 'comm') == b'slurmstepd\n'}
        for process in (daemon.pid, *watchers, *jobs):
            end(process)
        daemon.wait()

    def stop(self):
        for process in self.processes() - {daemon.pid for daemon in self.daemons.values()}:
            end(process)
        for daemon in reversed(list(self.daemons.values())):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for process in self.processes():
            end(process)


def end(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def running():
    return [int(entry.name) for entry in pathlib.Path('/proc').iterdir() if entry.name.isdigit()]


def read(process, name):
    """A file that the kernel keeps on a process; empty where the process has ended."""
    try:
        return (pathlib.Path('/proc') / str(process) / name).read_bytes()
    except OSError:
        return b''


def parent(process):
    """0 where the process has ended."""
    # Behind the name, which may hold anything, in brackets.
    fields = read(process, 'stat').rpartition(b')')[2].split()
    return int(fields[1]) if fields else 0
