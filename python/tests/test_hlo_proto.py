"""Modules as XLA serializes them: affirm reads the same module from the proto as from the text of it."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

jax = pytest.importorskip("jax", reason="no JAX; `./dev test` brings it")
from jaxlib import xla_client

from affirm import Error, Module, jaxlib_api

SOURCES = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCES / "tests" / "python"))
import jax_control_programs
import jax_programs

HLO = getattr(xla_client, "hlo", jaxlib_api.extension())
CORPUS = {path.stem: path for path in sorted((SOURCES / "corpus" / "hlo").glob("*.hlo"))}
PROGRAMS = jax_programs.programs() | jax_control_programs.programs()
# Short forms that jaxlib's reader does not know.
NOT_JAXLIBS = {"compare_all", "cross_entropy_labels", "scatter_windows", "sort_stable_pairs"}
NOTES = ("metadata", "origin", "statistics", "domain", "cross_program_prefetch_index")
# A proto has no choices of the partitioner and no numbers of devices.
NOT_IN_PROTOS = ("allow_spmd_sharding_propagation", "num_partitions", "replica_count")


def proto_and_text(module):
    options = HLO.HloPrintOptions()
    options.print_large_constants, options.print_metadata = True, False
    return module.as_serialized_hlo_module_proto(), module.to_string(options)


def computations(module):
    """The header, and name -> the lines of each computation without notes; sorted unless they are scheduled, as XLA prints others in an
    order of its own."""
    header, *rest = module.text.split("\n")
    found, lines = {}, []
    for line in rest:
        for note in NOTES:
            line = re.sub(rf', {note}=(\{{("[^"]*"|[^{{}}"]|\{{[^{{}}]*\}})*\}}|\d+)', "", line)
        if line.endswith(" {"):
            lines = found[line] = []
        elif line.startswith(("  ", "}")):
            lines.append(line)
    facts = sorted(fact for fact in re.split(r", (?=[a-z_]+=)", re.sub(r"/\*.*?\*/", "", header)) if not fact.startswith(NOT_IN_PROTOS))
    return facts, found if "is_scheduled=true" in facts else {name: sorted(lines) for name, lines in found.items()}


def assert_same(proto, text, expand_calls=False):
    of_proto, of_text = (Module.from_proto(proto, expand_calls=expand_calls), Module.from_text(text, expand_calls=expand_calls))
    assert computations(of_proto) == computations(of_text)
    return of_proto


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_reads_the_same(name):
    text = CORPUS[name].read_text()
    if name in NOT_JAXLIBS:
        with pytest.raises(Exception, match="expects name|does not exist"):
            jaxlib_api.read_hlo(text)
        return
    proto, text = proto_and_text(jaxlib_api.read_hlo(text))
    try:
        assert_same(proto, text)
    except Error as error:
        assert "expected a device_assignment" in str(error) and re.search("all-|collective|replica|partition", text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_read_the_same_before_and_after_optimization(name):
    function, arguments = PROGRAMS[name]
    try:
        lowered = jax.jit(function).lower(*arguments)
    except ValueError as error:
        pytest.skip(f"not on the CPU: {error}")
    assert_same(*proto_and_text(lowered.compiler_ir("hlo").get_hlo_module()))
    for module in lowered.compile().runtime_executable().hlo_modules():
        assert_same(*proto_and_text(module))


def test_there_are_sixty():
    assert len(CORPUS) + 2 * len(PROGRAMS) >= 60


CONSTANTS = {
    "pred": "{ {true, false, true}, {false, false, true} }",
    **{type: "{ {1, -2, 3}, {-4, 5, -6} }" for type in "s4 s8 s16 s32 s64 f16 bf16 f32 f64 f4e2m1fn".split()},
    **{type: "{ {1, -2, 0.5}, {-4, 0.25, -1.5} }" for type in "f8e5m2 f8e4m3 f8e4m3fn f8e4m3b11fnuz f8e5m2fnuz f8e4m3fnuz f8e3m4".split()},
    "s2": "{ {1, -2, 0}, {-1, 1, 0} }", "u2": "{ {1, 2, 0}, {3, 1, 0} }", "f8e8m0fnu": "{ {1, 2, 4}, {0.5, 0.25, 8} }",
    **{type: "{ {1, 2, 3}, {4, 5, 6} }" for type in "u4 u8 u16 u32 u64".split()},
}


@pytest.mark.parametrize("order", ["1,0", "0,1"])
@pytest.mark.parametrize("type", CONSTANTS)
def test_constants_of_each_type_and_order(type, order):
    shape = f"{type}[2,3]{{{order}}}"
    text = f"HloModule m\nENTRY e {{\n  c = {shape} constant({CONSTANTS[type]})\n  ROOT t = ({shape}) tuple(c)\n}}"
    assert_same(*proto_and_text(jaxlib_api.read_hlo(text)))


def test_a_nan_keeps_its_bits():
    text = "HloModule m\nENTRY e { ROOT c = f32[3]{0} constant({nan, -nan(0x1), nan(0x412345)}) }"
    proto, _ = proto_and_text(jaxlib_api.read_hlo(text))
    assert Module.from_proto(proto).run().view("uint32").tolist() == [0x7FC00000, 0xFF800001, 0x7FC12345]


def test_a_file_is_what_its_bytes_say(tmp_path):
    proto, text = proto_and_text(jaxlib_api.read_hlo(CORPUS["softmax"].read_text()))
    path = tmp_path / "softmax.hlo.pb"
    path.write_bytes(proto)
    module = Module.from_file(path)
    assert module.check().verdict == "affirmed"
    assert module.prove_equal(Module.from_text(text)).verdict == "equal"
    # A file that ends too early says how many bytes there were.
    path.write_bytes(proto[:300])
    with pytest.raises(Error, match=r"softmax.hlo.pb:1:1: error: HLO proto: expected an HloModuleProto, HloProto or HloSnapshot .* found 300 bytes"):
        Module.from_file(path)


def test_a_dump_of_protos_is_the_dump_of_texts(tmp_path):
    """HloProto is the message of --xla_dump_hlo_as_proto; an HloSnapshot holds one."""
    flags = f"--xla_dump_to={tmp_path} --xla_dump_hlo_as_proto --xla_dump_hlo_as_text"
    program = "import jax, jax.numpy as jnp; jax.jit(lambda x: jax.nn.softmax(x)).lower(jax.ShapeDtypeStruct((3, 5), jnp.float32)).compile()"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "XLA_FLAGS": flags}, check=True, capture_output=True)
    protos = sorted(tmp_path.glob("*.hlo.pb"))
    assert any("after_optimizations" in path.name for path in protos)
    for path in protos:
        text = Module.from_file(path.with_name(path.name.removesuffix(".hlo.pb") + ".txt"))
        assert computations(Module.from_file(path)) == computations(text)
        content = path.read_bytes()
        assert Module.from_proto(b"\x0a" + varint(len(content)) + content) == Module.from_proto(content)


def varint(number):
    return bytes([number]) if number < 128 else bytes([number % 128 + 128]) + varint(number // 128)


@pytest.mark.parametrize("content", [b"\xff", b"\x0a\xff\xfe", b"\x00\x80\x81"])
def test_bytes_that_are_no_text_are_an_error_of_affirm(content):
    with pytest.raises(Error):
        Module.from_proto(content)


def test_reports_of_names_that_are_no_text():
    text = 'HloModule m\nENTRY e { p = f32[4] parameter(0) ROOT c = f32[4] custom-call(p), custom_call_target="a\\377b" }\n'
    assert Module.from_text(text).check().verdict == "unknown"
