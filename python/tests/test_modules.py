"""Module: reading, maps, values, verdicts, and what is no module."""

import pathlib
import pickle

import numpy
import pytest
from hypothesis import find, given, settings

from affirm import Error, IndexingMap, Module
from affirm.strategies import modules, modules_and_arguments
from affirm.values import dtypes

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "corpus"
SOFTMAX = Module.from_file(CORPUS / "hlo" / "softmax.hlo")


def module_of(entry, before="", header=""):
    return Module.from_text(f"HloModule m{header}\n{before}\nENTRY e {{\n{entry}\n}}", name="m.hlo")


def test_parts_of_a_module():
    assert SOFTMAX.name == "softmax" and [str(shape) for shape in SOFTMAX.parameters] == ["f32[2,65,125]"]
    root = SOFTMAX.root
    assert root.is_root and root.opcode == "fusion" and root.called and root.operands[0].parameter_number == 0
    assert root.operands[0].users == [root] and SOFTMAX.find(root.name) == root and root in SOFTMAX.entry
    assert root.shape.type == "f32" and root.shape.dims == (2, 65, 125) and root.line > 1
    assert Module.from_text(SOFTMAX.text) == SOFTMAX == pickle.loads(pickle.dumps(SOFTMAX))


@given(modules())
def test_generated_modules_read_back_and_have_maps(module):
    assert Module.from_text(str(module)) == module
    for direction in ("output-to-input", "input-to-output"):
        for row in module.maps(direction):
            assert row.exactness in ("exact", "over-approximate", "unknown")
            for label in row.maps:
                assert label.map.is_undefined or IndexingMap(str(label.map)).prove_equal(label.map).verdict == "equal"


@settings(max_examples=20)
@given(modules_and_arguments(max_ops=4, max_elements=60))
def test_kernels_and_interpreter_agree(pair):
    module, arguments = pair
    expected, actual = module.run(*arguments), module.run(*arguments, target="emulator")
    leaves = lambda value: [leaf for v in value for leaf in leaves(v)] if isinstance(value, tuple) else [value]
    for a, b in zip(leaves(expected), leaves(actual), strict=True):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    assert module.difference(arguments, expected) is None


@settings(max_examples=8)
@given(modules(max_ops=3, max_elements=40, max_fusions=1))
def test_generated_modules_are_affirmed(module):
    report = module.check()
    assert report.verdict == "affirmed", f"{module}\n{report}"


def test_maps_both_ways_and_between():
    module = module_of("""
      p = f32[10,10,10] parameter(0)
      a = f32[50,20] reshape(p)
      ROOT b = f32[10,10,10] reshape(a)""")
    identity = IndexingMap.identity([10, 10, 10])
    b, p = module.root, module.find("p")
    assert [label.map for label in b.maps_to(p)] == [identity] == [label.map for label in p.maps_to(b, "input-to-output")]
    composed = dict((i.name, maps) for i, maps in module.composed_maps())
    assert composed["p"][0].map == identity and composed["p"][0].exactness == "exact" and list(composed) == ["b", "a", "p"]
    assert {row.direction for row in module.maps("input-to-output")} == {"input-to-output"}


def test_exactness_is_said():
    module = module_of("""
      p = f32[8] parameter(0)
      u = f32[2] parameter(1)
      i = s32[] parameter(2)
      ROOT d = f32[8] dynamic-update-slice(p, u, i)""")
    wide, exact = module.root.output_to_input()[0][0], module.root.output_to_input(exact=True)[0]
    assert wide.exactness == "over-approximate" and all(label.exactness == "exact" for label in exact)


ROUND_TRIP = {"pred": [True, False, True], "c64": [1 + 2j, -0.5j, 3], "c128": [1 + 2j, -0.5j, 3]}


@pytest.mark.parametrize("name", sorted(dtypes()))
def test_every_element_type(name):
    module = module_of(f"p = {name}[3] parameter(0)\nROOT r = {name}[3] reverse(p), dimensions={{0}}")
    low = -1 if name == "s1" or (name.startswith("s") and name != "s1") else 0
    values = ROUND_TRIP.get(name, [low, 1, 0] if name not in ("s1", "f8e8m0fnu") else [-1, 0, -1] if name == "s1" else [1, 2, 4])
    array = numpy.array(values).astype(dtypes()[name])
    result = module.run(array)
    assert result.dtype == array.dtype and result.tolist() == array[::-1].tolist()
    scalar = module_of(f"p = {name}[] parameter(0)\nROOT c = {name}[] copy(p)")
    assert scalar.run(array[0]).tolist() == array[0].tolist() and scalar.run(array[1].item()).tolist() == array[1].tolist()


@pytest.mark.parametrize("name, wrong", [("s8", 128), ("u8", -1), ("u8", 1.5), ("pred", 1), ("f32", 1j), ("s2", 5), ("s32", True and 2**31)])
def test_numbers_that_a_type_lacks(name, wrong):
    with pytest.raises(Error, match="is no element of"):
        module_of(f"p = {name}[] parameter(0)\nROOT c = {name}[] copy(p)").run(wrong)


def test_every_hlo_type_has_an_array_or_says_so():
    # Element types of HLO; those of ml_dtypes that HLO here lacks are no parameters.
    import ml_dtypes

    known = {numpy.dtype(getattr(ml_dtypes, name)) for name in dir(ml_dtypes) if name.startswith(("int", "uint", "float", "bfloat"))}
    lacking = {dtype.name for dtype in known - set(dtypes().values())}
    assert lacking == {"float6_e2m3fn", "float6_e3m2fn"}


def test_layouts_and_strides_do_not_matter():
    module = module_of("p = f32[2,3]{0,1} parameter(0)\nROOT n = f32[2,3]{1,0} negate(p)")
    array = numpy.arange(6, dtype="float32").reshape(3, 2).T
    assert (module.run(array) == -array).all()
    assert (module.run(array.astype(">f4")) == -array).all()


def test_tuples_are_tuples():
    module = module_of("""
      p = (f32[2], (s32[], pred[1])) parameter(0)
      ROOT t = ((f32[2], (s32[], pred[1])), f32[0]) tuple(p, z)""".replace("ROOT", "z = f32[0] constant({})\n      ROOT"))
    value = (numpy.ones(2, "float32"), (numpy.int32(3), numpy.array([True])))
    (a, (b, c)), empty = module.run(value)
    assert a.tolist() == [1, 1] and b == 3 and c.tolist() == [True] and empty.shape == (0,)


@pytest.mark.parametrize("arguments, said", [
    ([], "2 parameters, not 0"), ([numpy.zeros((2, 3), "float32")], "2 parameters, not 1"),
    ([numpy.zeros((2, 3)), 1], "argument 0: expected elements of type float32 for f32[2,3], found float64"),
    ([numpy.zeros((3, 2), "float32"), 1], r"argument 0: expected the sizes [2, 3] of f32[2,3], found [3, 2]"),
    ([numpy.zeros((2, 3), "float32"), 1.5], "argument 1: 1.5 is no element of s32[]"),
    ([numpy.zeros((2, 3), "float32"), "x"], "argument 1: expected elements of type int32"),
    ([numpy.zeros((2, 3), "float32"), [1, 2]], "argument 1: expected"),
])
def test_arguments_that_do_not_fit(arguments, said):
    module = module_of("p = f32[2,3] parameter(0)\ni = s32[] parameter(1)\nROOT n = f32[2,3] negate(p)")
    with pytest.raises(Error) as caught:
        module.run(*arguments)
    assert said in str(caught.value)


@pytest.mark.parametrize("text, place", [
    ("", ("m.hlo", 1, 1)), ("HloModule m", ("m.hlo", 1, None)), ("HloModule m\nENTRY e {\n  ROOT p = f32[2] nothing(0)\n}", ("m.hlo", 3, None)),
    ("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT n = f32[3] negate(p)\n}", ("m.hlo", 4, None)),
    ("HloModule a\nENTRY e { ROOT p = f32[] parameter(0) }\n// -----\nHloModule b\nENTRY e { ROOT p = f32[] parameter(0) }", ("m.hlo", 1, 1)),
    ("\x00\xff", ("m.hlo", 1, None)),
])
def test_texts_that_are_no_module(text, place):
    with pytest.raises(Error) as caught:
        Module.from_text(text, name="m.hlo")
    file, line, column = place
    assert (caught.value.file, caught.value.line) == (file, line) and column in (None, caught.value.column), caught.value


def test_what_cannot_run_says_so():
    with pytest.raises(Error, match="devices; run_on_devices"):
        module_of("p = f32[] parameter(0)\nROOT c = f32[] copy(p)", header=", replica_count=2").run(1.0)
    with pytest.raises(Error, match="no array is of type"):
        module_of("p = f32[<=4] parameter(0)\nROOT n = f32[<=4] negate(p)").run(numpy.zeros(4, "float32"))
    with pytest.raises(Error, match="m.hlo:"):
        module_of('p = f32[2] parameter(0)\nROOT c = f32[2] custom-call(p), custom_call_target="nobody_knows"').run(numpy.zeros(2, "float32"))
    with pytest.raises(Error, match="no target 'tpu'"):
        SOFTMAX.run(*SOFTMAX.make_arguments(), target="tpu")
    with pytest.raises(Error, match="no instruction 'x'"):
        SOFTMAX.find("x")
    with pytest.raises(Error, match="none is number 1"):
        SOFTMAX.root.output_to_input(1)
    with pytest.raises(Error, match="none is number -1"):
        SOFTMAX.root.input_to_output(-1)
    with pytest.raises(Error, match="no direction"):
        SOFTMAX.maps("sideways")
    with pytest.raises(Error, match="cannot be read"):
        Module.from_file("/no/such.hlo")
    with pytest.raises(Error, match="two modules"):
        SOFTMAX.root.maps_to(module_of("ROOT p = f32[] parameter(0)").root)


def test_devices():
    module = module_of("p = f32[1] parameter(0)\nROOT g = f32[2] all-gather(p), dimensions={0}, replica_groups={{0,1}}", header=", replica_count=2")
    assert module.num_devices == 2
    results = module.run_on_devices([[numpy.array([1], "float32")], [numpy.array([10], "float32")]])
    assert [result.tolist() for result in results] == [[1, 10], [1, 10]]
    with pytest.raises(Error, match="2 devices, not 1"):
        module.run_on_devices([[numpy.zeros(1, "float32")]])


def test_meanings_of_calls():
    text = 'HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT c = f32[2] custom-call(p), custom_call_target="twice"\n}'
    twice = "HloModule twice\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT s = f32[2] add(p, p)\n}"
    assert Module.from_text(text, meanings={"twice": twice}).run(numpy.ones(2, "float32")).tolist() == [2, 2]
    assert "custom-call" in Module.from_text(text).text and Module.from_text(text).check().verdict == "unknown"
    with pytest.raises(Error, match="<meaning of twice>"):
        Module.from_text(text, meanings={"twice": "no module"})


def test_a_check_has_rows_and_findings():
    report = module_of("p = f32[4,3] parameter(0)\nROOT t = f32[3,4] transpose(p), dimensions={1,0}").check()
    assert (report.verdict, report.status, report.findings) == ("affirmed", 0, []) and "2 of 2 instructions" in report.covered
    assert report.maps[0]["proof"]["verdict"] == "proved" and report.kernels and report.ledger
    assert "verdict: affirmed" in str(report) and len(report.details) > len(report.summary)
    with pytest.raises(TypeError, match="no truth value"):
        bool(report)
    again = module_of("p = f32[4,3] parameter(0)\nROOT t = f32[3,4] transpose(p), dimensions={1,0}").check(time_limit=0, cross_check=True)
    assert again.verdict == "affirmed"


def test_a_wrong_result_is_a_difference():
    module = module_of("p = f32[2,3] parameter(0)\nq = f32[2,3] parameter(1)\nROOT s = f32[2,3] add(p, q)")
    a, b = numpy.ones((2, 3), "float32"), numpy.full((2, 3), 0.5, "float32")
    assert module.difference([a, b], a + b) is None
    wrong = a + b
    wrong[1, 2] = numpy.nextafter(wrong[1, 2], numpy.float32(9))
    found = module.difference([a, b], wrong)
    assert (found.output, found.index, found.ulp) == (0, (1, 2), 1) and "output 0 at [1, 2]" in str(found)


def test_two_modules():
    twice = module_of("p = f32[4] parameter(0)\nROOT s = f32[4] add(p, p)")
    c = "c = f32[] constant({})\nb = f32[4] broadcast(c), dimensions={{}}\n"
    scaled = module_of(c.format(2) + "p = f32[4] parameter(0)\nROOT s = f32[4] multiply(p, b)")
    thrice = module_of(c.format(3) + "p = f32[4] parameter(0)\nROOT s = f32[4] multiply(p, b)")
    assert twice.prove_equal(twice).verdict == "equal"
    assert twice.prove_equal(scaled).verdict in ("equal", "unknown")
    refuted = twice.prove_equal(thrice)
    assert refuted.verdict == "different" and refuted.counterexample["arguments"] and refuted.status == 1 and "different" in str(refuted)
    with pytest.raises(Error):
        twice.prove_equal(module_of("p = f32[5] parameter(0)\nROOT s = f32[5] add(p, p)"))


KERNEL = """
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, ptr %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %x = load float, ptr %a
  %y = fneg float %x
  %b = getelementptr inbounds float, ptr %r, i64 %i
  store float %y, ptr %b
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


def test_a_kernel_of_anybody():
    module = module_of("p = f32[32] parameter(0)\nROOT n = f32[32] negate(p)")
    launch = {"kernel": "k", "grid": [1, 1, 1], "threads": [32, 1, 1], "shared": 0,
              "params": [{"shape": "f32[32]{0}", "bytes": 128, "role": "input", "memory": 0},
                         {"shape": "f32[32]{0}", "bytes": 128, "role": "output", "memory": 1}]}
    right = module.validate(KERNEL, launch)
    assert right.verdict in ("proved", "executed") and right.status == (0 if right.verdict == "proved" else 2) and right.claims["bounds"] == "proved", right
    wrong = module.validate(KERNEL.replace("fneg float %x", "fadd float %x, %x"), launch)
    assert wrong.verdict == "refuted" and wrong.claims["values"] == "refuted" and wrong.findings
    with pytest.raises(Error, match="<kernel>:"):
        module.validate("no kernel", launch)
    with pytest.raises(Error, match="<launch>:"):
        module.validate(KERNEL, "{")
    with pytest.raises(Error):
        module.validate(KERNEL, launch, fusion="nothing")


@pytest.mark.parametrize("limits, message", [({"ops": ["bogus"]}, "'bogus' is no opcode of HLO"),
                                             ({"ops": ["add", "rng"]}, "'rng' is no op that is generated"),
                                             ({"types": ["f99"]}, "'f99' is no element type of HLO")])
def test_strategies_refuse_ops_and_types_that_are_not_generated(limits, message):
    with pytest.raises(Error, match=message):
        find(modules(**limits), lambda _: True)
