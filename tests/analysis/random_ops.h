// Random small instructions of every op with two directions, as HLO text.
#ifndef AFFIRM_TESTS_ANALYSIS_RANDOM_OPS_H_
#define AFFIRM_TESTS_ANALYSIS_RANDOM_OPS_H_

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/analysis/hlo_text.h"

namespace affirm::testing {

using Sizes = std::vector<int64_t>;

inline int64_t In(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }

inline Sizes RandomSizes(int64_t min_rank, int64_t max_rank, int64_t max_size) {
  Sizes sizes;
  for (int64_t n = In(min_rank, max_rank); n > 0; --n) sizes.push_back(In(1, max_size));
  return sizes;
}

inline Sizes RandomPermutation(size_t n) {
  Sizes p(n);
  std::iota(p.begin(), p.end(), 0);
  for (size_t i = n; i > 1; --i) std::swap(p[i - 1], p[In(0, static_cast<int64_t>(i) - 1)]);
  return p;
}

// An increasing choice of some of 0..n-1.
inline Sizes RandomSubset(size_t n) {
  Sizes out;
  for (size_t i = 0; i < n; ++i) {
    if (In(0, 1)) out.push_back(static_cast<int64_t>(i));
  }
  return out;
}

inline std::string Braces(const Sizes& v) { return "{" + Join(v) + "}"; }
inline std::string P(int64_t number, const std::string& shape) {
  return "p" + std::to_string(number) + " = " + shape + " parameter(" + std::to_string(number) +
         ")\n";
}

inline std::string RandomElementwise() {
  Sizes s = RandomSizes(0, 3, 4);
  std::string shape = F32(s);
  return P(0, shape) + P(1, shape) + "ROOT r = " + shape + " add(p0, p1)\n";
}

inline std::string RandomSelect() {
  Sizes s = RandomSizes(0, 3, 3);
  return P(0, "pred[]") + P(1, F32(s)) + P(2, F32(s)) + "ROOT r = " + F32(s) +
         " select(p0, p1, p2)\n";
}

inline std::string RandomBroadcast() {
  Sizes out = RandomSizes(0, 4, 3);
  Sizes kept = RandomSubset(out.size()), in;
  for (int64_t d : kept) in.push_back(out[d]);
  return P(0, F32(in)) + "ROOT r = " + F32(out) + " broadcast(p0), dimensions=" + Braces(kept) +
         "\n";
}

inline std::string RandomTranspose() {
  Sizes in = RandomSizes(1, 4, 3), permutation = RandomPermutation(in.size()), out;
  for (int64_t d : permutation) out.push_back(in[d]);
  return P(0, F32(in)) + "ROOT r = " + F32(out) +
         " transpose(p0), dimensions=" + Braces(permutation) + "\n";
}

inline std::string RandomReverse() {
  Sizes s = RandomSizes(1, 3, 4);
  return P(0, F32(s)) + "ROOT r = " + F32(s) +
         " reverse(p0), dimensions=" + Braces(RandomSubset(s.size())) + "\n";
}

inline std::string RandomSlice() {
  Sizes in = RandomSizes(1, 3, 7), out;
  std::string spec;
  for (int64_t n : in) {
    int64_t start = In(0, n - 1), limit = In(start + 1, n), stride = In(1, 3);
    out.push_back((limit - start + stride - 1) / stride);
    spec += (spec.empty() ? "[" : ", [") + Join({start, limit, stride}, ":") + "]";
  }
  return P(0, F32(in)) + "ROOT r = " + F32(out) + " slice(p0), slice={" + spec + "}\n";
}

inline std::string RandomPad() {
  Sizes in = RandomSizes(1, 2, 5), out;
  std::string spec;
  for (int64_t n : in) {
    int64_t interior = In(0, 2), full = n + (n - 1) * interior;
    int64_t low = In(-2, 3), high = In(std::max<int64_t>(-2, 1 - full - low), 3);
    if (full + low + high < 0) high = -full - low;
    out.push_back(full + low + high);
    spec += (spec.empty() ? "" : "x") + Join({low, high, interior}, "_");
  }
  return P(0, F32(in)) + P(1, "f32[]") + "ROOT r = " + F32(out) + " pad(p0, p1), padding=" + spec +
         "\n";
}

inline std::string RandomConcatenate() {
  Sizes s = RandomSizes(1, 3, 3), out = s;
  int64_t along = In(0, static_cast<int64_t>(s.size()) - 1), total = 0;
  std::string params, names;
  for (int64_t k = 0, n = In(1, 3); k < n; ++k) {
    s[along] = In(0, 3);
    total += s[along];
    params += P(k, F32(s));
    names += (k ? ", p" : "p") + std::to_string(k);
  }
  out[along] = total;
  return params + "ROOT r = " + F32(out) + " concatenate(" + names + "), dimensions={" +
         std::to_string(along) + "}\n";
}

// Two shapes with the same number of elements: factors dealt out in one order to both.
inline std::pair<Sizes, Sizes> RandomReshape() {
  Sizes factors = RandomSizes(0, 4, 4);
  auto group = [&] {
    Sizes out;
    bool open = false;
    for (int64_t f : factors) {
      if (open && In(0, 1)) {
        out.back() *= f;
      } else {
        if (In(0, 4) == 0) out.push_back(1);
        out.push_back(f);
      }
      open = true;
    }
    if (In(0, 4) == 0) out.push_back(1);
    return out;
  };
  Sizes a = group();
  if (In(0, 2) == 0) std::reverse(factors.begin(), factors.end());
  return {a, group()};
}

inline std::string RandomReshapeOp() {
  auto [a, b] = RandomReshape();
  return P(0, F32(a)) + "ROOT r = " + F32(b) + " reshape(p0)\n";
}

inline std::string Laid(const Sizes& sizes) {
  return F32(sizes) + Braces(RandomPermutation(sizes.size()));
}

inline std::string RandomBitcast() {
  auto [a, b] = RandomReshape();
  return P(0, Laid(a)) + "ROOT r = " + Laid(b) + " bitcast(p0)\n";
}

inline std::string WithReducer(const std::string& entry) {
  return "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
         " ROOT s = f32[] add(a, b)\n}\nENTRY e {\n" +
         entry + "}\n";
}

inline std::string RandomReduce() {
  Sizes in = RandomSizes(1, 4, 3), reduced = RandomSubset(in.size()), out;
  for (size_t i = 0; i < in.size(); ++i) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) == reduced.end()) {
      out.push_back(in[i]);
    }
  }
  return WithReducer(P(0, F32(in)) + P(1, "f32[]") + "ROOT r = " + F32(out) +
                     " reduce(p0, p1), dimensions=" + Braces(reduced) + ", to_apply=add\n");
}

// One window dimension over an array of size n; the number of positions is put in `positions`.
struct RandomWindow {
  int64_t size, stride, low, high, base, dilation, positions;
  explicit RandomWindow(int64_t n, bool dilate_base = true) {
    base = dilate_base ? In(1, 2) : 1;
    dilation = In(1, 2);
    size = In(1, 3);
    stride = In(1, 2);
    low = In(-1, 2);
    high = In(-1, 2);
    int64_t padded = (n - 1) * base + 1 + low + high, reach = (size - 1) * dilation + 1;
    if (padded < reach) {
      high += reach - padded;
      padded = reach;
    }
    positions = (padded - reach) / stride + 1;
  }
};

inline std::string WindowText(const std::vector<RandomWindow>& dims) {
  auto field = [&](const char* key, auto get) {
    std::string text;
    for (const RandomWindow& w : dims) text += (text.empty() ? "" : "x") + get(w);
    return std::string(key) + "=" + text;
  };
  auto number = [](int64_t v) { return std::to_string(v); };
  return "window={" + field("size", [&](auto& w) { return number(w.size); }) + " " +
         field("stride", [&](auto& w) { return number(w.stride); }) + " " +
         field("pad", [&](auto& w) { return number(w.low) + "_" + number(w.high); }) + " " +
         field("lhs_dilate", [&](auto& w) { return number(w.base); }) + " " +
         field("rhs_dilate", [&](auto& w) { return number(w.dilation); }) + "}";
}

inline std::string RandomReduceWindow() {
  Sizes in = RandomSizes(1, 2, 5), out;
  std::vector<RandomWindow> dims;
  for (int64_t n : in) {
    dims.emplace_back(n);
    out.push_back(dims.back().positions);
  }
  return WithReducer(P(0, F32(in)) + P(1, "f32[]") + "ROOT r = " + F32(out) +
                     " reduce-window(p0, p1), " + WindowText(dims) + ", to_apply=add\n");
}

inline std::string RandomDot() {
  Sizes batch = RandomSizes(0, 1, 2), free_l = RandomSizes(0, 1, 3), free_r = RandomSizes(0, 1, 3),
        contracted = RandomSizes(0, 2, 3);
  // Deals the dims out in a random order; returns the sizes and where batch and contracting dims
  // went.
  auto side = [&](const Sizes& free) {
    Sizes all = batch;
    all.insert(all.end(), contracted.begin(), contracted.end());
    all.insert(all.end(), free.begin(), free.end());
    Sizes order = RandomPermutation(all.size()), sizes(all.size()), place(all.size());
    for (size_t i = 0; i < order.size(); ++i) {
      sizes[i] = all[order[i]];
      place[order[i]] = static_cast<int64_t>(i);
    }
    Sizes b(place.begin(), place.begin() + batch.size());
    Sizes c(place.begin() + batch.size(), place.begin() + batch.size() + contracted.size());
    return std::tuple(sizes, b, c);
  };
  auto [l, lb, lc] = side(free_l);
  auto [r, rb, rc_dims] = side(free_r);
  Sizes out = batch;
  out.insert(out.end(), free_l.begin(), free_l.end());
  out.insert(out.end(), free_r.begin(), free_r.end());
  return P(0, F32(l)) + P(1, F32(r)) + "ROOT r = " + F32(out) +
         " dot(p0, p1), lhs_batch_dims=" + Braces(lb) + ", rhs_batch_dims=" + Braces(rb) +
         ", lhs_contracting_dims=" + Braces(lc) + ", rhs_contracting_dims=" + Braces(rc_dims) +
         "\n";
}

inline std::string RandomConvolution() {
  int64_t kind = In(0, 2);  // no groups, feature groups, batch groups
  int64_t groups = kind ? 2 : 1;
  int64_t in_features = In(1, 2), out_features = groups * In(1, 2), batch = groups * In(1, 2);
  if (kind != 2) batch = In(1, 2);
  int64_t n = In(1, 5);
  RandomWindow w(n);
  Sizes lhs = {batch, n, kind == 1 ? in_features * groups : in_features};
  Sizes rhs = {w.size, in_features, out_features};
  Sizes out = {kind == 2 ? batch / groups : batch, w.positions, out_features};
  return P(0, F32(lhs)) + P(1, F32(rhs)) + "ROOT r = " + F32(out) + " convolution(p0, p1), " +
         WindowText({w}) + ", dim_labels=b0f_0io->b0f" +
         (kind == 1   ? ", feature_group_count=2"
          : kind == 2 ? ", batch_group_count=2"
                      : "") +
         "\n";
}

inline std::string Starts(int64_t first, size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += P(first + static_cast<int64_t>(i), "s32[]");
  return text;
}
inline std::string StartNames(int64_t first, size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += ", p" + std::to_string(first + static_cast<int64_t>(i));
  return text;
}

inline std::string RandomDynamicSlice() {
  Sizes in = RandomSizes(1, 2, 4), out;
  for (int64_t n : in) out.push_back(In(1, n));
  return P(0, F32(in)) + Starts(1, in.size()) + "ROOT r = " + F32(out) + " dynamic-slice(p0" +
         StartNames(1, in.size()) + "), dynamic_slice_sizes=" + Braces(out) + "\n";
}

inline std::string RandomDynamicUpdateSlice() {
  Sizes in = RandomSizes(1, 2, 4), update;
  for (int64_t n : in) update.push_back(In(1, n));
  return P(0, F32(in)) + P(1, F32(update)) + Starts(2, in.size()) + "ROOT r = " + F32(in) +
         " dynamic-update-slice(p0, p1" + StartNames(2, in.size()) + ")\n";
}

inline std::string RandomGather() {
  Sizes in = RandomSizes(1, 2, 4), batch = RandomSizes(0, 1, 2), slice, collapsed, offsets, out;
  Sizes map = RandomPermutation(in.size());
  map.resize(In(1, static_cast<int64_t>(in.size())));
  out = batch;
  for (size_t i = 0; i < in.size(); ++i) {
    bool collapse = In(0, 1);
    slice.push_back(collapse ? 1 : In(1, in[i]));
    if (collapse) {
      collapsed.push_back(static_cast<int64_t>(i));
    } else {
      offsets.push_back(static_cast<int64_t>(out.size()));
      out.push_back(slice.back());
    }
  }
  Sizes indices = batch;
  indices.push_back(static_cast<int64_t>(map.size()));
  return P(0, F32(in)) + P(1, "s32[" + Join(indices) + "]") + "ROOT r = " + F32(out) +
         " gather(p0, p1), offset_dims=" + Braces(offsets) +
         ", collapsed_slice_dims=" + Braces(collapsed) + ", start_index_map=" + Braces(map) +
         ", index_vector_dim=" + std::to_string(batch.size()) + ", slice_sizes=" + Braces(slice) +
         "\n";
}

struct OpGenerator {
  const char* name;
  std::string (*make)();
};
inline const OpGenerator kOpGenerators[] = {
    {"Elementwise", RandomElementwise},
    {"Select", RandomSelect},
    {"Broadcast", RandomBroadcast},
    {"Transpose", RandomTranspose},
    {"Reverse", RandomReverse},
    {"Slice", RandomSlice},
    {"Pad", RandomPad},
    {"Concatenate", RandomConcatenate},
    {"Reshape", RandomReshapeOp},
    {"Bitcast", RandomBitcast},
    {"Reduce", RandomReduce},
    {"ReduceWindow", RandomReduceWindow},
    {"Dot", RandomDot},
    {"Convolution", RandomConvolution},
    {"DynamicSlice", RandomDynamicSlice},
    {"DynamicUpdateSlice", RandomDynamicUpdateSlice},
    {"Gather", RandomGather},
};

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_ANALYSIS_RANDOM_OPS_H_
