"""The package as a whole: doctests, names and stubs, pictures of notebooks, threads, and what a C++ fault would look like."""

import doctest
import importlib
import pathlib
import re
import subprocess
import sys
import threading
import time

import pytest

import affirm
from affirm import IndexingMap, Module, _native

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCES / "docs" / "python.md"


def test_there_is_one_version():
    assert f'version = "{affirm.__version__}"' in (SOURCES / "pyproject.toml").read_text()
    assert f"project(affirm VERSION {affirm.__version__} " in (SOURCES / "CMakeLists.txt").read_text()
    assert affirm.build_facts().startswith(f"affirm {affirm.__version__}\n")


def run_examples(text, name, globals):
    test = doctest.DocTestParser().get_doctest(text, globals, name, name, 0)
    test.globs = globals  # and not a copy: a page goes on from one block to the next
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    results = runner.run(test, out=said.append, clear_globs=False)
    assert results.failed == 0, "".join(said)
    return results.attempted


def native_docs():
    for name, found in vars(_native).items():
        if isinstance(found, type):
            yield name, found.__doc__
            yield from ((f"{name}.{member}", getattr(found, member).__doc__) for member in vars(found) if not member.startswith("__"))


def test_examples_of_the_native_module():
    names = {name: getattr(affirm, name) for name in ("IndexingMap", "SymbolicExpr", "Module")}
    count = sum(run_examples(text, name, dict(names)) for name, text in native_docs() if text and ">>>" in text)
    assert count > 30


@pytest.mark.parametrize("name", ["affirm", "affirm.assertions", "affirm.compiler", "affirm.errors", "affirm.jax", "affirm.module", "affirm.strategies",
                                  "affirm.targets", "affirm.values"])
def test_examples_of_the_modules(name):
    if name in ("affirm.assertions", "affirm.jax", "affirm.module"):
        pytest.importorskip("jax", reason="no JAX; `./dev test` brings it")
    module = importlib.import_module(name)
    globals, tries = dict(vars(module)), 0
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=globals):
        tries += run_examples(test.docstring, test.name, globals)
    assert tries


def test_examples_of_the_page():
    pytest.importorskip("jax", reason="no JAX; `./dev test` brings it")
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    globals = {}
    assert sum(run_examples(block, "docs/python.md", globals) for block in blocks if ">>>" in block) > 20


def test_every_name_is_there():
    for name in affirm.__all__:
        assert getattr(affirm, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        affirm.nothing
    assert set(affirm.__all__) <= set(dir(affirm))
    assert "affirm" in affirm.build_facts()
    assert affirm.AffirmError is affirm.Error and issubclass(affirm.CompilerError, affirm.Error)


def test_stubs_say_what_there_is():
    folder = pathlib.Path(_native.__file__).parent
    stub = (folder / "_native.pyi").read_text()
    compile(stub, "_native.pyi", "exec")
    for name in vars(_native):
        assert name.startswith("__") or re.search(rf"^(class|def) {name}\b", stub, re.M), name
    assert "cannot be resolved" not in stub and not re.search(r"\baffirm::", stub)
    assert (folder / "py.typed").exists() or (pathlib.Path(affirm.__file__).parent / "py.typed").exists()


def test_importing_the_package_loads_no_library():
    code = "import sys, affirm, affirm.jax, affirm.watch; sys.exit('affirm._native' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_the_library_there_is_a_clear_error():
    code = ("import sys; sys.modules['affirm._native'] = None\nimport affirm\n"
            "try: affirm.IndexingMap\nexcept affirm.Error as error: print(error)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install ." in run.stdout, run.stderr


MAP = IndexingMap("(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 4], d0 + s0 in [0, 5]")


def test_pictures_of_notebooks():
    transpose = Module.from_text("HloModule m\nENTRY e {\n p = f32[2,3] parameter(0)\n ROOT t = f32[3,2] transpose(p), dimensions={1,0}\n}")
    shown = [MAP, MAP.simplify_with_trace(), MAP.prove_equal(MAP), MAP.prove_equal(IndexingMap.identity([4])), transpose, transpose.check(),
             transpose.root.output_to_input()[0][0], IndexingMap.known_empty(), transpose.prove_equal(transpose),
             IndexingMap("(d0) -> (d0 * 1000), domain: d0 in [0, 99]"), IndexingMap("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 2]")]
    import xml.dom.minidom

    for what in shown:
        page = what._repr_html_()
        xml.dom.minidom.parseString(f"<root>{page.replace('<br>', '<br/>')}</root>")  # whole, and escaped
        assert "<script" not in page
    dark = shown[0]._repr_html_()
    assert dark.count('fill="#0969da"') == 5 and dark.count('fill="#80ccff"') == 5 + 4 + 3 and dark.count('fill="none"') == 20 - 5 - 12


def test_a_long_check_lets_other_threads_go_on():
    module, ended, ticks = Module.from_file(SOURCES / "corpus" / "hlo" / "softmax.hlo"), [], 0
    thread = threading.Thread(target=lambda: ended.append(module.check(time_limit=0).verdict))
    thread.start()
    while thread.is_alive():
        ticks += 1
        str(MAP.simplify())
        time.sleep(0.001)
    thread.join()
    assert ended == ["affirmed"] and ticks > 10


SWAP = IndexingMap("(d0, d1) -> (d1, d0), domain: d0 in [0, 4], d1 in [0, 7]")


def test_threads_share_maps():
    failed = []

    def work(number):
        try:
            for i in range(20):
                other = IndexingMap(f"(d0, d1)[s0] -> (d1, s0 + {i % 3}), domain: d0 in [0, 3], d1 in [0, 3], s0 in [0, 4]")
                both = SWAP.then(other) if number % 2 else other.then(SWAP)
                assert both.simplify().prove_equal(both).verdict == "equal"
                assert SWAP == IndexingMap(str(SWAP)) and (SWAP.results[0] + other.results[1] + number).variables
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failed and not any(thread.is_alive() for thread in threads)


def test_nothing_is_left_behind():
    # Objects free their contexts: the memory of many maps is that of few.
    import resource

    def grow():
        for i in range(3000):
            IndexingMap(f"(d0)[s0] -> ((d0 * 8 + s0) floordiv {i % 7 + 1}), domain: d0 in [0, {i + 1}], s0 in [0, 7]").simplify()

    grow()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grow()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB
