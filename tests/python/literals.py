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
    "f8e5m2": ml_dtypes.float8_e5m2, "f8e4m3": ml_dtypes.float8_e4m3, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e3m4": ml_dtypes.float8_e3m4, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "c64": numpy.complex64, "c128": numpy.complex128,
}
SMALL_FLOATS = [name for name in TYPES if name.startswith("f8")]
FLOATS = ["f16", "bf16", "f32", "f64", *SMALL_FLOATS]
COMPLEX = ["c64", "c128"]
SHAPE = re.compile(r"([a-z][a-z0-9]*)\[([0-9,]*)\]")
CONSTANT = re.compile(r"= (\S+) constant\((.*)\)\n")
PARAMETER = re.compile(r"= (\S+) parameter\((\d+)\)")


def devices(text):
    """(replicas, partitions) of a module"""
    header = text[:text.index("\n")]
    count = lambda key: int((re.search(key + r"=(\d+)", header) or [0, 1])[1])
    return count("replica_count"), count("num_partitions")


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
    if name in COMPLEX:
        return numpy.asarray(argument("f64", sizes, random) + 1j * argument("f64", sizes, random)).astype(TYPES[name])
    values = random.integers(-128, 129, sizes) / 64 if name in FLOATS else random.integers(-7, 8, sizes)
    often = random.integers(0, 8, sizes)
    values = numpy.where(often == 0, 0, numpy.where(often == 1, 1, values))
    if name == "pred":
        return numpy.asarray(values > 0)
    if name.startswith("u"):
        values = numpy.abs(values)
    return numpy.asarray(values).astype(TYPES[name])


def definite(array):
    """Hermitian matrices of the array's size with eigenvalues well above 0: cholesky wants them, and solving with a
    triangle of one is well conditioned."""
    n = array.shape[-1]
    wide = array.astype(numpy.complex128 if array.dtype.kind == "c" else numpy.float64)
    return (wide @ numpy.conj(numpy.swapaxes(wide, -1, -2)) / max(n, 1) + 4 * numpy.eye(n)).astype(array.dtype)


def _text_of(value, name):
    if name == "pred":
        return "true" if value else "false"
    if name in COMPLEX:
        return f"({_text_of(value.real, 'f64')}, {_text_of(value.imag, 'f64')})"
    return repr(float(value)) if name in FLOATS else str(int(value))


def to_text(array, name):
    """The literal, as `affirm run --input` reads it."""
    if array.ndim == 0:
        return _text_of(array[()], name)
    return "{" + ", ".join(to_text(row, name) for row in array) + "}"


def result_shape(text):
    """The shape of the entry's result."""
    return re.search(r"ROOT \S+ = (.*?) [a-z][a-z0-9-]*\(", text[text.index("ENTRY"):])[1]


def value_to_text(arrays, shape):
    """The leaf arrays of a value as one literal."""
    text, before, left = "", "(", iter(arrays)
    for token in re.findall(r"[()]|[a-z][a-z0-9]*\[[0-9,]*\]", re.sub(r"\{[^}]*\}", "", shape)):
        if before != "(" and token != ")":
            text += ", "
        text += token if token in "()" else to_text(next(left), token[:token.index("[")])
        before = token
    return text


def from_text(text, shape):
    """The leaf arrays of a printed literal."""
    tokens = re.findall(r"[^\s{}(),]+", re.sub(r"nan\(0x[0-9a-f]+\)", "nan", text))  # the NaNs are one value
    result, at = [], 0
    for name, sizes in leaves(shape):
        count = int(numpy.prod(sizes, dtype=numpy.int64))
        count *= 2 if name in COMPLEX else 1
        part, at = tokens[at:at + count], at + count
        if name == "pred":
            values = numpy.array([token == "true" for token in part], dtype=numpy.bool_)
        elif name in COMPLEX:
            values = numpy.array([float(token) for token in part]).view(numpy.complex128).astype(TYPES[name])
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
