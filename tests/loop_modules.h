// Modules with loops for tests of their maps and of the proofs of these: those of the corpus, and
// random ones.
#ifndef AFFIRM_TESTS_LOOP_MODULES_H_
#define AFFIRM_TESTS_LOOP_MODULES_H_

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "tests/parse_module.h"

namespace affirm::testing {

// The names of corpus/hlo/loop_*.hlo.
inline std::vector<std::string> CorpusLoops() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/hlo")) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with("loop_")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::unique_ptr<hlo::Module> CorpusModule(const std::string& name) {
  std::ifstream in("corpus/hlo/" + name + ".hlo");
  std::stringstream text;
  text << in.rdbuf();
  return ParseOrFail(text.str());
}

// The last loop of the entry; where there is none, its root, which calls one.
inline const hlo::Instruction& LoopOf(const hlo::Module& module) {
  const hlo::Instruction* loop = module.entry->root;
  for (const auto& op : module.entry->instructions) {
    if (op->opcode == hlo::Opcode::kWhile) loop = op.get();
  }
  return *loop;
}

// A loop that ends after at most ten trips. It carries an integer i of some type, which may wrap,
// an s32 j, and two arrays, of which rows are read and written at indices made of i and j: clamped,
// reversed, in a branch, in a loop inside, by a computation that is called twice.
class RandomLoop {
 public:
  explicit RandomLoop(uint64_t seed) : random_(seed) {}

  std::string Text() {
    ChooseCounter();
    const std::string state = "(" + type_ + "[], s32[], f32[5,3], f32[5,3])";
    const std::string parts = "  s = " + state + " parameter(0)\n  i = " + type_ +
                              "[] get-tuple-element(s), index=0\n"
                              "  j = s32[] get-tuple-element(s), index=1\n"
                              "  y = f32[5,3] get-tuple-element(s), index=2\n"
                              "  x = f32[5,3] get-tuple-element(s), index=3\n";
    body_ = parts + "  n = s32[] " +
            (type_ == "s32" ? std::string("copy(i)\n") : std::string("convert(i)\n")) +
            "  zero = s32[] constant(0)\n";
    std::string y = "y", x = "x";
    for (int k = 1 + Below(2); k > 0; --k) y = Change(y, x);
    if (Below(6) == 0) std::swap(x, y);
    const std::string step = Op(type_ + "[]", "constant(" + std::to_string(step_) + ")");
    const std::string next_i = Op(type_ + "[]", "add(i, " + step + ")");
    body_ += "  ROOT out = " + state + " tuple(" + next_i + ", " + NextJ() + ", " + y + ", " + x +
             ")\n}\n";
    const std::string condition = parts + "  bound = " + type_ + "[] constant(" +
                                  std::to_string(bound_) + ")\n  ROOT more = pred[] compare(" +
                                  (turned_ ? "bound, i" : "i, bound") +
                                  "), direction=" + direction_ + "\n}\n";
    return "HloModule random_loop\n" + called_ + "body {\n" + body_ + "condition {\n" + condition +
           "ENTRY e {\n  i = " + type_ + "[] constant(" + std::to_string(first_) +
           ")\n  j = s32[] constant(" + std::to_string(Below(7) - 2) +
           ")\n  y = f32[5,3] parameter(0)\n  x = f32[5,3] parameter(1)\n  s = " + state +
           " tuple(i, j, y, x)\n  ROOT loop = " + state +
           " while(s), condition=condition, body=body\n}\n";
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  std::string Pick(const std::vector<std::string>& of) { return of[Below(std::ssize(of))]; }

  // Values of the type, with what wraps.
  int64_t Wrapped(int64_t v) const {
    if (type_ == "s8") return static_cast<int8_t>(v);
    if (type_ == "u8") return static_cast<uint8_t>(v);
    return v;
  }

  bool RunsAgain(int64_t i) const {
    const int64_t a = turned_ ? bound_ : i, b = turned_ ? i : bound_;
    if (direction_ == "LT") return a < b;
    if (direction_ == "LE") return a <= b;
    if (direction_ == "GT") return a > b;
    if (direction_ == "GE") return a >= b;
    return a != b;
  }

  void ChooseCounter() {
    while (true) {
      type_ = Pick({"s32", "s32", "s8", "u8", "s64"});
      const bool near_end = type_.ends_with("8") && Below(3) == 0;
      first_ = Wrapped(near_end ? (type_ == "s8" ? 125 : 253) + Below(3) : Below(9) - 2);
      step_ = Wrapped(Below(7) - 3);
      bound_ = Wrapped(near_end ? first_ + step_ * Below(8) : Below(12) - 2);
      direction_ = Pick({"LT", "LE", "GT", "GE", "NE"});
      turned_ = Below(3) == 0;
      int trips = 0;
      for (int64_t i = first_; RunsAgain(i) && trips <= 10; i = Wrapped(i + step_)) ++trips;
      if (trips <= 10 && (trips > 0 || Below(8) == 0)) return;
    }
  }

  // Adds an instruction of this shape, and gives its name.
  std::string Op(const std::string& shape, const std::string& what) {
    const std::string name = "v" + std::to_string(number_++);
    body_ += "  " + name + " = " + shape + " " + what + "\n";
    return name;
  }
  std::string Constant(int value) { return Op("s32[]", "constant(" + std::to_string(value) + ")"); }
  std::string Less(const std::string& a, int bound) {
    return Op("pred[]", "compare(" + a + ", " + Constant(bound) + "), direction=LT");
  }

  std::string Index(const std::string& x) {
    const std::string a = Pick({"n", "n", "j"});
    switch (Below(9)) {
      case 0:
        return Op("s32[]", "subtract(" + Constant(Below(7)) + ", " + a + ")");
      case 1:
        return Op("s32[]", "multiply(" + a + ", " + Constant(2) + ")");
      case 2:
        return Op("s32[]", "clamp(" + Constant(1) + ", " + a + ", " + Constant(3) + ")");
      case 3:
        return Op("s32[]", "remainder(" + a + ", " + Constant(3) + ")");
      case 4:
        return Op("s32[]", "select(" + Less(a, Below(4)) + ", n, j)");
      case 5: {  // decided by a value
        const std::string element = Op("f32[1,1]", "slice(" + x + "), slice={[1:2], [1:2]}");
        return Op("s32[]", "convert(" + Op("f32[]", "reshape(" + element + ")") + ")");
      }
      case 6:
        return Op("s32[]", "add(" + a + ", " + Constant(Below(5) - 2) + ")");
      default:
        return a;
    }
  }

  std::string Row(const std::string& of, const std::string& index) {
    return Op("f32[1,3]",
              "dynamic-slice(" + of + ", " + index + ", zero), dynamic_slice_sizes={1,3}");
  }
  std::string Spread(const std::string& row) {
    const std::string flat = Op("f32[3]", "reshape(" + row + ")");
    return Op("f32[5,3]", "broadcast(" + flat + "), dimensions={1}");
  }

  // The new value of y.
  std::string Change(const std::string& y, const std::string& x) {
    switch (Below(9)) {
      case 0:
        return Op("f32[5,3]", "add(" + y + ", " + Spread(Row(x, Index(x))) + ")");
      case 1:  // a row of the array itself
        return Op("f32[5,3]",
                  "dynamic-update-slice(" + y + ", " +
                      Op("f32[1,3]", "add(" + Row(y, Index(x)) + ", " + Row(x, Index(x)) + ")") +
                      ", " + Index(x) + ", zero)");
      case 2:
        return Op("f32[5,3]", "reverse(" + y + "), dimensions={" + Pick({"0", "1", "0,1"}) + "}");
      case 3:
        return Branch(y, x);
      case 4:
        return Inner(y, x);
      case 5:
        return TwoCalls(y, x);
      default:
        return Op("f32[5,3]", "dynamic-update-slice(" + y + ", " + Row(x, Index(x)) + ", " +
                                  Index(x) + ", zero)");
    }
  }

  // Two rows by one computation.
  std::string TwoCalls(const std::string& y, const std::string& x) {
    const std::string row = "row" + std::to_string(number_++);
    called_ += row +
               " {\n  x = f32[5,3] parameter(0)\n  i = s32[] parameter(1)\n  zero = s32[] "
               "constant(0)\n  ROOT r = f32[1,3] dynamic-slice(x, i, zero), "
               "dynamic_slice_sizes={1,3}\n}\n";
    auto call = [&](const std::string& index) {
      return Op("f32[1,3]", "call(" + x + ", " + index + "), to_apply=" + row);
    };
    const std::string a = call(Index(x)), b = call(Index(x));
    return Op("f32[5,3]",
              "add(" + y + ", " + Spread(Op("f32[1,3]", "subtract(" + a + ", " + b + ")")) + ")");
  }

  std::string Branch(const std::string& y, const std::string& x) {
    const std::string number = std::to_string(number_++);
    const std::string state = "(f32[5,3], f32[5,3], s32[])";
    const std::string parts = "  s = " + state +
                              " parameter(0)\n  y = f32[5,3] get-tuple-element(s), index=0\n"
                              "  x = f32[5,3] get-tuple-element(s), index=1\n"
                              "  i = s32[] get-tuple-element(s), index=2\n";
    called_ += "writes" + number + " {\n" + parts +
               "  zero = s32[] constant(0)\n  r = f32[1,3] dynamic-slice(x, i, zero), "
               "dynamic_slice_sizes={1,3}\n  ROOT w = f32[5,3] dynamic-update-slice(y, r, i, "
               "zero)\n}\n";
    called_ += "keeps" + number + " {\n" + parts + "  ROOT w = f32[5,3] " +
               Pick({"copy(y)", "copy(x)", "reverse(y), dimensions={0}"}) + "\n}\n";
    const std::string index = Index(x);
    const std::string t = Op(state, "tuple(" + y + ", " + x + ", " + index + ")");
    return Op("f32[5,3]", "conditional(" + Less(Index(x), Below(5)) + ", " + t + ", " + t +
                              "), true_computation=writes" + number + ", false_computation=keeps" +
                              number);
  }

  // A loop over rows inside, whose computations have instructions of the same names.
  std::string Inner(const std::string& y, const std::string& x) {
    const std::string number = std::to_string(number_++);
    const std::string state = "(s32[], s32[], f32[5,3], f32[5,3])";
    const std::string parts = "  s = " + state +
                              " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                              "  j = s32[] get-tuple-element(s), index=1\n"
                              "  y = f32[5,3] get-tuple-element(s), index=2\n"
                              "  x = f32[5,3] get-tuple-element(s), index=3\n";
    const std::string read = Pick({"i", "j"}), write = Pick({"i", "i", "j"});
    called_ += "inner_body" + number + " {\n" + parts +
               "  zero = s32[] constant(0)\n  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
               "  r = f32[1,3] dynamic-slice(x, " +
               read +
               ", zero), dynamic_slice_sizes={1,3}\n  w = f32[5,3] dynamic-update-slice(y, r, " +
               write + ", zero)\n  ROOT out = " + state + " tuple(next, j, w, x)\n}\n";
    called_ += "inner_condition" + number + " {\n" + parts + "  bound = s32[] " +
               Pick({"constant(3)", "copy(j)"}) +
               "\n  ROOT more = pred[] compare(i, bound), direction=LT\n}\n";
    const std::string t = Op(state, "tuple(" + Pick({"zero", "zero", "n"}) + ", " + Index(x) +
                                        ", " + y + ", " + x + ")");
    const std::string loop = Op(state, "while(" + t + "), condition=inner_condition" + number +
                                           ", body=inner_body" + number);
    return Op("f32[5,3]", "get-tuple-element(" + loop + "), index=2");
  }

  std::string NextJ() {
    switch (Below(6)) {
      case 0:
        return "j";
      case 1:
        return "n";  // what i was
      case 2:
        return Op("s32[]", "select(" + Less("n", 2) + ", j, " +
                               Op("s32[]", "add(j, " + Constant(1) + ")") + ")");
      case 3:
        return Op("s32[]", "multiply(j, " + Constant(3) + ")");
      default:
        return Op("s32[]", "add(j, " + Constant(Below(5) - 2) + ")");
    }
  }

  std::mt19937_64 random_;
  std::string type_, direction_, body_, called_;
  int64_t first_ = 0, step_ = 0, bound_ = 0;
  bool turned_ = false;
  int number_ = 0;
};

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_LOOP_MODULES_H_
