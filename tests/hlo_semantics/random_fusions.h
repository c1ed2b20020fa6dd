// Random fusions of a few ops over arrays of production sizes, as HLO text.
#ifndef AFFIRM_TESTS_HLO_SEMANTICS_RANDOM_FUSIONS_H_
#define AFFIRM_TESTS_HLO_SEMANTICS_RANDOM_FUSIONS_H_

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "fuzz/generators/choices.h"

namespace affirm {

class RandomFusion {
 public:
  explicit RandomFusion(uint64_t seed) : bytes_(fuzz::SeededBytes(seed, 600)), choices_(bytes_) {}

  // A module whose entry is one fusion.
  std::string Text() {
    Parameter(RandomSizes());
    for (int64_t ops = choices_.Between(2, 7); ops > 0; --ops) Op();
    std::string shapes, names;
    for (size_t k = 0; k < parameters_.size(); ++k) {
      std::string name = "p" + std::to_string(k);
      shapes += "  " + name + " = " + parameters_[k] + " parameter(" + std::to_string(k) + ")\n";
      names += (k ? ", " : "") + name;
    }
    const Value& root = values_.back();
    body_.insert(body_.rfind("  " + root.name + " ="), "  ROOT");
    return "HloModule m\nsum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
           "  ROOT r = f32[] add(x, y)\n}\nfused {\n" +
           shapes + body_ + "}\nENTRY e {\n" + shapes + "  ROOT f = " + Shape(root.sizes) +
           " fusion(" + names + "), kind=kLoop, calls=fused\n}\n";
  }

 private:
  using Sizes = std::vector<int64_t>;
  struct Value {
    std::string name;
    Sizes sizes;
  };

  static std::string Join(const Sizes& values) {
    std::string text;
    for (int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
    return text;
  }
  static std::string Shape(const Sizes& sizes) { return "f32[" + Join(sizes) + "]"; }

  int64_t RandomSize() {
    return choices_.Pick<int64_t>({128, 1, 2, 3, 7, 8, 16, 32, 50, 64, 96, 768, 1000, 1024, 4096});
  }
  Sizes RandomSizes() {
    Sizes sizes;
    for (int64_t rank = choices_.Between(1, 4); rank > 0; --rank) sizes.push_back(RandomSize());
    return sizes;
  }

  std::string Parameter(const Sizes& sizes, const char* type = "f32") {
    std::string name = "p" + std::to_string(parameters_.size());
    parameters_.push_back(std::string(type) + "[" + Join(sizes) + "]");
    if (type == std::string("f32") && !sizes.empty()) values_.push_back({name, sizes});
    return name;
  }

  void Add(const Sizes& sizes, const std::string& op) {
    std::string name = "v" + std::to_string(next_++);
    body_ += "  " + name + " = " + Shape(sizes) + " " + op + "\n";
    values_.push_back({name, sizes});
  }

  // Mostly the newest value, so that chains grow.
  Value Some() {
    if (choices_.OneIn(4)) return values_[choices_.Below(values_.size())];
    return values_.back();
  }

  void Op() {
    Value v = Some();
    int64_t rank = static_cast<int64_t>(v.sizes.size());
    switch (choices_.Below(10)) {
      case 0:
        return Transpose(v);
      case 1:
        return Reshape(v);
      case 2:
        return Slice(v);
      case 3:
        return rank < 5 ? Broadcast(v) : Reshape(v);
      case 4:
        return rank > 1 ? Reduce(v) : Broadcast(v);
      case 5:
        return Pad(v);
      case 6: {
        std::string dims = std::to_string(choices_.Below(v.sizes.size()));
        return Add(v.sizes, "reverse(" + v.name + "), dimensions={" + dims + "}");
      }
      case 7:
        return DynamicSlice(v);
      case 8:
        return Concatenate(v);
      default:
        return Add(v.sizes, "add(" + v.name + ", " + Parameter(v.sizes) + ")");
    }
  }

  void Transpose(const Value& v) {
    Sizes permutation(v.sizes.size()), sizes;
    std::iota(permutation.begin(), permutation.end(), 0);
    for (size_t i = permutation.size(); i > 1; --i) {
      std::swap(permutation[i - 1], permutation[choices_.Below(i)]);
    }
    for (int64_t d : permutation) sizes.push_back(v.sizes[d]);
    Add(sizes, "transpose(" + v.name + "), dimensions={" + Join(permutation) + "}");
  }

  // Merges two neighbours, or splits a dimension at a divisor.
  void Reshape(const Value& v) {
    Sizes sizes = v.sizes;
    size_t at = choices_.Below(sizes.size());
    if (at + 1 < sizes.size() && !choices_.OneIn(2)) {
      sizes[at] *= sizes[at + 1];
      sizes.erase(sizes.begin() + at + 1);
    } else {
      int64_t divisor = 1;
      for (int64_t d : {16, 8, 7, 5, 3, 2}) {
        if (sizes[at] % d == 0 && (divisor == 1 || choices_.OneIn(3))) divisor = d;
      }
      sizes[at] /= divisor;
      sizes.insert(sizes.begin() + at + 1, divisor);
    }
    if (sizes.size() > 6)
      sizes = {std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<int64_t>())};
    Add(sizes, "reshape(" + v.name + ")");
  }

  void Slice(const Value& v) {
    Sizes sizes;
    std::string text;
    for (int64_t n : v.sizes) {
      int64_t start = choices_.OneIn(3) ? choices_.Between(0, n / 2) : 0;
      int64_t stride = choices_.OneIn(3) ? choices_.Between(1, 3) : 1;
      sizes.push_back((n - start + stride - 1) / stride);
      text += (text.empty() ? "[" : ", [") + std::to_string(start) + ":" + std::to_string(n) + ":" +
              std::to_string(stride) + "]";
    }
    Add(sizes, "slice(" + v.name + "), slice={" + text + "}");
  }

  void Broadcast(const Value& v) {
    Sizes sizes = v.sizes, dims(v.sizes.size());
    std::iota(dims.begin(), dims.end(), 0);
    size_t at = choices_.Below(sizes.size() + 1);
    sizes.insert(sizes.begin() + at, choices_.Pick<int64_t>({2, 3, 8, 64}));
    for (size_t i = at; i < dims.size(); ++i) ++dims[i];
    Add(sizes, "broadcast(" + v.name + "), dimensions={" + Join(dims) + "}");
  }

  void Reduce(const Value& v) {
    Sizes sizes = v.sizes;
    size_t at = choices_.Below(sizes.size());
    sizes.erase(sizes.begin() + at);
    std::string zero = Parameter({});
    Add(sizes, "reduce(" + v.name + ", " + zero + "), dimensions={" + std::to_string(at) +
                   "}, to_apply=sum");
  }

  void Pad(const Value& v) {
    Sizes sizes = v.sizes;
    std::string text;
    for (int64_t& n : sizes) {
      int64_t low = choices_.OneIn(2) ? choices_.Between(0, 3) : 0;
      int64_t interior = choices_.OneIn(4) ? 1 : 0;
      n += low + (n - 1) * interior;
      text += (text.empty() ? "" : "x") + std::to_string(low) + "_0_" + std::to_string(interior);
    }
    std::string zero = Parameter({});
    Add(sizes, "pad(" + v.name + ", " + zero + "), padding=" + text);
  }

  void DynamicSlice(const Value& v) {
    Sizes sizes;
    std::string starts;
    for (int64_t n : v.sizes) {
      sizes.push_back(std::max<int64_t>(1, n / choices_.Between(1, 3)));
      starts += ", " + Parameter({}, "s32");
    }
    Add(sizes, "dynamic-slice(" + v.name + starts + "), dynamic_slice_sizes={" + Join(sizes) + "}");
  }

  void Concatenate(const Value& v) {
    Sizes sizes = v.sizes;
    size_t at = choices_.Below(sizes.size());
    Sizes other = sizes;
    other[at] = RandomSize();
    sizes[at] += other[at];
    Add(sizes, "concatenate(" + v.name + ", " + Parameter(other) + "), dimensions={" +
                   std::to_string(at) + "}");
  }

  std::vector<uint8_t> bytes_;
  fuzz::Choices choices_;
  std::vector<std::string> parameters_;  // shapes
  std::vector<Value> values_;
  std::string body_;
  int64_t next_ = 0;
};

}  // namespace affirm

#endif  // AFFIRM_TESTS_HLO_SEMANTICS_RANDOM_FUSIONS_H_
