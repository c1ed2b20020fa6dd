#!/usr/bin/env python3
"""The files of docs/scale: their command lines, with the number of the shard set as Kubernetes and Slurm set it, run eight shards of
each campaign on this machine. One is killed on the way and started again. What is merged is what one run says."""
import argparse
import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path(__file__).resolve().parents[2]
SCALE = SOURCES / "docs" / "scale"
SHARDS = 8

MODULE = "HloModule {name}\nENTRY e {{\n  p = s32[{rows},8] parameter(0)\n  a = s32[{rows},8] add(p, p)\n" \
         "  ROOT r = s32[{rows},8] reverse(a), dimensions={{{dimension}}}\n}}\n"


def commands_of(file):
    """The command of each job of a file, as a shell runs it."""
    text = file.read_text()
    if file.suffix == ".yaml":
        return re.findall(r"^ *command: \[sh, -c, '(.*)'\]$", text, re.M)
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def slurm_command():
    (line,) = commands_of(SCALE / "slurm.sbatch")
    # Without Slurm `srun` is the command itself, and the array's size comes from the header.
    first, last = map(int, re.search(r"^#SBATCH --array=(\d+)-(\d+)$", (SCALE / "slurm.sbatch").read_text(), re.M).groups())
    assert last - first + 1 == SHARDS
    return "srun() { \"$@\"; }; " + line, "SLURM_ARRAY_TASK_ID", {"SLURM_ARRAY_TASK_COUNT": str(SHARDS)}


def kubernetes_commands():
    text = (SCALE / "kubernetes.yaml").read_text()
    assert re.search(rf"^  completions: {SHARDS}$", text, re.M) and "completionMode: Indexed" in text
    # The image has the scripts in its working folder.
    shard, merge = (f"cd {SOURCES / 'docs'}; {command}" for command in commands_of(SCALE / "kubernetes.yaml"))
    return shard, "JOB_COMPLETION_INDEX", {"SHARDS": str(SHARDS)}, merge


def normal(value):
    """JSON without times, and keys in order."""
    if isinstance(value, dict):
        return {key: normal(of) for key, of in sorted(value.items()) if key not in ("ms", "shard")}
    return [normal(of) for of in value] if isinstance(value, list) else value


class Campaign:
    def __init__(self, affirm, arguments, folder, given=""):
        self.affirm, self.arguments, self.folder, self.given = affirm, arguments, pathlib.Path(folder), given
        self.reports = self.folder / "reports"
        self.input = self.folder / "input"
        self.input.write_text(given)
        words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in arguments)
        self.environment = os.environ | {"AFFIRM": affirm, "CAMPAIGN": words, "REPORTS": str(self.reports),
                                         "SHARDS": str(SHARDS), "INPUT": str(self.input)}

    def start(self, command, variable, more, shard):
        return subprocess.Popen(["bash", "-c", command], cwd=SOURCES, env=self.environment | more | {variable: str(shard)},
                                start_new_session=True)

    def run(self, command, variable, more):
        """All shards; the middle one is killed as soon as it writes, and then all are started again, as a user would do."""
        victim = SHARDS // 2
        times = {}
        for shard in range(SHARDS):
            process = self.start(command, variable, more, shard)
            if shard == victim:
                part = self.reports / f"{shard}.json.part"
                while not part.exists() and process.poll() is None:
                    time.sleep(0.001)
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                assert not (self.reports / f"{shard}.json").exists(), "it was too fast to be killed"
                continue
            assert process.wait(600) == 0, f"shard {shard} of {self.arguments}"
            times[shard] = (self.reports / f"{shard}.json").stat().st_mtime_ns
        # Not all are there: nothing is merged that looks like the whole.
        files = [self.reports / f"{shard}.json" for shard in times]
        if not self.given:
            done = subprocess.run([self.affirm, "merge", "--json", *files], capture_output=True, text=True)
            assert done.returncode == 3 and f"shard {victim}/{SHARDS} is missing" in done.stderr, done
        for shard in range(SHARDS):
            assert self.start(command, variable, more, shard).wait(600) == 0
            if shard in times:  # it was not done again
                assert (self.reports / f"{shard}.json").stat().st_mtime_ns == times[shard]

    def whole(self):
        """What one run says: its JSON, and its exit status."""
        json_flag = [] if self.given else ["--json"]
        done = subprocess.run([self.affirm, *self.arguments, *json_flag], cwd=SOURCES, input=self.given,
                              capture_output=True, text=True, timeout=900)
        return done.stdout, done.returncode

    def compare(self, merged_status):
        text, status = self.whole()
        assert merged_status == status, (self.arguments, merged_status, status)
        if self.given:
            merged = [json.loads(line) for line in (self.reports / "merged.jsonl").read_text().splitlines()]
            wanted = [json.loads(line) for line in text.splitlines()]
        else:
            merged, wanted = json.loads((self.reports / "merged.json").read_text()), json.loads(text)
            assert (self.reports / "merged.html").stat().st_size > 0
        if normal(merged) != normal(wanted):
            difference(normal(wanted), normal(merged), "")
            sys.exit(f"{self.arguments}: merged is not what one run says")
        print(f"{self.arguments[0]}: {SHARDS} shards, one killed and started again, are one run")


def difference(wanted, merged, place):
    if isinstance(wanted, dict) and isinstance(merged, dict) and wanted.keys() == merged.keys():
        for key in wanted:
            difference(wanted[key], merged[key], f"{place}.{key}")
    elif isinstance(wanted, list) and isinstance(merged, list) and len(wanted) == len(merged):
        for k, (a, b) in enumerate(zip(wanted, merged)):
            difference(a, b, f"{place}[{k}]")
    elif wanted != merged:
        print(f"{place}: one run {str(wanted)[:300]}, merged {str(merged)[:300]}")


def campaigns(folder):
    """Arguments and standard input of a campaign of each verb that has shards."""
    dumps = pathlib.Path(folder, "dumps")
    for k in range(11):  # eleven modules in three dumps; two steps change a result
        dump = dumps / f"run_{k % 3}"
        dump.mkdir(parents=True, exist_ok=True)
        name = f"module_{k:04}.jit_f{k}"
        before = MODULE.format(name=f"jit_f{k}", rows=k + 2, dimension=1)
        after = before.replace("add(p, p)", "subtract(p, p)") if k in (4, 9) else before.replace("add(p, p)", "multiply(p, two)").replace(
            "  a =", f"  c = s32[] constant(2)\n  two = s32[{k + 2},8] broadcast(c), dimensions={{}}\n  a =")
        (dump / f"{name}.before_optimizations.txt").write_text(before)
        (dump / f"{name}.sm_9.0a_gpu_after_optimizations.txt").write_text(after)
    pairs = "".join(json.dumps({"id": k, "lhs": f"(d0) -> (d0 mod {k % 7 + 1}), domain: d0 in [0, 4]",
                                "rhs": "(d0) -> (d0), domain: d0 in [0, 4]"}) + "\n" for k in range(40))
    rules = pathlib.Path(folder, "own.rules")
    rules.write_text((SOURCES / "corpus/rules/wrong/residues.rules").read_text() +
                     (SOURCES / "corpus/rules/right/residues.rules").read_text().replace("rule ", "rule right."))
    return {"fuzz": (["fuzz", "maps", "--seed", "3", "--runs", "64", "--out", ""], ""),
            "audit": (["audit", str(rules), "--mutants"], ""),
            "xla": (["xla", str(dumps)], ""),
            "equiv": (["equiv", "--jsonl"], pairs)}


def test_shards(affirm):
    shard, index, more, merge = kubernetes_commands()
    for name in ("fuzz", "audit", "xla", "equiv"):
        with tempfile.TemporaryDirectory() as folder:
            campaign = Campaign(affirm, *[campaigns(folder)[name][0], folder, campaigns(folder)[name][1]])
            # In turns as Kubernetes and as Slurm start them.
            campaign.run(*((shard, index, more) if name in ("fuzz", "xla") else slurm_command()))
            status = subprocess.run(["bash", "-c", merge], cwd=SOURCES, env=campaign.environment).returncode
            campaign.compare(status)


def killer(affirm, killed):
    """The tool, but the first time that it runs shard 3 it kills the shard in the middle of its report."""
    script = pathlib.Path(f"{killed}.sh")
    script.write_text(f"""#!/bin/sh
case "$*" in
  *'--shard 3/{SHARDS}'*) [ -e '{killed}' ] || {{ touch '{killed}'; echo '{{'; kill -9 $PPID; exit 9; }} ;;
esac
exec '{affirm}' "$@"
""")
    script.chmod(0o755)
    return str(script)


def test_ray(affirm):
    if importlib.util.find_spec("ray") is None:
        print("no Ray: skipped")
        sys.exit(77)
    # Nothing is sent anywhere, and a machine that is busy has time to start.
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_raylet_start_wait_time_s": "300",
                   "RAY_gcs_server_request_timeout_seconds": "300"}
    import ray
    sys.path.insert(0, str(SCALE))
    import ray_shards
    for tries in range(3):
        try:
            ray.init(num_cpus=1, include_dashboard=False, object_store_memory=80 << 20, logging_level="error",
                     _temp_dir=tempfile.mkdtemp(prefix="r", dir="/tmp"))  # of its sockets, whose paths must be short
            break
        except Exception:  # Ray has no class for it
            ray.shutdown()
            if tries == 2:
                raise
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("audit", "fuzz"):
                campaign = Campaign(affirm, campaigns(folder)[name][0], folder)
                campaign.reports = pathlib.Path(folder, name)
                killed = pathlib.Path(folder, f"{name}.killed")
                merged = ray_shards.run_shards(campaign.arguments, SHARDS, campaign.reports, killer(affirm, killed))
                assert killed.exists()
                # A shard without its report is done again, and no other.
                (campaign.reports / "3.json").unlink()
                kept = (campaign.reports / "4.json").stat().st_mtime_ns
                assert normal(ray_shards.run_shards(campaign.arguments, SHARDS, campaign.reports, affirm)) == normal(merged)
                assert (campaign.reports / "4.json").stat().st_mtime_ns == kept
                campaign.compare(campaign.whole()[1])
    finally:
        ray.shutdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("what", choices=["shards", "ray"])
    options = parser.parse_args()
    {"shards": test_shards, "ray": test_ray}[options.what](os.path.abspath(options.affirm))
