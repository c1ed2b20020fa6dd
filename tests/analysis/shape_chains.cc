// Generates chains of shape ops, and follows single elements through them.
#include "tests/analysis/shape_chains.h"

#include <algorithm>
#include <numeric>

#include "tests/analysis/hlo_text.h"

namespace affirm::testing {
namespace {

using Kind = ShapeOp::Kind;
using fuzz::Choices;

int64_t Count(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// Row-major position of an index, and back.
int64_t Position(const Sizes& index, const Sizes& sizes) {
  int64_t p = 0;
  for (size_t i = 0; i < sizes.size(); ++i) p = p * sizes[i] + index[i];
  return p;
}
Sizes IndexAt(int64_t position, const Sizes& sizes) {
  Sizes index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0; position /= sizes[i]) index[i] = position % sizes[i];
  return index;
}

// The same for the order in memory: dimension minor_to_major[0] moves fastest.
int64_t MemoryPosition(const Sizes& index, const Sizes& sizes, const Sizes& minor_to_major) {
  int64_t p = 0;
  for (size_t i = sizes.size(); i-- > 0;)
    p = p * sizes[minor_to_major[i]] + index[minor_to_major[i]];
  return p;
}
Sizes IndexInMemory(int64_t p, const Sizes& sizes, const Sizes& minor_to_major) {
  Sizes index(sizes.size());
  for (int64_t d : minor_to_major) {
    index[d] = p % sizes[d];
    p /= sizes[d];
  }
  return index;
}

bool Has(const Sizes& list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

// The index of the operand that an index of the result holds; false for padding.
bool OperandIndex(const ShapeOp& op, const Sizes& out, const Sizes& in_sizes, Sizes& in) {
  in.assign(in_sizes.size(), 0);
  switch (op.kind) {
    case Kind::kReshape:
      in = IndexAt(Position(out, op.sizes), in_sizes);
      return true;
    case Kind::kTranspose:
      for (size_t i = 0; i < out.size(); ++i) in[op.dimensions[i]] = out[i];
      return true;
    case Kind::kReverse:
      for (size_t i = 0; i < out.size(); ++i) {
        in[i] = Has(op.dimensions, static_cast<int64_t>(i)) ? in_sizes[i] - 1 - out[i] : out[i];
      }
      return true;
    case Kind::kSlice:
      for (size_t i = 0; i < out.size(); ++i)
        in[i] = op.slice[i].start + out[i] * op.slice[i].stride;
      return true;
    case Kind::kPad:
      for (size_t i = 0; i < out.size(); ++i) {
        int64_t at = out[i] - op.padding[i].low, step = op.padding[i].interior + 1;
        if (at < 0 || at % step != 0 || at / step >= in_sizes[i]) return false;
        in[i] = at / step;
      }
      return true;
    case Kind::kBroadcast:
      for (size_t i = 0; i < in.size(); ++i) in[i] = out[op.dimensions[i]];
      return true;
    case Kind::kBitcast:
      in = IndexInMemory(MemoryPosition(out, op.sizes, op.out_layout), in_sizes, op.in_layout);
      return true;
  }
  return false;
}

Sizes Permutation(Choices& choices, size_t n) {
  Sizes p(n);
  std::iota(p.begin(), p.end(), 0);
  for (size_t i = n; i > 1; --i) std::swap(p[i - 1], p[choices.Below(i)]);
  return p;
}

// Writes chains op by op; `sizes` are those of the last result.
class ChainMaker {
 public:
  ChainMaker(Choices& choices, int64_t max_elements) : choices_(choices), max_(max_elements) {
    int64_t rank = choices.Between(1, 4);
    for (int64_t i = 0; i < rank; ++i) {
      int64_t n = choices.Pick<int64_t>({4, 2, 3, 6, 8, 5, 1, 12, 10, 7});
      if (Count(sizes_) * n <= max_) sizes_.push_back(n);
    }
    chain_.sizes = sizes_;
  }

  ShapeChain Run() {
    struct Pattern {
      const char* name;
      std::vector<Kind> ops;
    };
    static const std::vector<Pattern> patterns = {
        {"reshape, reshape", {Kind::kReshape, Kind::kReshape}},
        {"three reshapes", {Kind::kReshape, Kind::kReshape, Kind::kReshape}},
        {"transpose, transpose", {Kind::kTranspose, Kind::kTranspose}},
        {"reshape, transpose, reshape", {Kind::kReshape, Kind::kTranspose, Kind::kReshape}},
        {"transpose, reshape, transpose", {Kind::kTranspose, Kind::kReshape, Kind::kTranspose}},
        {"slice, slice", {Kind::kSlice, Kind::kSlice}},
        {"reverse, slice, reverse", {Kind::kReverse, Kind::kSlice, Kind::kReverse}},
        {"reshape, reverse, reshape", {Kind::kReshape, Kind::kReverse, Kind::kReshape}},
        {"reshape, slice, reshape", {Kind::kReshape, Kind::kSlice, Kind::kReshape}},
        {"reshape, pad, reshape", {Kind::kReshape, Kind::kPad, Kind::kReshape}},
        {"pad, slice", {Kind::kPad, Kind::kSlice}},
        {"slice, pad", {Kind::kSlice, Kind::kPad}},
        {"pad, pad", {Kind::kPad, Kind::kPad}},
        {"pad, reverse, slice", {Kind::kPad, Kind::kReverse, Kind::kSlice}},
        {"broadcast, reshape", {Kind::kBroadcast, Kind::kReshape}},
        {"reshape, broadcast, reshape", {Kind::kReshape, Kind::kBroadcast, Kind::kReshape}},
        {"broadcast, transpose, slice", {Kind::kBroadcast, Kind::kTranspose, Kind::kSlice}},
    };
    uint64_t which = choices_.Below(patterns.size() + 6);
    if (which < patterns.size()) {
      chain_.pattern = patterns[which].name;
      for (Kind kind : patterns[which].ops) Add(kind);
    } else {
      chain_.pattern = "any";
      for (int64_t n = choices_.Between(2, 6); n > 0; --n) {
        Add(choices_.Pick({Kind::kReshape, Kind::kTranspose, Kind::kReverse, Kind::kSlice,
                           Kind::kPad, Kind::kBroadcast, Kind::kReshape}));
      }
    }
    // Often the way back, so that a chain undoes some of what it did.
    if (choices_.OneIn(3) && Count(sizes_) == Count(chain_.sizes))
      Push({Kind::kReshape, chain_.sizes});
    return chain_;
  }

 private:
  void Push(ShapeOp op) {
    sizes_ = op.sizes;
    chain_.ops.push_back(std::move(op));
  }

  void Add(Kind kind) {
    ShapeOp op{kind, sizes_};
    switch (kind) {
      case Kind::kReshape:
        op.sizes = Regrouped();
        break;
      case Kind::kTranspose:
        op.dimensions = Permutation(choices_, sizes_.size());
        for (size_t i = 0; i < sizes_.size(); ++i) op.sizes[i] = sizes_[op.dimensions[i]];
        break;
      case Kind::kReverse:
        for (size_t i = 0; i < sizes_.size(); ++i) {
          if (choices_.OneIn(2)) op.dimensions.push_back(static_cast<int64_t>(i));
        }
        break;
      case Kind::kSlice:
        Slice(op);
        break;
      case Kind::kPad:
        Pad(op);
        break;
      default:
        Broadcast(op);
        break;
    }
    Push(std::move(op));
  }

  // The prime factors in order, dealt out anew; now and then a size of one.
  Sizes Regrouped() {
    Sizes factors, out;
    for (int64_t n : sizes_) {
      for (int64_t p = 2; n > 1; ++p) {
        for (; n % p == 0; n /= p) factors.push_back(p);
      }
    }
    if (choices_.OneIn(6)) std::reverse(factors.begin(), factors.end());
    for (int64_t f : factors) {
      if (!out.empty() && (out.size() >= 4 || !choices_.OneIn(2))) {
        out.back() *= f;
      } else {
        out.push_back(f);
      }
    }
    if (out.size() < 4 && choices_.OneIn(5)) {
      out.insert(out.begin() + choices_.Between(0, static_cast<int64_t>(out.size())), 1);
    }
    return out;
  }

  void Slice(ShapeOp& op) {
    for (size_t i = 0; i < sizes_.size(); ++i) {
      hlo::SliceDimension s{0, sizes_[i], 1};
      if (choices_.OneIn(2)) {
        s.start = choices_.Between(0, sizes_[i] - 1);
        s.limit = choices_.Between(s.start + 1, sizes_[i]);
        s.stride = choices_.Pick<int64_t>({1, 1, 2, 3});
      }
      op.sizes[i] = (s.limit - s.start + s.stride - 1) / s.stride;
      op.slice.push_back(s);
    }
  }

  void Pad(ShapeOp& op) {
    int64_t others = Count(sizes_);
    for (size_t i = 0; i < sizes_.size(); ++i) {
      hlo::PaddingDimension p;
      others /= sizes_[i];
      if (choices_.OneIn(2)) {
        p.interior = choices_.Pick<int64_t>({0, 0, 1, 2});
        p.low = choices_.Between(-1, 3);
        p.high = choices_.Between(-1, 3);
      }
      int64_t size = sizes_[i] + (sizes_[i] - 1) * p.interior + p.low + p.high;
      if (size < 1 || size * others > max_) {
        p = {};
        size = sizes_[i];
      }
      others *= size;
      op.sizes[i] = size;
      op.padding.push_back(p);
    }
  }

  void Broadcast(ShapeOp& op) {
    op.sizes.clear();
    auto fresh = [&] {
      int64_t n = choices_.Pick<int64_t>({2, 3, 1, 4});
      if (choices_.OneIn(3) && op.sizes.size() < 4 && Count(op.sizes) * Count(sizes_) * n <= max_) {
        op.sizes.push_back(n);
      }
    };
    for (int64_t n : sizes_) {
      fresh();
      op.dimensions.push_back(static_cast<int64_t>(op.sizes.size()));
      op.sizes.push_back(n);
    }
    fresh();
  }

  Choices& choices_;
  int64_t max_;
  Sizes sizes_;
  ShapeChain chain_;
};

std::string Text(const ShapeOp& op, const std::string& operand) {
  auto braces = [](const Sizes& v) { return "{" + Join(v) + "}"; };
  std::string list;
  switch (op.kind) {
    case Kind::kSlice:
      for (const auto& s : op.slice) {
        list += (list.empty() ? "[" : ", [") + Join({s.start, s.limit, s.stride}, ":") + "]";
      }
      return "slice(" + operand + "), slice={" + list + "}";
    case Kind::kPad:
      for (const auto& p : op.padding) {
        list += (list.empty() ? "" : "x") + Join({p.low, p.high, p.interior}, "_");
      }
      return "pad(" + operand + ", p1), padding=" + list;
    case Kind::kReshape:
    case Kind::kBitcast:
      return std::string(Name(op.kind)) + "(" + operand + ")";
    default:
      return std::string(Name(op.kind)) + "(" + operand + "), dimensions=" + braces(op.dimensions);
  }
}

}  // namespace

const char* Name(Kind kind) {
  static const char* const names[] = {"reshape", "transpose", "reverse", "slice",
                                      "pad",     "broadcast", "bitcast"};
  return names[static_cast<int>(kind)];
}

Elements Iota(const Sizes& sizes) {
  Elements out{sizes, Sizes(Count(sizes))};
  std::iota(out.from.begin(), out.from.end(), 0);
  return out;
}

Elements Apply(const ShapeOp& op, const Elements& in) {
  Elements out{op.sizes, Sizes(Count(op.sizes), -1)};
  Sizes index;
  for (size_t p = 0; p < out.from.size(); ++p) {
    if (OperandIndex(op, IndexAt(static_cast<int64_t>(p), op.sizes), in.sizes, index)) {
      out.from[p] = in.from[Position(index, in.sizes)];
    }
  }
  return out;
}

ShapeChain RandomChain(fuzz::Choices& choices, int64_t max_elements) {
  return ChainMaker(choices, max_elements).Run();
}

Elements Apply(const ShapeChain& chain) {
  Elements value = Iota(chain.sizes);
  for (const ShapeOp& op : chain.ops) value = Apply(op, value);
  return value;
}

std::string ToText(const ShapeChain& chain) {
  auto layout = [](const Sizes& l) { return l.empty() ? std::string() : "{" + Join(l) + "}"; };
  std::string text = "p0 = " + F32(chain.sizes) + layout(chain.ops[0].in_layout) +
                     " parameter(0)\np1 = f32[] parameter(1)\n";
  std::string last = "p0";
  for (size_t i = 0; i < chain.ops.size(); ++i) {
    const ShapeOp& op = chain.ops[i];
    std::string name = "v" + std::to_string(i);
    text += (i + 1 == chain.ops.size() ? "ROOT " : "") + name + " = " + F32(op.sizes) +
            layout(op.out_layout) + " " + Text(op, last) + "\n";
    last = name;
  }
  return text;
}

}  // namespace affirm::testing
