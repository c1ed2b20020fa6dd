"""Arrays of NumPy as values of HLO: element types, and bytes as the interpreter keeps them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from affirm.errors import Error

if TYPE_CHECKING:
    import numpy

    from affirm._native import Shape

# HLO's name of an element type, and NumPy's or that of ml_dtypes.
_NUMPY = {"pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
          "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
_NARROW = {"s1": "int1", "s2": "int2", "s4": "int4", "u1": "uint1", "u2": "uint2", "u4": "uint4"}
_FLOATS = {"bf16": "bfloat16", "f8e5m2": "float8_e5m2", "f8e4m3": "float8_e4m3", "f8e4m3fn": "float8_e4m3fn",
           "f8e4m3b11fnuz": "float8_e4m3b11fnuz", "f8e5m2fnuz": "float8_e5m2fnuz", "f8e4m3fnuz": "float8_e4m3fnuz",
           "f8e3m4": "float8_e3m4", "f8e8m0fnu": "float8_e8m0fnu", "f4e2m1fn": "float4_e2m1fn"}


@functools.cache
def dtypes() -> dict[str, numpy.dtype]:
    """HLO's element types that NumPy, with ml_dtypes, has.

    >>> dtypes()["bf16"]
    dtype(bfloat16)
    """
    import ml_dtypes
    import numpy

    found = {name: numpy.dtype(known) for name, known in _NUMPY.items()}
    for name, known in {**_NARROW, **_FLOATS}.items():
        if hasattr(ml_dtypes, known):  # older ones lack some
            found[name] = numpy.dtype(getattr(ml_dtypes, known))
    return found


def dtype_of(shape: Shape) -> numpy.dtype:
    """The element type of an array. Error: NumPy has none that is it."""
    if shape.type not in dtypes():
        raise Error(f"no array of NumPy is of type {shape}")
    return dtypes()[shape.type]


def to_bytes(value: Any, shape: Shape, what: str) -> list[bytes]:
    """The leaves of a value of this shape: an array, or a sequence for a tuple. `what` names it in errors."""
    import numpy

    if shape.is_tuple:
        if not isinstance(value, Sequence) or len(value) != len(shape.elements):
            raise Error(f"{what}: expected the {len(shape.elements)} elements of {shape}, found {type(value).__name__}")
        return [leaf for i, (v, s) in enumerate(zip(value, shape.elements)) for leaf in to_bytes(v, s, f"{what}[{i}]")]
    if not shape.is_array or shape.is_dynamic:
        raise Error(f"{what}: no array is of type {shape}")
    dtype = dtype_of(shape)
    if type(value) in (bool, int, float, complex):
        array = _of_number(value, dtype, what, shape)
    else:
        array = array_of(value, what)
        if array.dtype.newbyteorder("=") != dtype:
            raise Error(f"{what}: expected elements of type {dtype} for {shape}, found {array.dtype}")
    if array.shape != shape.dims:
        raise Error(f"{what}: expected the sizes {list(shape.dims)} of {shape}, found {list(array.shape)}")
    if shape.type in _NARROW:  # a byte each, with the sign that it has
        array = array.astype(numpy.int8 if shape.type.startswith("s") else numpy.uint8)
    return [numpy.ascontiguousarray(array, array.dtype.newbyteorder("=")).tobytes()]


def array_of(value: Any, what: str) -> numpy.ndarray:
    """An array of NumPy. Error: the value is none, such as a list with rows of several lengths. `what` names it."""
    import numpy

    try:
        return numpy.asarray(value)
    except (TypeError, ValueError) as error:
        raise Error(f"{what}: is no array: {error}") from error


def _of_number(value: Any, dtype: numpy.dtype, what: str, shape: Shape) -> numpy.ndarray:
    """A number of Python, which has no width: rounded where the type has fractions, and else exact."""
    import numpy

    is_integer, is_complex = shape.type[0] in "su", shape.type[0] == "c"
    fits = {bool: shape.type == "pred", int: shape.type != "pred", float: not is_integer and shape.type != "pred", complex: is_complex}
    if fits[type(value)]:
        try:
            array = numpy.asarray(value).astype(dtype)
        except OverflowError:
            array = None
        if array is not None and (not is_integer or int(array[()]) == value):
            return array
    raise Error(f"{what}: {value!r} is no element of {shape}")


def from_bytes(leaves: list[bytes], shape: Shape) -> Any:
    """The value of this shape: an array, or a tuple of values."""
    return _next_value(iter(leaves), shape)


def _next_value(leaves: Any, shape: Shape) -> Any:
    import numpy

    if shape.is_tuple:
        return tuple(_next_value(leaves, element) for element in shape.elements)
    dtype = dtype_of(shape)
    if shape.type in _NARROW:
        stored = numpy.dtype(numpy.int8 if shape.type.startswith("s") else numpy.uint8)
        return numpy.frombuffer(next(leaves), stored).astype(dtype).reshape(shape.dims)
    return numpy.frombuffer(bytearray(next(leaves)), dtype).reshape(shape.dims)
