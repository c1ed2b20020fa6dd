#!/usr/bin/env python3
"""The Python package `affirm`: its answers, its errors, its programs.

  package.py --affirm build/tools/affirm

What compiles is skipped, with the package that is missing, where there is no JAX; XLA:GPU's compiler alike.
"""

import argparse
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import affirm
import affirm.jax
import affirm.watch
import affirm.quiet
import affirm.watch
from affirm import compiler, targets, tool, verdicts

PROGRAM = ""  # of --affirm


def needs(target):
    missing = targets.missing_package(targets.find_target(target))
    return unittest.skipIf(missing, f"no Python package {missing}; `./dev test` brings JAX")


def printed(main, *arguments):
    """The status of a program, what it prints, and what it says of errors."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(list(arguments))
    return status, out.getvalue(), err.getvalue()


class ResultTest(unittest.TestCase):
    REFUTED = {
        "verdict": "refuted",
        "first_wrong": {"stage": "kernel", "name": "fusion_1", "module": "m",
                        "counterexample": {"claim": "bounds", "arguments": {"x": "{1}"}}},
        "passes": [{"name": "dce", "verdict": "proved", "changed": False},
                   {"name": "algsimp", "pipeline": "simplification", "verdict": "executed", "changed": True, "reason": "why"}],
        "kernels": [{"name": "fusion_1", "instruction": "fusion.1", "verdict": "refuted", "reason": "reads outside",
                     "validation": {"claims": [{"claim": "bounds", "verdict": "refuted"}, {"claim": "races", "verdict": "proved"}]}},
                    {"name": "fusion_2", "instruction": "fusion.2", "verdict": "unknown"}],
        "modules": [{"name": "m", "not_covered": ["1 of kCopy"]}],
    }

    def test_prints_as_a_table(self):
        self.assertEqual(str(affirm.Result(self.REFUTED, pathlib.Path("d"), "h100")), """\
m for h100: refuted

pass     pipeline        verdict
algsimp  simplification  executed  why

kernel    verdict  bounds   integers  barriers  races   writes  elements  values
fusion_1  refuted  refuted  -         -         proved  -       -         -
fusion_2  unknown  -        -         -         -       -       -         -
  fusion_1: reads outside

not covered: 1 of kCopy

wrong: kernel fusion_1 of m
  claim: bounds
  arguments: x = {1}""")

    def test_has_no_truth_value(self):
        with self.assertRaisesRegex(TypeError, "compare `result.verdict`"):
            bool(affirm.Result(self.REFUTED, pathlib.Path("d")))

    def test_has_the_rows(self):
        result = affirm.Result(self.REFUTED, pathlib.Path("d"))
        self.assertEqual(result.kernels[0].claims, {"bounds": "refuted", "races": "proved"})
        self.assertEqual(result.kernels[1].claims, {})
        self.assertEqual([step.changed for step in result.passes], [False, True])
        self.assertEqual(result.first_wrong["name"], "fusion_1")
        self.assertEqual(repr(result), "<affirm.Result refuted: 1 passes, 2 kernels>")


class VerdictsTest(unittest.TestCase):
    def test_levels_are_ordered(self):
        for weaker, level in enumerate(verdicts.LEVELS):
            for stronger, verdict in enumerate(verdicts.LEVELS):
                self.assertEqual(verdicts.reaches(verdict, level), stronger >= weaker)
            self.assertFalse(verdicts.reaches("refuted", level))

    def test_other_words_are_refused(self):
        for word in ("prooved", "Proved", "", "refuted", None):
            with self.assertRaisesRegex(ValueError, "no level .*: there are unknown, executed, proved"):
                verdicts.status("proved", word)
        with self.assertRaisesRegex(ValueError, "no verdict 'prooved': there are refuted, unknown, executed, proved"):
            verdicts.meet(["proved", "prooved"])
        with self.assertRaisesRegex(ValueError, "no verdict 'prooved'"):
            verdicts.reaches("prooved", "unknown")


class ErrorsTest(unittest.TestCase):
    def test_the_program_is_given_or_set_or_of_path(self):
        self.assertEqual(tool.find_affirm(PROGRAM), PROGRAM)
        with unittest.mock.patch.dict(os.environ, AFFIRM=PROGRAM):
            self.assertEqual(tool.find_affirm(), PROGRAM)
        with unittest.mock.patch.dict(os.environ, PATH=str(pathlib.Path(PROGRAM).parent)):
            os.environ.pop("AFFIRM", None)
            self.assertEqual(tool.find_affirm(), PROGRAM)
        with unittest.mock.patch.dict(os.environ, PATH="/nowhere", AFFIRM=""):
            with self.assertRaisesRegex(affirm.AffirmError, "environment variable AFFIRM, or PATH"):
                tool.find_affirm()
        with self.assertRaisesRegex(affirm.AffirmError, "/no/such is no program"):
            tool.find_affirm("/no/such")

    def test_a_folder_without_a_dump(self):
        with self.assertRaisesRegex(affirm.AffirmError, "'/no/such/folder' is not there, expected a folder that XLA has dumped to"):
            affirm.check_dump("/no/such/folder", PROGRAM)

    def test_a_target_that_is_none(self):
        with self.assertRaisesRegex(ValueError, "no target 'h200': there are h100, a100, b200, cpu"):
            affirm.check_jax(abs, 1.0, target="h200", affirm=PROGRAM)

    def test_options_of_one_value_are_given_once(self):
        for option in ("--target", "--dump", "--affirm", "--accept"):
            value = {"--target": "cpu", "--accept": "executed"}.get(option, "x")
            with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit) as end:
                affirm.jax.main(["jax.nn:relu", option, value, option, value])
            self.assertEqual(end.exception.code, 3)
            self.assertIn(f"argument {option}: given twice", errors.getvalue())

    @needs("cpu")
    def test_types_of_arguments_may_be_given_one_by_one(self):
        with unittest.mock.patch("affirm.jax.check_jax", side_effect=affirm.jax.BadInput("seen")) as check:
            printed(affirm.jax.main, "jax.numpy:add", "--args", "f32[8]", "--args", "s32[]", "--affirm", PROGRAM, "--target", "cpu")
        self.assertEqual([argument.shape for argument in check.call_args.args[1:]], [(8,), ()])

    @needs("cpu")
    def test_a_module_that_ends_the_process_is_bad_input(self):
        with tempfile.TemporaryDirectory() as temporary, unittest.mock.patch.object(sys, "path", [temporary, *sys.path]):
            texts = {"of_a_script": "import sys\nf = abs\nsys.exit(0)\n", "of_a_trace": "import sys\ndef f(x): sys.exit(1)\n",
                     "of_another_kind": "def f(x): raise BaseException('no verdict')\n"}
            for name, text in texts.items():
                (pathlib.Path(temporary) / f"{name}.py").write_text(text)
                status, out, errors = printed(affirm.jax.main, f"{name}:f", "--args", "f32[8]", "--affirm", PROGRAM, "--target", "cpu")
                self.assertEqual((status, out), (3, ""), name)
                self.assertRegex(errors, "ended the process when it was imported or traced|no verdict")

    @needs("cpu")
    def test_another_compilation_than_that_of_the_package_is_refused(self):
        import jax

        for options in ({"xla_cpu_enable_fast_math": True}, {"nosuch": 1}):
            with self.assertRaisesRegex(affirm.AffirmError, f"compiler_options of its own.*--{next(iter(options))}="):
                affirm.check_jax(jax.jit(lambda x: x + 1, compiler_options=options), 1.0, target="cpu", affirm=PROGRAM)
        run = CompilationTest.run_python("-c", """if True:
            import os
            os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
            import affirm, jax
            from jax.sharding import NamedSharding, PartitionSpec
            mesh = jax.sharding.Mesh(jax.devices("cpu"), ("i",))
            function = jax.jit(lambda x: x.sum(), in_shardings=NamedSharding(mesh, PartitionSpec("i")))
            try: affirm.check_jax(function, jax.ShapeDtypeStruct((8,), "float32"), target="cpu", affirm=%r)
            except affirm.AffirmError as error: print(error)""" % PROGRAM)
        self.assertIn("the function is for several devices", run.stdout, run.stderr)

    @needs("cpu")
    def test_bad_lines_have_status_3(self):
        for arguments, said in ((["softmax"], "expected module:function"), (["jax.nn:softmaxx"], "no attribute 'softmaxx'"),
                                (["no_such_module:f"], "No module named"), (["jax.nn:softmax", "--args", "g32[4]"], "is no type"),
                                (["jax.nn:softmax", "--args", "f99[4]"], "JAX has no type f99"),
                                (["jax:__version__"], "is no function"), (["jax.nn:softmax"], "missing a required argument: 'x' (--args gives")):
            status, _, errors = printed(affirm.jax.main, *arguments, "--affirm", PROGRAM, "--target", "cpu")
            self.assertEqual(status, 3, arguments)
            self.assertIn(said, errors)

    def test_wrong_usage_has_status_3(self):
        for main, arguments in ((affirm.jax.main, []), (affirm.jax.main, ["jax.nn:relu", "--target", "tpu"]),
                                (affirm.jax.main, ["jax.nn:relu", "--bogus"]), (affirm.watch.main, [])):
            with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit) as end:
                main(arguments)
            self.assertEqual(end.exception.code, 3, arguments)
            self.assertIn("usage:", errors.getvalue())

    @needs("cpu")
    def test_what_the_compiler_says(self):
        import jax

        call = jax.ffi.ffi_call("no_such_target", jax.ShapeDtypeStruct((4,), "float32"))
        with self.assertRaisesRegex(affirm.CompilerError, "no_such_target"):
            affirm.check_jax(call, jax.ShapeDtypeStruct((4,), "float32"), target="cpu", affirm=PROGRAM)


class ImportTest(unittest.TestCase):
    @needs("cpu")
    def test_what_becomes_of_stablehlo_is_compared(self):
        import jax
        import numpy
        from jax import lax

        # An unsigned index, which the import takes for a signed one.
        result = affirm.check_jax(lambda x: lax.dynamic_slice(x, (numpy.uint8(200),), (2,)), jax.ShapeDtypeStruct((8,), "float32"),
                                  target="cpu", affirm=PROGRAM, run=False)
        self.assertEqual((result.verdict, result.first_wrong["name"]), ("refuted", "import"))
        result = affirm.check_jax(jax.nn.relu, jax.ShapeDtypeStruct((8,), "float32"), target="cpu", affirm=PROGRAM, run=False)
        self.assertEqual((result.verdict, result.import_not_compared), ("proved", ""))
        self.assertIn("import", [step.name for step in result.passes])

    @needs("cpu")
    def test_what_hlo_lacks_is_not_compared(self):
        import jax
        from jax import lax

        result = affirm.check_jax(lax.erf_inv, jax.ShapeDtypeStruct((8,), "float32"), target="cpu", affirm=PROGRAM, run=False)
        self.assertNotIn("import", [step.name for step in result.passes])
        self.assertIn("chlo.erf_inv has no HLO", result.import_not_compared)
        self.assertIn("import: not compared", str(result))


class ArgumentsTest(unittest.TestCase):
    @needs("cpu")
    def test_types_are_those_of_hlo(self):
        for text, name, shape in (("f32[8,128]", "float32", (8, 128)), ("bf16[4]", "bfloat16", (4,)), ("s32[]", "int32", ()),
                                  ("pred[2]", "bool", (2,)), ("u8[3, 1]", "uint8", (3, 1)), ("f8e4m3fn[2]", "float8_e4m3fn", (2,)),
                                  ("c64[2]", "complex64", (2,))):
            found = affirm.jax.argument_of(text)
            self.assertEqual((found.dtype.name, found.shape), (name, shape), text)


class CompilationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @needs("cpu")
    def test_names_the_pass_that_is_wrong_and_keeps_its_files(self):
        import jax_programs

        function, arguments = jax_programs.programs()["roll"]
        result = affirm.check_jax(function, *arguments, target="cpu", affirm=PROGRAM)
        try:
            self.assertEqual(result.verdict, "refuted")
            self.assertEqual((result.first_wrong["stage"], result.first_wrong["name"]), ("hlo-pass", "algsimp"))
            wrong = next(step for step in result.passes if step.verdict == "refuted")
            self.assertTrue(os.path.exists(wrong.row["before"]))
            self.assertIn("replay: affirm equiv --hlo", str(result))
        finally:
            shutil.rmtree(result.folder.parent)

    @needs("h100")
    def test_a_jitted_function_of_trees_for_a_device_that_is_not_there(self):
        import jax
        import numpy

        step = jax.jit(lambda tree, rate: jax.tree.map(lambda p: p - rate * p, tree), donate_argnums=0)
        tree = {"w": jax.numpy.ones((4, 3)), "b": numpy.ones(3, "float32")}
        result = affirm.check_jax(step, tree, 0.1, passes=False, affirm=PROGRAM, dump=self.folder / "step")
        self.assertEqual(result.verdict, "proved", result)
        self.assertEqual(result.passes, [])
        self.assertEqual({kernel.verdict for kernel in result.kernels}, {"proved"})
        self.assertEqual(set(result.kernels[0].claims), set(affirm.result.CLAIMS))
        self.assertIn("input_output_alias", "".join(f.read_text() for f in result.folder.glob("*gpu_after_optimizations.txt")))

    @needs("h100")
    def test_other_devices_that_are_not_there(self):
        import jax

        for target, instruction in (("a100", "llvm.nvvm.shfl.sync"), ("b200", "llvm.nvvm.redux.sync.fmax.NaN")):
            folder = self.folder / target
            result = affirm.check_jax(jax.nn.softmax, jax.ShapeDtypeStruct((8, 128), "float32"), target=target, passes=False,
                                      affirm=PROGRAM, dump=folder)
            self.assertEqual(result.verdict, "proved", result)
            self.assertIn(instruction, "".join(f.read_text() for f in result.folder.glob("*.ir-no-opt.ll")), target)

    @staticmethod
    def run_python(*arguments):
        paths = os.pathsep.join([str(pathlib.Path(affirm.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        return subprocess.run([sys.executable, *arguments], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)

    @needs("h100")
    def test_a_driver_that_is_not_there_is_no_remark(self):
        run = self.run_python("-m", "affirm.jax", "jax.nn:relu", "--args", "f32[4]", "--kernels", "--affirm", PROGRAM)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)

    def test_what_is_written_beside_the_remarks_is_handed_on(self):
        line = "I0000 00:00:1.2   3 cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used."
        program = ("import os, affirm.quiet as q\nq.has_driver = lambda: False\nwith q.no_remarks():\n"
                   f"    os.write(2, b'first\\n{line}\\nlast\\n')\n    os.abort()")
        run = self.run_python("-c", program)
        self.assertEqual(run.stderr, "first\nlast\n")
        self.assertLess(run.returncode, 0)
        self.assertEqual(affirm.quiet.without_remarks(f"a\n{line}\nb\n"), "a\nb\n")

    def test_threads_share_what_leaves_the_remarks_out(self):
        program = ("import os, threading, time, affirm.quiet as q\nq.has_driver = lambda: False\nbefore = os.fstat(2).st_ino\n"
                   "def work():\n    for k in range(20):\n        with q.no_remarks(): time.sleep(0.001 * (k % 3))\n"
                   "threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]\n"
                   "for t in threads: t.start()\nfor t in threads: t.join(20)\n"
                   "print(sum(t.is_alive() for t in threads), os.fstat(2).st_ino == before, flush=True)\nos._exit(0)")
        self.assertEqual(self.run_python("-c", program).stdout, "0 True\n")

    @needs("cpu")
    def test_a_watched_dump(self):
        target = targets.find_target("cpu")
        module = compiler.lower(lambda x: x + 1, (1.0,), target)
        dump = compiler.dump(module, "watched", self.folder, target, passes=True)
        line = [str(dump), "--once", "--affirm", PROGRAM]
        status, out, _ = printed(affirm.watch.main, *line, "--settle", "1000")
        self.assertEqual((status, out), (2, ""))
        status, out, errors = printed(affirm.watch.main, *line, "--settle", "0")
        self.assertIn(status, (0, 2), errors)
        self.assertEqual(out.count("jit__lambda: "), 1)
        status, _, errors = printed(affirm.watch.main, *line[:-1], "/no/such", "--settle", "0")
        self.assertEqual((status, errors), (3, "error: /no/such is no program\n"))


class WatchTest(unittest.TestCase):
    def test_a_module_is_complete_when_its_last_file_has_settled(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            self.assertEqual(affirm.watch.complete_modules(folder / "later", 3), {})

            def write(name, time):
                (folder / name).touch()
                os.utime(folder / name, (time, time))

            write("module_0001.jit_f.1.before_optimizations.txt", 100)
            write("module_0001.jit_f.1.sm_9.0a_gpu_after_optimizations.txt", 101)
            self.assertEqual(affirm.watch.complete_modules(folder, 3, now=200), {})
            write("module_0001.jit_f.1.thunk_sequence.txt", 102)
            write("module_0002.jit_g.0003.fusion.after_x.before_y.txt", 103)
            write("module_0002.jit_g.cpu_after_optimizations.txt", 150)
            self.assertEqual(affirm.watch.complete_modules(folder, 3, now=152), {"module_0001.jit_f.1": 102})
            self.assertEqual(affirm.watch.complete_modules(folder, 3, now=153), {"module_0001.jit_f.1": 102, "module_0002.jit_g": 150})

    def test_prints_the_flags(self):
        with unittest.mock.patch.dict(os.environ, XLA_FLAGS="--xla_cpu_enable_fast_math=true"):
            status, out, _ = printed(affirm.watch.main, "--flags", "/d")
        self.assertEqual((status, out), (0, "--xla_cpu_enable_fast_math=true --xla_dump_to=/d --xla_dump_hlo_as_text --xla_dump_emitter_re=llvm "
                                            "--xla_dump_hlo_pass_re=.*\n"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(options.affirm)
    with affirm.quiet.no_remarks():
        unittest.main(argv=[sys.argv[0], *rest])
