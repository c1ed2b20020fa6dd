#!/usr/bin/env python3
"""Generated modules through XLA, on the CPU or a GPU, and through affirm's interpreter.

  xla_differential.py --affirm build/tools/affirm [--platform gpu] [--runs 1000] [--seed 7] [--keep DIR]

Exit status: 0 when they agree, 1 when they differ, 77 (a skip for ctest) without jaxlib. What is
compared, and how closely, is in docs/fuzzing.md.
"""

import argparse
import collections
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy

    import literals
    import xla_device
except ImportError as error:
    print(f"skipped: {error}; `./dev test` brings jaxlib")
    sys.exit(77)

# Ops that every element of the result is exact for, whatever the order of sums.
MOVEMENT = ("broadcast transpose reverse slice pad concatenate reshape bitcast-convert iota select copy "
            "dynamic-slice dynamic-update-slice gather sort convert compare").split()
EXACT = MOVEMENT + ("add subtract multiply maximum minimum divide remainder and or xor not negate abs sign "
                    "popcnt count-leading-zeros shift-left shift-right-arithmetic shift-right-logical "
                    "ceil floor round-nearest-afz round-nearest-even is-finite reduce-precision sqrt clamp "
                    "map conditional call opt-barrier domain get-dimension-size while topk").split()
SUMS = "reduce reduce-window dot convolution scatter".split()
APPROXIMATED = ("power atan2 exponential exponential-minus-one log logistic rsqrt cbrt sine "
                "cosine tan tanh erf").split()
COMPLEX = ("broadcast transpose reverse slice pad concatenate reshape select copy add subtract negate real imag complex "
           "dynamic-slice dynamic-update-slice gather").split()
COMPLEX_FUNCTIONS = ("multiply divide abs sign exponential exponential-minus-one log log-plus-one logistic rsqrt sqrt sine "
                     "cosine tan tanh power").split()
COLLECTIVES = "all-gather all-reduce all-to-all collective-permute reduce-scatter".split()
BY_NORM = "fft cholesky triangular-solve batch-norm-training batch-norm-inference batch-norm-grad".split()
INTEGERS = "s32 pred s8 u32 s64 u8 u64 s16 u16".split()
FLOATS = "f32 f64 f16 bf16".split()

Group = collections.namedtuple("Group", "name ops types max_ops share exact")


# The most devices of collectives, whose results are compared number by number.
MOST_ON_DEVICES = 4
TESTED = collections.Counter()  # the verdicts of comparisons

FINE = ("same", "lost before the compiler", "crash of XLA", "internal error of XLA", "known error of XLA", "two answers from XLA")
# Modules that XLA's reader takes, and that the way to its compiler (StableHLO, in this version of jaxlib) loses.
LOST = (
    "custom op 'stablehlo.dynamic_slice' expected 'sizes'",  # of a scalar
    "dimension size of operand at 'all_gather_dim' cannot be zero",
    "result dimension size at scatter_dimension cannot be zero",
    "does not support custom element sizes on non-sub-byte types",  # top-k of 4-bit numbers
)
# Ops on which XLA is known to be wrong.
KNOWN = (
    # If all updates go to one place, only the last one counts, where each is to be combined.
    r"scatter_dims_to_operand_dims=\{\}",
    # All bits of the byte are counted, also the sign bits of a negative number: 7 for s4 -3. Right for u4, and for
    # count-leading-zeros.
    r"= s4\[\S* popcnt\(",
)


def nan_alike(a, b):
    return numpy.array_equal(numpy.isnan(a), numpy.isnan(b))


def ulps(a, b):
    """The largest distance of two arrays of one type, in ULP; None where one alone is a NaN."""
    if a.dtype.kind == "c":
        parts = [ulps(numpy.ascontiguousarray(of(a)), numpy.ascontiguousarray(of(b))) for of in (numpy.real, numpy.imag)]
        return None if None in parts else max(parts)
    if a.dtype.kind in "iub" or a.dtype in (literals.TYPES["s4"], literals.TYPES["u4"]):
        return 0 if numpy.array_equal(a, b) else None
    bits = {1: numpy.int8, 2: numpy.int16, 4: numpy.int32, 8: numpy.int64}[a.dtype.itemsize]

    def order(x):
        i = x.view(bits).astype(object)
        return numpy.where(i < 0, -(i & numpy.iinfo(bits).max), i)

    if not nan_alike(a, b):
        return None
    nan = numpy.isnan(a)
    gaps = numpy.abs(order(numpy.where(nan, a.dtype.type(0), a)) - order(numpy.where(nan, b.dtype.type(0), b)))
    return int(gaps.max()) if gaps.size else 0


# `exact` groups leave no rounding to XLA.
GROUPS = [
    Group("integers", EXACT + SUMS, INTEGERS, 6, 0.24, True),
    # For signed types, XLA's results have unsigned ones.
    Group("random bits", ["rng-bit-generator"], ["u4", "u8", "u16", "u32", "u64"], 2, 0.01, True),
    Group("narrow integers", EXACT, ["s4", "u4", "s8", "pred"], 4, 0.05, True),
    Group("exact floats", EXACT, FLOATS + ["s32", "pred", "s8"], 6, 0.3, True),
    Group("small floats", EXACT, literals.SMALL_FLOATS + ["f32", "s8"], 4, 0.05, True),
    Group("sums of floats", MOVEMENT + SUMS, FLOATS + ["s32"], 3, 0.1, False),
    Group("functions", APPROXIMATED, FLOATS, 1, 0.07, False),
    Group("log-plus-one", ["log-plus-one"], FLOATS, 1, 0.01, False),
    Group("complex", COMPLEX, literals.COMPLEX + ["f32", "f64", "pred"], 4, 0.05, True),
    Group("complex functions", COMPLEX_FUNCTIONS, literals.COMPLEX, 1, 0.03, False),
    Group("collectives", COLLECTIVES, INTEGERS + ["f32", "f64", "c64"], 1, 0.05, False),
    Group("by norm", BY_NORM, ["f32", "f64", *literals.COMPLEX], 1, 0.04, False),
]

def run_reference(affirm, path, *options):
    command = [affirm, "run", path, "--target", "reference", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def first_difference(affirm, path, arguments, names, theirs, shape, group, folder):
    """The element of XLA's result outside of the module's enclosures (docs/enclosures.md); empty where none is."""
    command = [affirm, "run", path, "--json", "--accept", "executed"]
    for i, (value, name) in enumerate(zip(arguments, names)):
        file = os.path.join(folder, f"argument_{i}.txt")
        with open(file, "w") as out:
            out.write(literals.to_text(value, name))
        command += ["--input", file]
    file = os.path.join(folder, "result.txt")
    with open(file, "w") as out:
        out.write(literals.value_to_text(theirs, shape))
    done = subprocess.run([*command, "--compare", file], capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1, 2):
        raise RuntimeError(done.stderr.strip())
    answer = json.loads(done.stdout)
    TESTED[answer["verdict"]] += 1
    if group.exact and (answer["within"] > 0 or answer["verdict"] == "unknown"):
        return f"not the same to the bit: {answer}"
    first = answer.get("first")
    return first and f"output {first['output']} at {first['index']}: {first['expected']} here, {first['actual']} in XLA; {first['why']}" or ""


def interpret_on_devices(affirm, path, shapes, seed):
    """(arguments, results), each a list for each device; the arguments are affirm's."""
    answer = run_reference(affirm, path, "--seed", str(seed), "--show-arguments")
    arguments = [[literals.from_text(text, f"{name}[{','.join(map(str, sizes))}]")[0]
                  for text, (name, sizes) in zip(of_device, shapes)] for of_device in answer["arguments"]]
    results = answer["results"] if "results" in answer else [answer["result"]]
    return arguments, [literals.from_text(text, answer["shape"]) for text in results]


def first_difference_on_device(ours, theirs):
    """Where the results differ of a module with collectives, whose sums are of few numbers; empty when they are close enough."""
    for leaf, (a, b) in enumerate(zip(ours, theirs)):
        gap = ulps(a, b) if a.shape == b.shape and a.dtype == b.dtype else None
        if gap is None or gap > MOST_ON_DEVICES:
            return f"output {leaf}: {gap} ULP apart"
    return ""


class Crash(Exception):
    """XLA took its process down."""


def serve(pipe, platform):
    """What the process with XLA does: modules and their arguments in, results or the reason of a refusal out."""
    xla = xla_device.Xla(platform)
    while True:
        try:
            work = pipe.recv()
        except EOFError:
            return  # there will be no more
        try:
            pipe.send(("results", xla.run(*work)))
        except xla_device.Refused as refused:
            pipe.send(("refused", refused.args))


class Xla:
    """XLA in a process of its own, which is started anew when a module has taken it down."""

    def __init__(self, platform):
        self._platform = platform
        self._context = multiprocessing.get_context("spawn")
        self._process = None

    def run(self, *work):
        if self._process is None:
            self._pipe, theirs = self._context.Pipe()
            self._process = self._context.Process(target=serve, args=(theirs, self._platform), daemon=True)
            self._process.start()
            theirs.close()
        try:
            self._pipe.send(work)
            kind, answer = self._pipe.recv()
        except (EOFError, ConnectionError) as error:
            self._process.join()
            status, self._process = self._process.exitcode, None
            raise Crash(f"the process ended with status {status}") from error
        if kind == "refused":
            raise xla_device.Refused(*answer)
        return answer


def outcome_of(refused):
    step, why = refused.args
    if any(lost in why for lost in LOST):
        return "lost before the compiler", why
    if why.startswith("INTERNAL:"):
        return "internal error of XLA", why
    return "refused by XLA's " + step, why


def check_on_devices(xla, affirm, path, text, number):
    replicas, partitions = literals.devices(text)
    try:
        arguments, ours = interpret_on_devices(affirm, path, literals.parameters(text), number)
        theirs = xla.run(text, arguments, replicas, partitions)
    except xla_device.Refused as refused:
        return outcome_of(refused)
    except Crash as crash:
        return "crash of XLA", str(crash)
    except (RuntimeError, ValueError) as error:
        return "different", str(error)
    for device, (here, there) in enumerate(zip(ours, theirs)):
        difference = first_difference_on_device(here, there)
        if difference:
            return "different", f"device {device}: {difference}"
    return "same", ""


def check(xla, affirm, path, number, group, folder):
    """(what came of it, why)"""
    with open(path) as file:
        text = file.read()
    if literals.devices(text) != (1, 1):
        return check_on_devices(xla, affirm, path, text, number)
    random = numpy.random.Generator(numpy.random.PCG64(number))
    shapes = literals.parameters(text)
    arguments = [literals.argument(name, sizes, random) for name, sizes in shapes]
    if "cholesky(" in text or "triangular-solve(" in text:
        arguments = [literals.definite(a) if a.ndim > 1 and a.shape[-1] == a.shape[-2] else a for a in arguments]
    try:
        theirs = xla.run(text, [arguments])[0]
    except xla_device.Refused as refused:
        return outcome_of(refused)
    except Crash as crash:
        return "crash of XLA", str(crash)
    def compare(results):
        return first_difference(affirm, path, arguments, [name for name, _ in shapes], results, literals.result_shape(text), group, folder)

    try:
        difference = compare(theirs)
    except (RuntimeError, ValueError) as error:
        return "different", str(error)
    if difference and contradicts_itself(xla, text, arguments, compare):
        return "two answers from XLA", difference
    if not difference:
        return "same", ""
    return ("known error of XLA" if any(re.search(known, text) for known in KNOWN) else "different"), difference


def without_constants(text, arguments):
    """The module with the constants of its entry as further parameters, and arguments for all."""
    start = text.index("ENTRY")
    entry, arguments = text[start:], list(arguments)

    def parameter(match):
        arguments.append(literals.from_text(match[2], match[1])[0])
        return f"= {match[1]} parameter({len(arguments) - 1})\n"

    return text[:start] + literals.CONSTANT.sub(parameter, entry), arguments


def contradicts_itself(xla, text, arguments, compare):
    """Whether XLA says what we say when it doesn't know the values of constants."""
    try:
        text, arguments = without_constants(text, arguments)
        theirs = xla.run(text, [arguments])[0]
    except (xla_device.Refused, Crash):
        return False
    return not compare(theirs)


def generate(affirm, seed, runs, group, folder):
    subprocess.run(
        [affirm, "fuzz", "hlo", "--plain", "--seed", str(seed), "--runs", str(runs), "--generate", folder,
         "--ops", ",".join(group.ops), "--types", ",".join(group.types), "--max-ops", str(group.max_ops)], check=True)
    return [os.path.join(folder, f"hlo_{i}.hlo") for i in range(runs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("--platform", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--runs", type=int, default=int(os.environ.get("AFFIRM_XLA_RUNS", "30")))
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--group", help="only the groups whose name starts so")
    parser.add_argument("--keep", help="folder for the modules that differ or are refused")
    options = parser.parse_args()
    xla = Xla(options.platform)
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for g, group in enumerate(GROUPS):
            if not group.name.startswith(options.group or ""):
                continue
            counts, where = collections.Counter(), os.path.join(folder, str(g))
            for i, path in enumerate(generate(options.affirm, options.seed + g, max(1, round(options.runs * group.share)), group, where)):
                outcome, why = check(xla, options.affirm, path, i, group, folder)
                counts[outcome] += 1
                if outcome in FINE and "of XLA" not in outcome and "from XLA" not in outcome:
                    continue
                print(f"{group.name} {i}: {outcome}: {why}")
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    shutil.copy(path, os.path.join(options.keep, f"{outcome.split()[0]}_{g}_{i}.hlo"))
            print(f"{group.name}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())), flush=True)
            total += counts
    print("results of one device: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(TESTED.items())))
    print(f"jaxlib {xla_device.VERSION}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(total.items())))
    return 0 if set(total) <= set(FINE) else 1


if __name__ == "__main__":
    sys.exit(main())
