"""Which elements HLO instructions read, by enumeration: written from XLA's operation semantics, for small arrays.

Shares nothing with affirm or affirm-check: neither the reader of instructions nor the formulas. An index is a tuple. `values`
gives the integer that an element of an instruction is.
"""

import copy
import itertools
import re

ELEMENTWISE = {"add", "subtract", "multiply", "maximum", "minimum", "divide", "negate", "exponential", "tanh", "select", "clamp",
               "compare", "copy", "convert", "and", "or", "xor", "abs", "not", "remainder", "power", "map"}


class Unreadable(Exception):
    """The line is no instruction of HLO, or has sizes that XLA refuses."""


def need(condition, why):
    if not condition:
        raise Unreadable(why)


def split_top(text):
    """The parts between commas outside of brackets and strings."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if not quoted:
            depth += (c in "([{") - (c in ")]}")
            if c == "," and depth == 0:
                parts.append(text[start:i].strip())
                start = i + 1
    need(depth == 0 and not quoted, "brackets")
    return [p for p in [*parts, text[start:].strip()] if p]


TYPE = re.compile(r"\s*([a-z]\w*)\[([\d,\s]*)\](\{[^}]*\})?")


def read_type(text):
    """The sizes of the arrays of each element, for a tuple; those of the array; and the text behind."""
    text = text.strip()
    if not text.startswith("("):
        found = TYPE.match(text)
        need(found, "a type")
        return tuple(int(n) for n in found[2].replace(" ", "").split(",") if n), text[found.end():]
    depth = end = 0
    for end, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            break
    elements = [read_type(part) for part in split_top(text[1:end])]
    need(all(not rest.strip() for _, rest in elements), "a tuple")
    return [shape for shape, _ in elements], text[end + 1:]


def arrays_of(shape):
    """The sizes of all arrays, in order."""
    return [shape] if isinstance(shape, tuple) else [s for element in shape for s in arrays_of(element)]


class Line:
    """NAME = TYPE OPCODE(OPERANDS), ATTRIBUTES; of what is `given` only the name and the type count."""

    def __init__(self, text, given=False):
        text = re.sub(r"/\*.*?\*/", "", text).strip()
        text = re.sub(r"^ROOT\s+", "", text)
        found = re.match(r"%?([\w.\-]+)\s*=", text)
        need(found, "a name")
        self.name, rest = found[1], text[found.end():]
        self.declared, rest = read_type(rest)
        rest = rest.strip()
        self.shape = self.declared
        self.opcode = self.operands = self.stated = None
        self.attributes = {}
        found = re.match(r"([a-z][\w\-]*)\s*\(", rest)
        if given:
            return
        need(found, "an opcode")
        self.opcode = found[1]
        depth = end = 0
        for end in range(found.end() - 1, len(rest)):
            depth += (rest[end] in "([{") - (rest[end] in ")]}")
            if depth == 0:
                break
        self.operands, self.stated = [], []
        for operand in split_top(rest[found.end():end]):
            typed = operand.startswith("(") or TYPE.match(operand)
            stated, name = read_type(operand) if typed else (None, operand)
            self.operands.append(name.strip().lstrip("%"))
            self.stated.append(stated)
        for item in split_top(rest[end + 1:].lstrip(", ")):
            key, equals, value = item.partition("=")
            need(equals and key.strip() not in self.attributes, "an attribute")
            self.attributes[key.strip()] = value.strip()

    def with_result(self, k):
        """The instruction, of whose results only number k counts."""
        other = copy.copy(self)
        other.shape = arrays_of(self.declared)[k]
        return other

    def dims(self, key):
        text = self.attributes.get(key, "{}")
        need(re.fullmatch(r"\{[\d,\s\-]*\}", text), key)
        return [int(n) for n in text.strip("{}").replace(" ", "").split(",") if n]


def indices(shape):
    return itertools.product(*(range(n) for n in shape))


def window(line, rank):
    """For each dimension: size, stride, low padding, base dilation, window dilation, reversal."""
    text = line.attributes.get("window", "{}").strip("{} ")
    fields = dict(item.split("=") for item in text.split()) if text else {}

    def field(key, default):
        values = fields.get(key, "x".join([default] * rank)).split("x") if rank else []
        need(len(values) == rank, "window")
        return values
    columns = [field("size", "1"), field("stride", "1"), field("pad", "0_0"), field("lhs_dilate", "1"), field("rhs_dilate", "1"),
               field("rhs_reversal", "0")]
    return [(int(n), int(s), int(p.split("_")[0]), int(b), int(d), int(r)) for n, s, p, b, d, r in zip(*columns)]


def tapped(w, out, tap, size):
    """The position that a tap of a window has in the operand; None: between its elements, or outside of it."""
    _, stride, low, base, dilation, _ = w
    at = out * stride + tap * dilation - low
    return at // base if at % base == 0 and 0 <= at // base < size else None


def clamped(value, most):
    return max(0, min(value, most))


# Each of these yields the indices of operand k that element `out` reads.
def broadcast(line, shapes, k, out, values):
    yield tuple(out[d] for d in line.dims("dimensions"))


def transpose(line, shapes, k, out, values):
    index = [None] * len(out)
    for j, d in enumerate(line.dims("dimensions")):
        index[d] = out[j]
    yield tuple(index)


def reverse(line, shapes, k, out, values):
    yield tuple(n - 1 - o if j in line.dims("dimensions") else o for j, (o, n) in enumerate(zip(out, shapes[0])))


def reshape(line, shapes, k, out, values):
    at = 0
    for o, n in zip(out, line.shape):
        at = at * n + o
    yield next(itertools.islice(indices(shapes[0]), at, None))


def slice_(line, shapes, k, out, values):
    ranges = re.findall(r"\[(\d+):(\d+)(?::(\d+))?\]", line.attributes["slice"])
    yield tuple(int(a) + o * int(c or 1) for o, (a, _, c) in zip(out, ranges))


def pad(line, shapes, k, out, values):
    index = []
    for o, n, text in zip(out, shapes[0], line.attributes["padding"].split("x") if out else []):
        low, _, inner = (*map(int, text.split("_")), 0)[:3]
        at = o - low
        index.append(at // (inner + 1) if at % (inner + 1) == 0 and 0 <= at // (inner + 1) < n else None)
    if k == 0 and None not in index:
        yield tuple(index)
    if k == 1 and None in index:
        yield ()


def concatenate(line, shapes, k, out, values):
    d, = line.dims("dimensions")
    at = out[d] - sum(s[d] for s in shapes[:k])
    if 0 <= at < shapes[k][d]:
        yield (*out[:d], at, *out[d + 1:])


def reduce(line, shapes, k, out, values):
    if k >= len(shapes) // 2:
        yield ()
        return
    dims = line.dims("dimensions")
    kept = [d for d in range(len(shapes[k])) if d not in dims]
    for index in indices(shapes[k]):
        if tuple(index[d] for d in kept) == out:
            yield index


def reduce_window(line, shapes, k, out, values):
    if k >= len(shapes) // 2:
        yield ()
        return
    ws = window(line, len(out))
    for taps in indices([w[0] for w in ws]):
        index = tuple(tapped(w, o, t, n) for w, o, t, n in zip(ws, out, taps, shapes[k]))
        if None not in index:
            yield index


def select_and_scatter(line, shapes, k, out, values):
    if k == 2:
        yield ()
        return
    ws = window(line, len(out))
    for place in indices(shapes[1]):
        under = {tuple(tapped(w, o, t, n) for w, o, t, n in zip(ws, place, taps, shapes[0])) for taps in indices([w[0] for w in ws])}
        if out in under:
            yield from (index for index in under if None not in index) if k == 0 else [place]


def dot(line, shapes, k, out, values):
    batch = [line.dims("lhs_batch_dims"), line.dims("rhs_batch_dims")]
    contracted = [line.dims("lhs_contracting_dims"), line.dims("rhs_contracting_dims")]
    free = [[d for d in range(len(shapes[i])) if d not in batch[i] + contracted[i]] for i in (0, 1)]
    first = len(batch[0]) + (len(free[0]) if k else 0)
    for index in indices(shapes[k]):
        if [index[d] for d in batch[k]] == list(out[:len(batch[0])]) and \
                [index[d] for d in free[k]] == list(out[first:first + len(free[k])]):
            yield index


def convolution(line, shapes, k, out, values):
    of_input, rest = line.attributes["dim_labels"].split("_")
    of_kernel, of_out = rest.split("->")
    ws = window(line, len(of_input) - 2)
    groups, batches = (int(line.attributes.get(key, 1)) for key in ("feature_group_count", "batch_group_count"))
    at = {c: out[i] for i, c in enumerate(of_out)}
    features = line.shape[of_out.index("f")]
    each = shapes[0][of_input.index("f")] // groups
    rows = shapes[0][of_input.index("b")] // batches
    for inner in range(each):
        for taps in indices([w[0] for w in ws]):
            position = {str(i): tapped(w, at[str(i)], t, shapes[0][of_input.index(str(i))]) for i, (w, t) in enumerate(zip(ws, taps))}
            if None in position.values():
                continue
            if k == 0:
                position["b"] = at["b"] + at["f"] // (features // batches) * rows
                position["f"] = at["f"] // (features // groups) * each + inner
                yield tuple(position[c] for c in of_input)
            else:
                of_tap = {str(i): w[0] - 1 - t if w[5] else t for i, (w, t) in enumerate(zip(ws, taps))}
                of_tap.update(i=inner, o=at["f"])
                yield tuple(of_tap[c] for c in of_kernel)


def sort(line, shapes, k, out, values):
    d, = line.dims("dimensions")
    for i in range(shapes[k][d]):
        yield (*out[:d], i, *out[d + 1:])


def start_of(line, shapes, first, sizes, values):
    """Where a slice of these sizes begins, in operand 0."""
    if len(shapes) == first + 1 and len(shapes[first]) == 1:
        raw = [values(line.operands[first], (j,)) for j in range(len(shapes[0]))]
    else:
        raw = [values(name, ()) for name in line.operands[first:]]
    return [clamped(r, n - m) for r, n, m in zip(raw, shapes[0], sizes)]


def dynamic_slice(line, shapes, k, out, values):
    if k > 0:
        yield from indices(shapes[k])
        return
    yield tuple(s + o for s, o in zip(start_of(line, shapes, 1, line.shape, values), out))


def dynamic_update_slice(line, shapes, k, out, values):
    if k > 1:
        yield from indices(shapes[k])
        return
    offset = tuple(o - s for o, s in zip(out, start_of(line, shapes, 2, shapes[1], values)))
    inside = all(0 <= o < n for o, n in zip(offset, shapes[1]))
    if inside == (k == 1):
        yield offset if inside else out


def vector_at(line, shape, batch, component):
    """The index of a component of the index vector at a place of the batch."""
    place = int(line.attributes["index_vector_dim"])
    index = list(batch)
    if place < len(shape):
        index.insert(place, component)
    return tuple(index)


def gather(line, shapes, k, out, values):
    offsets = line.dims("offset_dims")
    batch = [out[d] for d in range(len(out)) if d not in offsets]
    place = int(line.attributes["index_vector_dim"])
    if k == 1:
        for component in range(shapes[1][place] if place < len(shapes[1]) else 1):
            yield vector_at(line, shapes[1], batch, component)
        return
    sizes = line.dims("slice_sizes")
    starts, paired, indexed = line.dims("start_index_map"), line.dims("operand_batching_dims"), line.dims("start_indices_batching_dims")
    index = [0] * len(shapes[0])
    for component, d in enumerate(starts):
        value = values(line.operands[1], vector_at(line, shapes[1], batch, component))
        index[d] = clamped(value, shapes[0][d] - sizes[d])
    for d, of_indices in zip(paired, indexed):
        index[d] = batch[of_indices - (place < of_indices)]
    windowed = [d for d in range(len(shapes[0])) if d not in line.dims("collapsed_slice_dims") + paired]
    for d, o in zip(windowed, [out[d] for d in range(len(out)) if d in offsets]):
        index[d] += o
    yield tuple(index)


def scatter(line, shapes, k, out, values):
    arrays = len(shapes) // 2
    if k < arrays:
        yield out
        return
    if k == arrays:
        yield from indices(shapes[k])
        return
    windows, paired = line.dims("update_window_dims"), line.dims("input_batching_dims")
    windowed = [d for d in range(len(out)) if d not in line.dims("inserted_window_dims") + paired]
    place = int(line.attributes["index_vector_dim"])
    for update in indices(shapes[k]):
        batch = [update[d] for d in range(len(update)) if d not in windows]
        start = [0] * len(out)
        for component, d in enumerate(line.dims("scatter_dims_to_operand_dims")):
            start[d] = values(line.operands[arrays], vector_at(line, shapes[arrays], batch, component))
        for d, of_indices in zip(paired, line.dims("scatter_indices_batching_dims")):
            start[d] = batch[of_indices - (place < of_indices)]
        widths, offset = [1] * len(out), [0] * len(out)
        for d, w in zip(windowed, [d for d in range(len(update)) if d in windows]):
            widths[d], offset[d] = shapes[k][w], update[w]
        fits = all(0 <= s <= n - w for s, n, w in zip(start, line.shape, widths))
        if fits and tuple(s + o for s, o in zip(start, offset)) == out:
            yield update


def bitcast(line, shapes, k, out, values):
    yield from reshape(line, shapes, k, out, values)


def bitcast_convert(line, shapes, k, out, values):
    if len(shapes[0]) <= len(out):
        yield out[:len(shapes[0])]
        return
    for i in range(shapes[0][-1]):
        yield (*out, i)


def rng_bit_generator(line, shapes, k, out, values):
    yield from indices(shapes[0])


def topk(line, shapes, k, out, values):
    need(line.shape == (*shapes[0][:-1], int(line.attributes["k"])), "sizes")
    for i in range(shapes[0][-1]):
        yield (*out[:-1], i)


MEANINGS = {"bitcast": bitcast, "bitcast-convert": bitcast_convert,
            "rng-bit-generator": rng_bit_generator, "topk": topk, "broadcast": broadcast, "transpose": transpose, "reverse": reverse, "reshape": reshape, "slice": slice_, "pad": pad,
            "concatenate": concatenate, "reduce": reduce, "reduce-window": reduce_window, "select-and-scatter": select_and_scatter, "dot": dot, "convolution": convolution,
            "sort": sort, "dynamic-slice": dynamic_slice, "dynamic-update-slice": dynamic_update_slice, "gather": gather,
            "scatter": scatter}


def read_by(line, shapes, k, out, values):
    """The indices of operand k that element `out` of the instruction reads."""
    if not all(0 <= o < n for o, n in zip(out, line.shape)):
        return set()
    if line.opcode in ELEMENTWISE:
        return {out if shapes[k] else ()}
    need(line.opcode in MEANINGS, f"the opcode {line.opcode}")
    return set(MEANINGS[line.opcode](line, shapes, k, out, values))
