"""A Slurm cluster of one node and two slots, in a folder of its own.

    with Cluster(folder) as cluster:      # raises CannotStart, with the reason
        cluster.run(["sinfo"])            # SLURM_CONF is set
"""
import os
import pathlib
import shutil
import socket
import subprocess
import time

PATIENCE_S = 30


class CannotStart(Exception):
    pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.processes = []
        self.environment = dict(os.environ)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for program in ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"]:
            if shutil.which(program) is None:
                raise CannotStart(f"{program} is not installed")
        if os.geteuid() != 0:
            raise CannotStart("slurmd needs root to start jobs")
        self.folder.chmod(0o755)
        socket_path = self.start_munge()
        self.write_configuration(socket_path)
        self.spawn("slurmctld", ["slurmctld", "-D", "-c"])
        self.spawn("slurmd", ["slurmd", "-D", "-N", "here", "-f", str(self.folder / "slurm.conf")])
        self.wait_for(lambda: "idle" in self.run(["sinfo", "-h", "-o", "%T"]).stdout, "the node")

    def start_munge(self):
        home = self.folder / "munge"
        home.mkdir(mode=0o700)
        key = home / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        home.chmod(0o711)
        path = home / "socket"
        self.spawn("munged", ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={path}",
                              f"--pid-file={home}/pid", f"--log-file={home}/log", f"--seed-file={home}/seed"])
        self.wait_for(path.exists, "munged")
        return path

    def write_configuration(self, socket_path):
        for name in ["state", "spool"]:
            (self.folder / name).mkdir()
        lines = {
            "ClusterName": "heddle", "SlurmctldHost": f"{socket.gethostname()}(127.0.0.1)", "SlurmUser": "root",
            "AuthType": "auth/munge", "AuthInfo": f"socket={socket_path}", "CredType": "cred/munge",
            "SlurmctldPort": free_port(), "SlurmdPort": free_port(),
            "StateSaveLocation": self.folder / "state", "SlurmdSpoolDir": self.folder / "spool",
            "SlurmctldPidFile": self.folder / "ctld.pid", "SlurmdPidFile": self.folder / "d.pid",
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CPU", "ReturnToService": 2, "SchedulerParameters": "batch_sched_delay=0",
            "JobRequeue": 1, "MinJobAge": 10, "KillWait": 5, "SwitchType": "switch/none", "MpiDefault": "none",
        }
        text = "".join(f"{key}={value}\n" for key, value in lines.items())
        text += "NodeName=here NodeAddr=127.0.0.1 NodeHostname=localhost CPUs=2 State=UNKNOWN\n"
        text += "PartitionName=all Nodes=here Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO\n"
        (self.folder / "slurm.conf").write_text(text)
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")

    def spawn(self, name, command):
        log = open(self.folder / f"{name}.out", "w")
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, env=self.environment))

    def wait_for(self, holds, what):
        end = time.monotonic() + PATIENCE_S
        while not holds():
            ended = [process.args[0] for process in self.processes if process.poll() is not None]
            if ended or time.monotonic() > end:
                logs = " ".join(path.read_text()[-300:] for path in self.folder.glob("*.out"))
                raise CannotStart(f"{what} does not start: {' '.join(ended)} {logs}")
            time.sleep(0.1)

    def run(self, command, **options):
        return subprocess.run(command, env=self.environment, text=True, capture_output=True, check=False, **options)

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
