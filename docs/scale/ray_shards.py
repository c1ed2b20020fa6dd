#!/usr/bin/env python3
"""A campaign of affirm as tasks of Ray: one for each shard, then the merge.

    python ray_shards.py --shards 8 --reports reports -- fuzz hlo --seed 7 --runs 100000
    report = run_shards(["audit", "--builtin"], shards=8, reports="reports")

The folder of the reports is one that all machines of the cluster see. A shard that has its report there is done: a campaign
that was cut short goes on when it is started again. Ray itself starts a task again that was killed, or whose machine has died.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys

import ray

SCRIPTS = pathlib.Path(__file__).resolve().parent


# ChildProcessError: a signal ended the shard, and Ray starts it again. (A class of our own would have to be on every machine.)
@ray.remote(num_cpus=1, max_retries=5, retry_exceptions=[ChildProcessError])
def run_shard(scripts, environment, shard):
    """One shard, to its end; raises where it did not get there, so that Ray sees it."""
    done = subprocess.run(["sh", os.path.join(scripts, "shard.sh")], env=os.environ | environment | {"SHARD": str(shard)})
    if done.returncode < 0 or done.returncode > 128:
        raise ChildProcessError(f"shard {shard}: status {done.returncode}")
    if done.returncode != 0:
        raise RuntimeError(f"shard {shard}: affirm ended with status {done.returncode}")
    return shard


def run_shards(arguments, shards=8, reports="reports", affirm="affirm"):
    """Runs `affirm ARGUMENTS` in `shards` shards on the cluster that `ray.init` has joined, and gives the merged report,
    as `affirm ARGUMENTS --json` would. Needs arguments that have --shard; paths in them are absolute or the same everywhere."""
    if not ray.is_initialized():
        ray.init()
    # Workers need not find this module where it is imported.
    if __name__ != "__main__":
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    environment = {"AFFIRM": affirm, "CAMPAIGN": shlex.join(arguments), "SHARDS": str(shards),
                   "REPORTS": os.path.abspath(reports)}
    ray.get([run_shard.remote(str(SCRIPTS), environment, shard) for shard in range(shards)])
    merged = subprocess.run(["sh", str(SCRIPTS / "merge.sh")], env=os.environ | environment)
    if merged.returncode not in (0, 1, 2):
        raise RuntimeError(f"affirm merge: exit status {merged.returncode}")
    return json.loads(pathlib.Path(reports, "merged.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--reports", default="reports", help="a folder that all machines see")
    parser.add_argument("--affirm", default="affirm", help="the tool, on every machine")
    parser.add_argument("arguments", nargs="+", help="behind --: the verb and its options")
    options = parser.parse_args()
    report = run_shards(options.arguments, options.shards, options.reports, options.affirm)
    return max((of["status"] for of in report["reports"]), key=(0, 2, 1, 3).index, default=0)


if __name__ == "__main__":
    sys.exit(main())
