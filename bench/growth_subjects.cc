#include "growth_subjects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::bench {
namespace {

using llvm::Twine;
using Texts = std::vector<std::string>;

const char* const kAddition =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n";

// PREFIX0, PREFIX1, ... as a list.
std::string Names(llvm::StringRef prefix, int64_t count) {
  std::string list;
  for (int64_t i = 0; i < count; ++i) list += (Twine(i ? ", " : "") + prefix + Twine(i)).str();
  return list;
}

std::string Copies(llvm::StringRef text, int64_t count) {
  std::string list;
  for (int64_t i = 0; i < count; ++i) list += (Twine(i ? ", " : "") + text).str();
  return list;
}

// Lines of an HLO module, the last one of which is the root of its computation.
class Lines {
 public:
  explicit Lines(const std::string& before = "") : text_("HloModule m\n" + before) {}
  void Open(const Twine& name) { text_ += (name + " {\n").str(); }
  void Add(const Twine& name, const Twine& value) {
    text_ += ("  " + name + " = " + value + "\n").str();
  }
  void Root(const Twine& name, const Twine& value) {
    text_ += ("  ROOT " + name + " = " + value + "\n}\n").str();
  }
  void Parameters(const Twine& type, int64_t count) {
    for (int64_t i = 0; i < count; ++i) Add("p" + Twine(i), type + " parameter(" + Twine(i) + ")");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

GrowthInput Check(std::string module) {
  return {{"check", "--time-limit", "0"}, {std::move(module)}};
}
GrowthInput Equiv(std::string a, std::string b) {
  return {{"equiv", "--time-limit", "0", "--hlo"}, {std::move(a), std::move(b)}};
}
GrowthInput Simplify(std::string map) { return {{"simplify"}, {std::move(map)}}; }

// ---- maps

GrowthInput TermsOfMap(int64_t n) {
  std::string sum, domain;
  for (int64_t i = 0; i < n; ++i) {
    sum += (Twine(i ? " + d" : "d") + Twine(i) + "*" + Twine(i * 7 % 13 + 1)).str();
    domain += (Twine(i ? ",\nd" : "d") + Twine(i) + " in [0, " + Twine(i % 5 + 1) + "]").str();
  }
  return Simplify("(" + Names("d", n) + ") -> (" + sum + "),\ndomain:\n" + domain + "\n");
}

GrowthInput QuotientsOfMap(int64_t n) {
  std::string sum;
  for (int64_t i = 0; i < n; ++i)
    sum += (Twine(i ? " + (d0 + " : "(d0 + ") + Twine(i) + ") floordiv " + Twine(i % 7 + 2)).str();
  return Simplify("(d0) -> (" + sum + "), domain: d0 in [0, 100]\n");
}

// Several maps of a depth that the parser takes: their number grows beside it.
GrowthInput DepthOfMap(int64_t n) {
  std::string maps;
  for (int64_t k = 0; k < 64; ++k) {
    std::string e = "d0";
    for (int64_t i = 0; i < n; ++i)
      e = ("((" + Twine(e) + ") floordiv 2 + d1) mod " + Twine(1000 + i + k)).str();
    if (k > 0) maps += "\n";
    maps += "(d0, d1) -> (" + e + "), domain: d0 in [0, 1000000], d1 in [0, 50]\n";
  }
  return Simplify(std::move(maps));
}

GrowthInput ConstraintsOfMap(int64_t n) {
  std::string map = "(d0, d1) -> (d0),\ndomain:\nd0 in [0, 1000000],\nd1 in [0, 50]";
  for (int64_t i = 0; i < n; ++i) {
    map += (",\n(d0 + d1*" + Twine(i + 1) + ") mod " + Twine(i + 2) + " in [0, " +
            Twine(i / 2 + 1) + "]")
               .str();
  }
  return Simplify(map + "\n");
}

// ---- modules

// p0 + p1 + ..., in the order of the parameters or the reverse of it.
std::string Sum(llvm::StringRef type, int64_t n, bool reversed, bool swapped) {
  Lines lines;
  lines.Open("ENTRY e");
  lines.Parameters(type, n + 1);
  std::string before = ("p" + Twine(reversed ? n : 0)).str();
  for (int64_t i = 0; i < n; ++i) {
    const std::string next = ("p" + Twine(reversed ? n - 1 - i : i + 1)).str();
    const bool swap = swapped && i % 2 == 0;
    const std::string value =
        (type + " add(" + (swap ? next : before) + ", " + (swap ? before : next) + ")").str();
    before = ("s" + Twine(i)).str();
    if (i + 1 < n)
      lines.Add(before, value);
    else
      lines.Root(before, value);
  }
  return lines.Take();
}

GrowthInput FloatTerms(int64_t n) { return Check(Sum("f32[8]", n, false, false)); }
GrowthInput IntegerTerms(int64_t n) { return Check(Sum("s32[8]", n, false, false)); }
GrowthInput SwappedFloatTerms(int64_t n) {
  return Equiv(Sum("f32[8]", n, false, false), Sum("f32[8]", n, false, true));
}
GrowthInput ReversedIntegerTerms(int64_t n) {
  return Equiv(Sum("s32[8]", n, false, false), Sum("s32[8]", n, true, false));
}

GrowthInput Depth(int64_t n) {
  Lines lines;
  lines.Open("ENTRY e");
  lines.Parameters("f32[8,8]", 1);
  std::string before = "p0";
  for (int64_t i = 0; i < n; ++i) {
    std::string value = "f32[8,8] ";
    if (i % 5 == 0)
      value += "transpose(" + before + "), dimensions={1,0}";
    else if (i % 3 == 0)
      value += "reverse(" + before + "), dimensions={0}";
    else
      value += "negate(" + before + ")";
    before = ("i" + Twine(i)).str();
    if (i + 1 < n)
      lines.Add(before, value);
    else
      lines.Root(before, value);
  }
  return Check(lines.Take());
}

GrowthInput Ladder(int64_t n) {
  Lines lines;
  lines.Open("ENTRY e");
  lines.Parameters("f32[8]", 1);
  std::string before = "p0";
  for (int64_t i = 0; i < n; ++i) {
    const std::string value = "f32[8] add(" + before + ", " + before + ")";
    before = ("i" + Twine(i)).str();
    if (i + 1 < n)
      lines.Add(before, value);
    else
      lines.Root(before, value);
  }
  return Check(lines.Take());
}

// Six dimensions of two, and more of one: as many elements at each rank.
GrowthInput Rank(int64_t n) {
  std::string dims, reversed, order;
  for (int64_t i = 0; i < n; ++i) {
    auto size = [&](int64_t k) { return k % (n / 6) == 0 && k / (n / 6) < 6 ? 2 : 1; };
    const char* comma = i ? "," : "";
    dims += (comma + Twine(size(i))).str();
    reversed += (comma + Twine(size(n - 1 - i))).str();
    order += (comma + Twine(n - 1 - i)).str();
  }
  Lines lines;
  lines.Open("ENTRY e");
  lines.Parameters("f32[" + Twine(dims) + "]", 1);
  lines.Add("t", "f32[" + Twine(reversed) + "] transpose(p0), dimensions={" + order + "}");
  lines.Root("r", "f32[" + Twine(reversed) + "] negate(t)");
  return Check(lines.Take());
}

GrowthInput FusionOperands(int64_t n) {
  Lines lines;
  lines.Open("f");
  lines.Parameters("f32[4]", n);
  std::string before = "p0";
  for (int64_t i = 1; i < n; ++i) {
    const std::string name = ("s" + Twine(i)).str();
    lines.Add(name, "f32[4] add(" + Twine(before) + ", p" + Twine(i) + ")");
    before = name;
  }
  lines.Root("r", "f32[4] negate(" + Twine(before) + ")");
  lines.Open("ENTRY e");
  lines.Parameters("f32[4]", n);
  lines.Root("r", "f32[4] fusion(" + Twine(Names("p", n)) + "), kind=kLoop, calls=f");
  return Check(lines.Take());
}

// negate(concatenate(..)), or concatenate(negate(..), ..).
std::string Concatenate(int64_t n, bool negated_first) {
  Lines lines;
  lines.Open("ENTRY e");
  lines.Parameters("f32[4]", n);
  const std::string type = ("f32[" + Twine(4 * n) + "]").str();
  if (negated_first) {
    for (int64_t i = 0; i < n; ++i) lines.Add("n" + Twine(i), "f32[4] negate(p" + Twine(i) + ")");
    lines.Root("c", type + " concatenate(" + Names("n", n) + "), dimensions={0}");
  } else {
    lines.Add("c", type + " concatenate(" + Names("p", n) + "), dimensions={0}");
    lines.Root("r", type + " negate(c)");
  }
  return lines.Take();
}

GrowthInput ConcatenateOperands(int64_t n) { return Check(Concatenate(n, false)); }
GrowthInput ConcatenateOperandsMoved(int64_t n) {
  return Equiv(Concatenate(n, false), Concatenate(n, true));
}

// Reductions of rows, each of the sum of all before it.
std::string Reductions(int64_t n, bool swapped) {
  Lines lines(kAddition);
  lines.Open("ENTRY e");
  lines.Parameters("f32[16,16]", 1);
  lines.Add("z", "f32[] constant(0)");
  std::string before = "p0";
  for (int64_t i = 0; i < n; ++i) {
    const std::string id = std::to_string(i);
    lines.Add("s" + id, "f32[16] reduce(" + before + ", z), dimensions={1}, to_apply=add");
    lines.Add("b" + id, "f32[16,16] broadcast(s" + id + "), dimensions={0}");
    const std::string value = swapped ? "f32[16,16] add(b" + id + ", " + before + ")"
                                      : "f32[16,16] add(" + before + ", b" + id + ")";
    before = "t" + id;
    if (i + 1 < n)
      lines.Add(before, value);
    else
      lines.Root(before, value);
  }
  return lines.Take();
}

GrowthInput Kernels(int64_t n) { return Check(Reductions(n, false)); }
GrowthInput DependentReductions(int64_t n) {
  return Equiv(Reductions(n, false), Reductions(n, true));
}

// Loops of one trip, each in the body of the next one.
GrowthInput NestedLoops(int64_t n) {
  Lines lines;
  const char* const state = "(s32[], f32[4])";
  for (int64_t d = 0; d < n; ++d) {
    lines.Open("c" + Twine(d));
    lines.Add("t", Twine(state) + " parameter(0)");
    lines.Add("i", "s32[] get-tuple-element(t), index=0");
    lines.Add("k", "s32[] constant(1)");
    lines.Root("r", "pred[] compare(i, k), direction=LT");
    lines.Open("b" + Twine(d));
    lines.Add("t", Twine(state) + " parameter(0)");
    lines.Add("i", "s32[] get-tuple-element(t), index=0");
    lines.Add("x", "f32[4] get-tuple-element(t), index=1");
    lines.Add("one", "s32[] constant(1)");
    lines.Add("j", "s32[] add(i, one)");
    if (d > 0) {
      lines.Add("z", "s32[] constant(0)");
      lines.Add("u", Twine(state) + " tuple(z, x)");
      lines.Add("v",
                Twine(state) + " while(u), condition=c" + Twine(d - 1) + ", body=b" + Twine(d - 1));
    }
    lines.Add("y", d == 0 ? "f32[4] add(x, x)" : "f32[4] get-tuple-element(v), index=1");
    lines.Root("r", Twine(state) + " tuple(j, y)");
  }
  lines.Open("ENTRY e");
  lines.Parameters("f32[4]", 1);
  lines.Add("z", "s32[] constant(0)");
  lines.Add("u", Twine(state) + " tuple(z, p0)");
  lines.Root("v",
             Twine(state) + " while(u), condition=c" + Twine(n - 1) + ", body=b" + Twine(n - 1));
  return Check(lines.Take());
}

GrowthInput NestedCalls(int64_t n) {
  Lines lines;
  for (int64_t d = 0; d < n; ++d) {
    lines.Open("f" + Twine(d));
    lines.Parameters("f32[4]", 1);
    if (d == 0)
      lines.Add("y", "f32[4] add(p0, p0)");
    else
      lines.Add("y", "f32[4] call(p0), to_apply=f" + Twine(d - 1));
    lines.Root("r", "f32[4] negate(y)");
  }
  lines.Open("ENTRY e");
  lines.Parameters("f32[4]", 1);
  lines.Root("r", "f32[4] call(p0), to_apply=f" + Twine(n - 1));
  return Check(lines.Take());
}

// A tuple of products with constants.
std::string Results(int64_t n, bool swapped) {
  Lines lines;
  lines.Open("ENTRY e");
  lines.Parameters("f32[8]", 1);
  for (int64_t i = 0; i < n; ++i) {
    const std::string id = std::to_string(i);
    lines.Add("c" + id, "f32[] constant(" + id + ")");
    lines.Add("b" + id, "f32[8] broadcast(c" + id + "), dimensions={}");
    lines.Add("m" + id,
              swapped ? "f32[8] multiply(b" + id + ", p0)" : "f32[8] multiply(p0, b" + id + ")");
  }
  lines.Root("r", "(" + Copies("f32[8]", n) + ") tuple(" + Names("m", n) + ")");
  return lines.Take();
}

GrowthInput TupleResults(int64_t n) { return Check(Results(n, false)); }
GrowthInput SwappedTupleResults(int64_t n) { return Equiv(Results(n, false), Results(n, true)); }

GrowthInput Elements(int64_t n) {
  Lines lines;
  const std::string type = "f32[" + std::to_string(n) + "] ";
  lines.Open("ENTRY e");
  lines.Parameters(Twine(type).str().substr(0, type.size() - 1), 2);
  lines.Add("a", type + "add(p0, p1)");
  lines.Add("r", type + "reverse(a), dimensions={0}");
  lines.Root("m", type + "multiply(r, p0)");
  return Check(lines.Take());
}

GrowthInput ReducedRows(int64_t n) {
  Lines lines(kAddition);
  const std::string rows = std::to_string(n);
  lines.Open("ENTRY e");
  lines.Parameters("f32[" + rows + ",64]", 1);
  lines.Add("z", "f32[] constant(0)");
  lines.Root("r", "f32[" + rows + "] reduce(p0, z), dimensions={1}, to_apply=add");
  return Check(lines.Take());
}

// Softmax of a row, of which each thread of a block holds several elements.
GrowthInput RowElements(int64_t n) {
  Lines lines(kAddition + std::string("max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                                      "  ROOT c = f32[] maximum(a, b)\n}\n"));
  const std::string type = ("f32[2," + Twine(n) + "] ").str();
  lines.Open("ENTRY e");
  lines.Add("p", type + "parameter(0)");
  lines.Add("low", "f32[] constant(-inf)");
  lines.Add("z", "f32[] constant(0)");
  lines.Add("m", "f32[2] reduce(p, low), dimensions={1}, to_apply=max");
  lines.Add("mb", type + "broadcast(m), dimensions={0}");
  lines.Add("d", type + "subtract(p, mb)");
  lines.Add("x", type + "exponential(d)");
  lines.Add("s", "f32[2] reduce(x, z), dimensions={1}, to_apply=add");
  lines.Add("sb", type + "broadcast(s), dimensions={0}");
  lines.Root("r", type + "divide(x, sb)");
  return Check(lines.Take());
}

// Layers of a perceptron, one after the other.
GrowthInput Layers(int64_t n) {
  Lines lines;
  lines.Open("ENTRY e");
  lines.Parameters("f32[4,4]", n + 1);
  std::string before = "p0";
  lines.Add("z", "f32[] constant(0)");
  lines.Add("zeros", "f32[4,4] broadcast(z), dimensions={}");
  for (int64_t i = 0; i < n; ++i) {
    const std::string id = std::to_string(i);
    lines.Add("d" + id, "f32[4,4] dot(" + before + ", p" + std::to_string(i + 1) +
                            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
    before = "m" + id;
    const std::string value = "f32[4,4] maximum(d" + id + ", zeros)";
    if (i + 1 < n)
      lines.Add(before, value);
    else
      lines.Root(before, value);
  }
  return Check(lines.Take());
}

// Four sizes, each twice the one before.
std::vector<int64_t> From(int64_t size) { return {size, 2 * size, 4 * size, 8 * size}; }

}  // namespace

std::vector<GrowthAxis> GrowthAxes() {
  return {
      {"simplify/terms", From(2000), TermsOfMap},
      {"simplify/quotients", From(2000), QuotientsOfMap},
      {"simplify/depth", From(30), DepthOfMap},
      {"simplify/constraints", From(1000), ConstraintsOfMap},
      {"check/terms", From(500), FloatTerms},
      {"check/integer_terms", From(250), IntegerTerms},
      {"check/depth", From(250), Depth},
      {"check/ladder", From(500), Ladder},
      {"check/rank", From(12), Rank},
      {"check/fusion_operands", From(250), FusionOperands},
      {"check/concatenate_operands", From(64), ConcatenateOperands},
      {"check/kernels", From(32), Kernels},
      {"check/nested_loops", From(1), NestedLoops},
      {"check/nested_calls", From(8), NestedCalls},
      {"check/results", From(100), TupleResults},
      {"check/grid", From(int64_t{1} << 17), Elements},
      {"check/grid_of_rows", From(1024), ReducedRows},
      {"check/row", From(2048), RowElements},
      {"check/module", From(32), Layers},
      {"equiv/terms", From(500), SwappedFloatTerms},
      {"equiv/integer_terms", From(250), ReversedIntegerTerms},
      {"equiv/reductions", From(25), DependentReductions},
      {"equiv/concatenate_operands", From(256), ConcatenateOperandsMoved},
      {"equiv/results", From(200), SwappedTupleResults},
  };
}

GrowthInput SmallestInput(const GrowthInput& input) {
  const std::string module =
      "HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] negate(p)\n}\n";
  const std::string map = "(d0) -> (d0), domain: d0 in [0, 7]\n";
  GrowthInput smallest = input;
  for (std::string& file : smallest.files) file = input.verb.front() == "simplify" ? map : module;
  return smallest;
}

}  // namespace affirm::bench
