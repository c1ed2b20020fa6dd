// Random small graphs of several instructions, as HLO text.
#ifndef AFFIRM_TESTS_ANALYSIS_RANDOM_GRAPHS_H_
#define AFFIRM_TESTS_ANALYSIS_RANDOM_GRAPHS_H_

#include <string>
#include <utility>
#include <vector>

#include "tests/analysis/random_ops.h"

namespace affirm::testing {

// A chain of shape ops over one parameter, with a few joins.
inline std::string RandomGraph() {
  Sizes sizes = {In(1, 3) * 2, In(1, 3), 2};
  std::string text = "p0 = " + F32(sizes) + " parameter(0)\n";
  std::vector<std::pair<std::string, Sizes>> values = {{"p0", sizes}};
  for (int64_t i = 0, n = In(1, 6); i < n; ++i) {
    auto [name, in] = values[In(0, static_cast<int64_t>(values.size()) - 1)];
    std::string next = "v" + std::to_string(i);
    Sizes out = in;
    std::string op;
    switch (In(0, 4)) {
      case 0: {
        Sizes permutation = RandomPermutation(in.size());
        for (size_t k = 0; k < in.size(); ++k) out[k] = in[permutation[k]];
        op = "transpose(" + name + "), dimensions=" + Braces(permutation);
        break;
      }
      case 1:
        std::swap(out[0], out[2]);
        op = "reshape(" + name + ")";
        break;
      case 2:
        op = "reverse(" + name + "), dimensions=" + Braces(RandomSubset(3));
        break;
      case 3: {
        std::string spec;
        for (size_t k = 0; k < in.size(); ++k) {
          int64_t start = In(0, in[k] - 1), stride = In(1, 2);
          out[k] = (in[k] - start + stride - 1) / stride;
          spec += (k ? ", [" : "[") + Join({start, in[k], stride}, ":") + "]";
        }
        op = "slice(" + name + "), slice={" + spec + "}";
        break;
      }
      default: {
        Sizes sum = in;
        sum[1] *= 2;
        out = sum;
        op = "concatenate(" + name + ", " + name + "), dimensions={1}";
        break;
      }
    }
    text += next + " = " + F32(out) + " " + op + "\n";
    // A join with another value of the same shape.
    for (const auto& [other, shape] : values) {
      if (shape != out || In(0, 1)) continue;
      text += next + "j = " + F32(out) + " add(" + next + ", " + other + ")\n";
      next += "j";
      break;
    }
    values.push_back({next, out});
  }
  text += "ROOT root = " + F32(values.back().second) + " negate(" + values.back().first + ")\n";
  return text;
}

// One op on a value of sizes `in`; its text without the name, and its sizes in `out`.
inline std::string RandomStep(const std::string& name, const Sizes& in, Sizes& out) {
  out = in;
  size_t rank = in.size();
  switch (rank == 0 ? 0 : In(0, 9)) {
    case 0: {  // a new dimension somewhere
      int64_t at = In(0, static_cast<int64_t>(rank));
      Sizes kept;
      out.insert(out.begin() + at, In(1, 3));
      for (int64_t i = 0; i < static_cast<int64_t>(out.size()); ++i) {
        if (i != at) kept.push_back(i);
      }
      return "broadcast(" + name + "), dimensions=" + Braces(kept);
    }
    case 1: {
      Sizes permutation = RandomPermutation(rank);
      for (size_t k = 0; k < rank; ++k) out[k] = in[permutation[k]];
      return "transpose(" + name + "), dimensions=" + Braces(permutation);
    }
    case 2: {  // the same number of elements, two dims joined or one cut in two
      size_t k = static_cast<size_t>(In(0, static_cast<int64_t>(rank) - 1));
      if (in[k] % 2 == 0 && In(0, 1)) {
        out[k] /= 2;
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(k) + In(0, 1), 2);
      } else if (k + 1 < rank) {
        out[k] *= out[k + 1];
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      } else {
        out.push_back(1);
      }
      return "reshape(" + name + ")";
    }
    case 3:
      return "reverse(" + name + "), dimensions=" + Braces(RandomSubset(rank));
    case 4: {
      std::string spec;
      for (size_t k = 0; k < rank; ++k) {
        int64_t start = In(0, in[k] - 1), stride = In(1, 3);
        out[k] = (in[k] - start + stride - 1) / stride;
        spec += (k ? ", [" : "[") + Join({start, in[k], stride}, ":") + "]";
      }
      return "slice(" + name + "), slice={" + spec + "}";
    }
    case 5: {
      int64_t along = In(0, static_cast<int64_t>(rank) - 1);
      out[along] *= 2;
      return "concatenate(" + name + ", " + name + "), dimensions={" + std::to_string(along) + "}";
    }
    case 6: {
      std::string spec;
      for (size_t k = 0; k < rank; ++k) {
        int64_t low = In(0, 2), high = In(0, 2), interior = In(0, 1);
        out[k] = in[k] + (in[k] - 1) * interior + low + high;
        spec += (k ? "x" : "") + Join({low, high, interior}, "_");
      }
      return "pad(" + name + ", zero), padding=" + spec;
    }
    case 7: {
      int64_t along = In(0, static_cast<int64_t>(rank) - 1);
      out.erase(out.begin() + along);
      return "reduce(" + name + ", zero), dimensions={" + std::to_string(along) + "}, to_apply=add";
    }
    case 8: {
      std::vector<RandomWindow> windows;
      for (size_t k = 0; k < rank; ++k) {
        windows.emplace_back(in[k]);
        out[k] = windows.back().positions;
      }
      return "reduce-window(" + name + ", zero), " + WindowText(windows) + ", to_apply=add";
    }
    default: {
      std::string starts;
      for (size_t k = 0; k < rank; ++k) {
        out[k] = In(1, in[k]);
        starts += ", start";
      }
      return "dynamic-slice(" + name + starts + "), dynamic_slice_sizes=" + Braces(out);
    }
  }
}

struct RandomBody {
  std::string parameters, text;
  Sizes result;
};

// A few instructions of every kind over one parameter, with sums of values of the same shape. No
// value has more than `max_elements` elements.
inline RandomBody RandomSteps(int64_t max_elements = 200) {
  Sizes sizes = RandomSizes(1, 3, 5);
  std::string text = P(0, F32(sizes)) + P(1, "f32[]") + P(2, "s32[]");
  text.replace(text.find("p1"), 2, "zero");
  text.replace(text.find("p2"), 2, "start");
  std::string parameters = text;
  std::vector<std::pair<std::string, Sizes>> values = {{"p0", sizes}};
  for (int64_t i = 0, n = In(1, 4); i < n; ++i) {
    auto [name, in] = values[In(0, 2) ? values.size() - 1 : 0];
    Sizes out;
    std::string op = RandomStep(name, in, out);
    int64_t elements = 1;
    for (int64_t d : out) elements *= d;
    if (elements > max_elements || out.size() > 4) continue;
    std::string next = "v" + std::to_string(i);
    text += next + " = " + F32(out) + " " + op + "\n";
    for (const auto& [other, shape] : values) {
      if (shape != out || In(0, 1)) continue;
      text += next + "j = " + F32(out) + " add(" + next + ", " + other + ")\n";
      next += "j";
      break;
    }
    values.push_back({next, out});
  }
  const auto& [last, result] = values.back();
  text += "ROOT root = " + F32(result) + " negate(" + last + ")\n";
  return {parameters, text, result};
}

// Such a graph as an entry computation, and as a fusion.
inline std::string RandomComputation() { return WithReducer(RandomSteps().text); }
inline std::string RandomFusion() {
  RandomBody body = RandomSteps();
  std::string module = WithReducer(body.parameters + "ROOT r = " + F32(body.result) +
                                   " fusion(p0, zero, start), kind=kLoop, calls=f\n");
  return module.insert(module.find("ENTRY"), "f {\n" + body.text + "}\n");
}

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_ANALYSIS_RANDOM_GRAPHS_H_
