"""`Module`: an HLO module, from its text or from a JAX function."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pathlib
import pickle
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from affirm import values
from affirm._native import HloModule, Instruction, LabeledMap, Shape, is_hlo_proto
from affirm.errors import Error
from affirm.reports import CheckReport, Comparison, Validation

if TYPE_CHECKING:
    from affirm.jax_functions import Tree


@dataclasses.dataclass(frozen=True)
class InstructionMaps:
    """The maps of an instruction from one of its outputs to one operand, or from the operand to the output."""

    instruction: Instruction
    output: int
    operand: int
    direction: str
    maps: list[LabeledMap]

    @property
    def exactness(self) -> str:
        """The weakest of its maps: "exact", "over-approximate" or "unknown"."""
        order = ["exact", "over-approximate", "unknown"]
        return max((label.exactness for label in self.maps), key=order.index, default="exact")


@dataclasses.dataclass(frozen=True)
class Difference:
    """An element of a result that no rounding explains."""

    output: int
    """Which array of the result."""
    index: tuple[int, ...]
    expected: str
    """The interpreter's value."""
    actual: str
    ulp: int
    """How many numbers of the type lie between them."""
    why: str = ""
    """What the value may be, where that is no single one: "it lies in [0.99, 1.01], whatever is rounded"."""

    def __str__(self) -> str:
        why = f": {self.why}" if self.why else ""
        return f"output {self.output} at {list(self.index)}: expected {self.expected}, found {self.actual}{why}"


@dataclasses.dataclass(frozen=True)
class ResultComparison:
    """What enclosures of a module's result say of a result that a program gave (`Module.compare_result`)."""

    difference: Difference | None
    """The first element outside of its enclosure."""
    elements: int
    left_open: int
    """Elements that differ, and that HLO leaves open."""
    within: float
    """The widest enclosure of an element that differs and lies inside, relative to its value."""
    not_tested: str
    """Why some element was not tested: its enclosure is wider than a tenth of its value. Empty where all were."""

    @property
    def verdict(self) -> str:
        """"refuted", "executed" (nothing but roundings lies between the two), or "unknown"."""
        if self.difference is not None:
            return "refuted"
        return "unknown" if self.not_tested or self.left_open else "executed"


class Module:
    """An HLO module. `str` of it is its text; nothing changes it.

    >>> from affirm import Module
    >>> module = Module.from_text('''
    ... HloModule m
    ... ENTRY e {
    ...   p = f32[2,3] parameter(0)
    ...   ROOT t = f32[3,2] transpose(p), dimensions={1,0}
    ... }''')
    >>> module
    <Module m: 2 instructions>
    >>> module.root.output_to_input()[0][0]
    <LabeledMap exact: (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]>
    >>> import numpy
    >>> module.run(numpy.arange(6, dtype="float32").reshape(2, 3))
    array([[0., 3.],
           [1., 4.],
           [2., 5.]], dtype=float32)
    >>> module.check().verdict
    'affirmed'
    """

    def __init__(self, native: HloModule, tree: Tree | None = None) -> None:
        self._native = native
        self._tree = tree

    @staticmethod
    def from_text(text: str, *, name: str = "<text>", meanings: dict[str, str] | None = None, expand_calls: bool = True) -> Module:
        """The one module of a text, read and verified. Error: where it is wrong, and what was expected.

        name: of the text, in errors and reports.
        meanings: what custom calls compute, by their target: each the text of a module with the call's operands as parameters
            (docs/library-calls.md).
        expand_calls: puts what library calls mean in their place, so that maps, proofs and the interpreter know them.

        >>> Module.from_text("HloModule m\\nENTRY e { ROOT p = f32[2] parameter(zero) }", name="m.hlo")
        Traceback (most recent call last):
        affirm.errors.Error: m.hlo:2:37: error: expected the number of the parameter, found 'zero'
          ENTRY e { ROOT p = f32[2] parameter(zero) }
                                              ^
        """
        return Module(HloModule.from_text(text, name, meanings or {}, expand_calls))

    @staticmethod
    def from_file(path: str | os.PathLike, *, meanings: dict[str, str] | None = None, expand_calls: bool = True) -> Module:
        """The same of a file of text, or of a proto (`from_proto`)."""
        try:
            content = pathlib.Path(path).read_bytes()
            if is_hlo_proto(content):
                return Module.from_proto(content, name=os.fspath(path), meanings=meanings, expand_calls=expand_calls)
            text = content.decode()
        except (OSError, UnicodeDecodeError) as error:
            raise Error(f"{os.fspath(path)}:1:1: error: cannot be read ({error}), expected an HLO module") from error
        return Module.from_text(text, name=os.fspath(path), meanings=meanings, expand_calls=expand_calls)

    @staticmethod
    def from_proto(proto: bytes, *, name: str = "<proto>", meanings: dict[str, str] | None = None, expand_calls: bool = True) -> Module:
        """The module of an HloModuleProto, HloProto or HloSnapshot that XLA serialized: a file `*.hlo.pb` of its dump, or what
        `as_serialized_hlo_module_proto()` gives. Error: the instruction that is wrong, or the field that affirm does not read.

        >>> from jaxlib.xla_client import hlo
        >>> proto = hlo.hlo_module_from_text("HloModule m\\nENTRY e { ROOT p = f32[2]{0} parameter(0) }").as_serialized_hlo_module_proto()
        >>> Module.from_proto(proto)
        <Module m: 1 instructions>
        """
        return Module(HloModule.from_bytes(proto, name, meanings or {}, expand_calls))

    @staticmethod
    def from_jax(function: Callable, *args: Any, expand_calls: bool = True) -> Module:
        """What JAX hands to XLA for a function at these arguments, before any pass of XLA.

        function: what `jax.jit` takes, or what it gave. args: arrays, `jax.ShapeDtypeStruct`, numbers, and trees of these.

        `run` of it takes arguments, and gives a result, of the same trees.

        >>> import jax, jax.numpy as jnp, numpy
        >>> step = Module.from_jax(lambda p, x: {"y": p["w"] @ x}, {"w": jnp.ones((2, 3))}, jnp.ones(3))
        >>> step.run({"w": numpy.ones((2, 3), "float32")}, numpy.ones(3, "float32"))
        {'y': array([3., 3.], dtype=float32)}
        """
        from affirm import jax_functions

        text, name, tree = jax_functions.lower(function, args)
        return Module(HloModule.from_text(text, name, {}, expand_calls), tree)

    # The parts of a module.

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def text(self) -> str:
        """HLO text, which reads back."""
        return self._native.text

    @property
    def instructions(self) -> list[Instruction]:
        """Of all computations, callees before callers."""
        return self._native.instructions

    @property
    def entry(self) -> list[Instruction]:
        """Of the entry alone."""
        return self._native.entry

    @property
    def root(self) -> Instruction:
        return self._native.root

    @property
    def parameters(self) -> list[Shape]:
        return [parameter.shape for parameter in self._native.parameters]

    @property
    def result(self) -> Shape:
        return self.root.shape

    @property
    def num_devices(self) -> int:
        """On how many devices it runs together, as its header says."""
        return self._native.devices

    def find(self, name: str) -> Instruction:
        """The instruction of this name, of the entry first. Error: there is none."""
        found = self._native.find(name)
        if found is None:
            raise Error(f"{self._native.source}:1:1: error: the module has no instruction '{name}'")
        return found

    # Maps.

    def maps(self, direction: str = "output-to-input", *, exact: bool = False) -> list[InstructionMaps]:
        """The maps of every instruction of every computation.

        direction: "output-to-input", which elements of the operands an element of the result reads; or "input-to-output".
        exact: the exact map also where XLA prints a wider one.

        >>> [(row.instruction.name, row.exactness, str(row.maps[0].map)) for row in module.maps("input-to-output")]
        [('t', 'exact', '(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 2]')]
        """
        rows = []
        for instruction in self.instructions:
            operands = len(instruction.operands)
            if direction == "output-to-input":
                if operands == 0:
                    continue
                for output in range(_num_leaves(instruction.shape)):
                    for operand, maps in enumerate(instruction.output_to_input(output, exact=exact)):
                        rows.append(InstructionMaps(instruction, output, operand, direction, maps))
            elif direction == "input-to-output":
                for operand in range(operands):
                    for output, maps in enumerate(instruction.input_to_output(operand, exact=exact)):
                        rows.append(InstructionMaps(instruction, output, operand, direction, maps))
            else:
                raise Error(f"no direction {direction!r}, expected 'output-to-input' or 'input-to-output'")
        return rows

    def composed_maps(self, output: int = 0, *, exact: bool = False) -> list[tuple[Instruction, list[LabeledMap]]]:
        """From an element of the result to each instruction of the entry on the way to the parameters: composed and simplified."""
        return self.root.composed_maps(output, exact=exact)

    # Values.

    def run(self, *args: Any, target: str = "reference", seed: int = 0) -> Any:
        """The value of the module on arrays of NumPy, which must have the types and sizes of its parameters.

        target: "reference", the interpreter; or "emulator", the kernels that affirm emits, on its emulator of a GPU.
        seed: of the order of threads on the emulator.

        A number of Python may stand for a scalar. Types that NumPy lacks are those of ml_dtypes.

        >>> module.run(numpy.zeros((2, 3)))
        Traceback (most recent call last):
        affirm.errors.Error: argument 0: expected elements of type float32 for f32[2,3], found float64
        """
        return self._result(self._native.run(self._arguments(args), target, seed))

    def run_on_devices(self, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        """The value on each device of a module with collectives, from the arguments of each."""
        return [self._result(leaves) for leaves in self._native.run_on_devices([self._arguments(args) for args in arguments])]

    def make_arguments(self, seed: int = 0) -> list[Any]:
        """Small varied arguments that keep every operation defined, flat: one for each parameter."""
        return [values.from_bytes(leaves, shape) for leaves, shape in zip(self._native.make_arguments(seed), self.parameters)]

    def difference(self, arguments: Sequence[Any], result: Any) -> Difference | None:
        """Is this result, of a compiled program, that of the module? The first element that no rounding explains, or None.

        >>> module.difference([numpy.zeros((2, 3), "float32")], numpy.ones((3, 2), "float32"))
        Difference(output=0, index=(0, 0), expected='0', actual='1', ulp=1065353216, why='')
        """
        return self.compare_result(arguments, result).difference

    def compare_result(self, arguments: Sequence[Any], result: Any) -> ResultComparison:
        """How a result of a compiled program compares with all that a compiler may make of the module.

        Each element has an enclosure: what it may be where operations are rounded in either direction, sums are taken in any order,
        multiplications and additions are contracted, functions are off by their documented errors, and narrow floats are kept in
        f32. An element outside is a difference. Where an enclosure is wider than a tenth of the value, nothing was tested.

        >>> module.compare_result([numpy.zeros((2, 3), "float32")], numpy.zeros((3, 2), "float32")).verdict
        'executed'
        """
        if self._tree:
            result = self._tree.flat_result(result)
        found, *rest = self._native.compare_result(self._arguments(arguments), values.to_bytes(result, self.result, "the result"))
        return ResultComparison(found and self._difference(*found), *rest)

    def _difference(self, output: int, element: int, ulp: int, expected: str, actual: str, why: str) -> Difference:
        index, rest = [], element
        for size in reversed(_leaves(self.result)[output].dims):
            index.append(rest % size)
            rest //= size
        return Difference(output, tuple(reversed(index)), expected, actual, ulp, why)

    # Verdicts.

    def check(self, *, seed: int = 0, time_limit: float = 60, cross_check: bool = False) -> CheckReport:
        """`affirm check`: its maps are proved, its kernels emitted, proved and run, and compared with the interpreter.

        time_limit: seconds of processor time; 0 means none. cross_check: every decider is asked.

        >>> module.check(time_limit=-1)
        Traceback (most recent call last):
        affirm.errors.Error: time_limit: -1, expected a number of at least 0
        """
        if not 0 <= time_limit < math.inf:
            raise Error(f"time_limit: {time_limit}, expected a number of at least 0")
        return CheckReport(self._native.check(seed, time_limit, cross_check))

    def validate(self, kernel: str, launch: dict[str, Any] | str | None = None, *, fusion: str = "", seed: int = 0) -> Validation:
        """`affirm validate`: is a kernel, as LLVM IR, this module's entry, or one of its fusions?

        launch: its grid, threads and parameters (docs/kernels.md); default: operands in order, then results.
        """
        text = launch if isinstance(launch, str) else json.dumps(launch) if launch else ""
        return Validation(self._native.validate(kernel, text, fusion, seed))

    def prove_equal(self, other: Module, *, rounding: bool = False, seed: int = 0) -> Comparison:
        """`affirm equiv --hlo`: do both compute the same for all arguments? `rounding` allows floats what roundings may bring."""
        return Comparison(self._native.compare(other._native, rounding, seed))

    # As an object.

    def _arguments(self, args: Sequence[Any]) -> list[list[bytes]]:
        flat = self._tree.flat_arguments(args) if self._tree else list(args)
        shapes = self.parameters
        if len(flat) != len(shapes):
            raise Error(f"the module has {len(shapes)} parameters, not {len(flat)}")
        return [values.to_bytes(value, shape, f"argument {i}") for i, (value, shape) in enumerate(zip(flat, shapes))]

    def _result(self, leaves: list[bytes]) -> Any:
        result = values.from_bytes(leaves, self.result)
        return self._tree.result(result) if self._tree else result

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Module {self.name}: {len(self.instructions)} instructions>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Module) and self._native.same_module(other._native)

    def __hash__(self) -> int:
        return hash(self.text)

    def __copy__(self) -> Module:
        return self  # nothing changes it

    def __deepcopy__(self, memo: dict) -> Module:
        return self

    def __reduce__(self) -> tuple:
        try:
            tree = pickle.dumps(self._tree) if self._tree else None
        except Exception as error:  # of JAX, which pickles trees of its own containers
            raise Error(f"a module of a JAX function whose arguments or results have other containers than "
                        f"dict, list and tuple cannot be pickled: {error}") from error
        return _read_again, (self.text, self._native.source, tree)

    def _repr_html_(self) -> str:
        from affirm import html

        return html.module(self)


def _read_again(text: str, name: str, tree: bytes | None) -> Module:
    return Module(HloModule.from_text(text, name, {}, False), pickle.loads(tree) if tree else None)


def _leaves(shape: Shape) -> list[Shape]:
    return [leaf for element in shape.elements for leaf in _leaves(element)] if shape.is_tuple else [shape]


def _num_leaves(shape: Shape) -> int:
    return len(_leaves(shape))
