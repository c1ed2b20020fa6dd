"""Shapes and literals of HLO text as NumPy arrays."""

import re

import ml_dtypes
import numpy

TYPES = {
    "pred": numpy.bool_,
    "s4": ml_dtypes.int4, "u4": ml_dtypes.uint4,
    "s8": numpy.int8, "s16": numpy.int16, "s32": numpy.int32, "s64": numpy.int64,
    "u8": numpy.uint8, "u16": numpy.uint16, "u32": numpy.uint32, "u64": numpy.uint64,
    "f16": numpy.float16, "bf16": ml_dtypes.bfloat16, "f32": numpy.float32, "f64": numpy.float64,
}
FLOATS = ("f16", "bf16", "f32", "f64")
SHAPE = re.compile(r"([a-z]+[0-9]*)\[([0-9,]*)\]")
CONSTANT = re.compile(r"= (\S+) constant\((.*)\)\n")
PARAMETER = re.compile(r"= (\S+) parameter\((\d+)\)")


def leaves(shape):
    """[(type name, sizes)] of the arrays of a shape."""
    return [(name, tuple(int(n) for n in sizes.split(",") if n)) for name, sizes in SHAPE.findall(shape)]


def parameters(text):
    """The shapes of the entry's parameters, in order."""
    entry = text[text.index("ENTRY"):]
    found = {int(number): leaves(shape)[0] for shape, number in PARAMETER.findall(entry)}
    return [found[i] for i in range(len(found))]


def argument(name, sizes, random):
    """Small values: integers of both signs, multiples of 1/64 in [-2, 2]; 0 and 1 often."""
    values = random.integers(-128, 129, sizes) / 64 if name in FLOATS else random.integers(-7, 8, sizes)
    often = random.integers(0, 8, sizes)
    values = numpy.where(often == 0, 0, numpy.where(often == 1, 1, values))
    if name == "pred":
        return numpy.asarray(values > 0)
    if name.startswith("u"):
        values = numpy.abs(values)
    return numpy.asarray(values).astype(TYPES[name])


def _text_of(value, name):
    if name == "pred":
        return "true" if value else "false"
    return repr(float(value)) if name in FLOATS else str(int(value))


def to_text(array, name):
    """The literal, as `affirm run --input` reads it."""
    if array.ndim == 0:
        return _text_of(array[()], name)
    return "{" + ", ".join(to_text(row, name) for row in array) + "}"


def from_text(text, shape):
    """The leaf arrays of a printed literal."""
    tokens = re.findall(r"[^\s{}(),]+", re.sub(r"nan\(0x[0-9a-f]+\)", "nan", text))  # the NaNs are one value
    result, at = [], 0
    for name, sizes in leaves(shape):
        count = int(numpy.prod(sizes, dtype=numpy.int64))
        part, at = tokens[at:at + count], at + count
        if name == "pred":
            values = numpy.array([token == "true" for token in part], dtype=numpy.bool_)
        elif name in FLOATS:
            # Through the type's own digits: f64 is the widest.
            values = numpy.array([float(token) for token in part], dtype=numpy.float64).astype(TYPES[name])
        else:
            values = numpy.array([int(token) for token in part], dtype=object).astype(
                numpy.uint64 if name == "u64" else numpy.int64).astype(TYPES[name])
        result.append(values.reshape(sizes))
    if at != len(tokens):
        raise ValueError(f"{len(tokens)} values for {shape}")
    return result
