// Proofs about masks, shifts, remainders, comparisons and casts hold in execution: random programs
// on an i5 and an index are executed on all their arguments, at each width that index may have.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emit/transforms/exact_casts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/decide/random_terms.h"
#include "tests/emit/mlir_testing.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using llvm::APInt;
using testing::ParseModule;

const std::vector<std::string> kTypes = {"i5", "i3", "i8", "index"};

// Random text of a function of an i5 and an index.
class Program {
 public:
  std::string Text() {
    Add("%x", "i5");
    Add("%n", "index");
    int64_t steps = Pick(2, 8);
    for (int64_t k = 0; k < steps; ++k) Step();
    Branch();
    return "func.func @f(%x: i5, %n: index) {\n" + text_ + "  return\n}\n";
  }

 private:
  void Add(const std::string& name, const std::string& type) { values_[type].push_back(name); }
  std::string New(const std::string& type, const std::string& op) {
    std::string name = "%v" + std::to_string(count_++);
    text_ += "  " + name + " = arith." + op + "\n";
    Add(name, type);
    return name;
  }
  std::string TypeWithValues() {
    for (;;) {
      const std::string& type = kTypes[Pick(0, 3)];
      if (!values_[type].empty()) return type;
    }
  }
  std::string Value(const std::string& type) {
    const auto& values = values_[type];
    return values[Pick(0, static_cast<int64_t>(values.size()) - 1)];
  }
  std::string Constant(const std::string& type) {
    int64_t most = type == "i3" ? 3 : type == "i5" ? 15 : 40;
    return New(type, "constant " + std::to_string(Pick(-2, most)) + " : " + type);
  }
  void Cast() {
    std::string from = TypeWithValues();
    std::string to = from == "index" ? kTypes[Pick(0, 2)] : "index";
    std::string op = Pick(0, 1) ? "index_cast " : "index_castui ";
    New(to, op + Value(from) + " : " + from + " to " + to);
  }
  void Step() {
    static const char* const kOps[] = {"andi",  "ori",   "xori",  "shrui", "shrsi", "shli",
                                       "remui", "divui", "remsi", "addi",  "muli",  "minui"};
    if (Pick(0, 2) == 0) return Cast();
    std::string type = TypeWithValues();
    std::string y = Pick(0, 3) ? Constant(type) : Value(type);
    New(type, kOps[Pick(0, 11)] + std::string(" ") + Value(type) + ", " + y + " : " + type);
  }
  void Branch() {
    static const char* const kPredicates[] = {"slt", "sge", "ult", "ule", "ugt", "uge", "eq"};
    std::string type = TypeWithValues();
    std::string y = Constant(type);
    std::string condition = New("i1", "cmpi " + std::string(kPredicates[Pick(0, 6)]) + ", " +
                                          Value(type) + ", " + y + " : " + type);
    text_ += "  scf.if " + condition + " {\n";
    for (int k = 0; k < 3; ++k) Cast();
    text_ += "  } else {\n";
    values_["index"].resize(1);
    for (auto& [name, values] : values_) {
      if (name != "index" && name != "i5") values.clear();
    }
    values_["i5"].resize(1);
    for (int k = 0; k < 3; ++k) Cast();
    text_ += "  }\n";
  }

  std::map<std::string, std::vector<std::string>> values_;
  std::string text_;
  int count_ = 0;
};

// One run at one width. What is poison or has no value ends it.
class Machine {
 public:
  explicit Machine(unsigned index_bits) : index_bits_(index_bits) {}

  // An empty text, or what does not hold that is written on an operation.
  std::string Run(mlir::func::FuncOp f, uint64_t x, uint64_t n) {
    values_[f.getArgument(0)] = APInt(5, x);
    values_[f.getArgument(1)] = APInt(index_bits_, n);
    Block(f.getBody().front());
    return wrong_;
  }

 private:
  unsigned BitsOf(mlir::Type type) const {
    return type.isIndex() ? index_bits_ : type.getIntOrFloatBitWidth();
  }

  bool Block(mlir::Block& block) {
    return llvm::all_of(block, [&](mlir::Operation& op) { return Op(&op); });
  }

  // False where the run ends.
  bool Op(mlir::Operation* op) {
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
      bool taken = values_[branch.getCondition()].isOne();
      mlir::Region& side = taken ? branch.getThenRegion() : branch.getElseRegion();
      return side.empty() || Block(side.front());
    }
    if (op->getNumResults() == 0) return true;
    std::optional<APInt> result = Value(op);
    if (!result) return false;
    values_[op->getResult(0)] = *result;
    return wrong_.empty();
  }

  std::optional<APInt> Value(mlir::Operation* op) {
    unsigned bits = BitsOf(op->getResult(0).getType());
    if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
      return mlir::cast<mlir::IntegerAttr>(constant.getValue()).getValue().sextOrTrunc(bits);
    }
    APInt a = values_[op->getOperand(0)];
    if (mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) return Cast(op, a, bits);
    APInt b = values_[op->getOperand(1)];
    if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op)) {
      return APInt(1, arith::applyCmpPredicate(compare.getPredicate(), a, b));
    }
    return Arithmetic(op, a, b);
  }

  APInt Cast(mlir::Operation* op, const APInt& a, unsigned bits) {
    bool is_unsigned = mlir::isa<arith::IndexCastUIOp>(op);
    APInt r = is_unsigned ? a.zextOrTrunc(bits) : a.sextOrTrunc(bits);
    unsigned wide = std::max(bits, a.getBitWidth());
    bool same = is_unsigned ? a.zext(wide) == r.zext(wide) : a.sext(wide) == r.sext(wide);
    if (IsExact(op) && !same) wrong_ = "exact";
    return r;
  }

  std::optional<APInt> Arithmetic(mlir::Operation* op, const APInt& a, const APInt& b) {
    if (mlir::isa<arith::AndIOp>(op)) return a & b;
    if (mlir::isa<arith::OrIOp>(op)) return a | b;
    if (mlir::isa<arith::XOrIOp>(op)) return a ^ b;
    if (mlir::isa<arith::MinUIOp>(op)) return a.ult(b) ? a : b;
    if (mlir::isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
      if (b.uge(a.getBitWidth())) return std::nullopt;
      if (mlir::isa<arith::ShRUIOp>(op)) return a.lshr(b);
      if (mlir::isa<arith::ShRSIOp>(op)) return a.ashr(b);
      bool s = false, u = false;
      APInt r = a.sshl_ov(b, s);
      (void)a.ushl_ov(b, u);
      return Checked(op, r, s, u);
    }
    if (mlir::isa<arith::AddIOp, arith::MulIOp>(op)) {
      bool add = mlir::isa<arith::AddIOp>(op), s = false, u = false;
      APInt r = add ? a.sadd_ov(b, s) : a.smul_ov(b, s);
      (void)(add ? a.uadd_ov(b, u) : a.umul_ov(b, u));
      return Checked(op, r, s, u);
    }
    if (b.isZero()) return std::nullopt;
    if (mlir::isa<arith::RemSIOp>(op)) return b.isAllOnes() ? APInt(a.getBitWidth(), 0) : a.srem(b);
    return mlir::isa<arith::DivUIOp>(op) ? a.udiv(b) : a.urem(b);
  }

  APInt Checked(mlir::Operation* op, const APInt& result, bool signed_wrap, bool unsigned_wrap) {
    auto flags = mlir::cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    if (flags.hasNoSignedWrap() && signed_wrap) wrong_ = "nsw";
    if (flags.hasNoUnsignedWrap() && unsigned_wrap) wrong_ = "nuw";
    // A forbidden wrap is poison; a wrap that nothing excludes goes on.
    return result;
  }

  unsigned index_bits_;
  std::string wrong_;
  llvm::DenseMap<mlir::Value, APInt> values_;
};

RC_GTEST_PROP(ExactCastsExecutionTest, WhatIsWrittenHolds, ()) {
  static const std::unique_ptr<mlir::MLIRContext> context = MakeMlirContext();
  std::string error, text = Program().Text();
  auto module = ParseModule(*context, text, error);
  RC_LOG() << text;
  RC_ASSERT(module);
  auto least = static_cast<unsigned>(Pick(3, 7));
  auto most = static_cast<unsigned>(Pick(least, 8));
  auto report =
      DeclareIndexWidth(*module, {.wanted = IndexWidthBounds{least, most}, .require_proof = false});
  RC_ASSERT(mlir::succeeded(report));
  RC_TAG(report->exact_casts > 0 ? "some exact" : "none exact");
  auto f = *module->getOps<mlir::func::FuncOp>().begin();
  for (unsigned bits = least; bits <= most; ++bits) {
    for (uint64_t x = 0; x < 32; ++x) {
      for (uint64_t n = 0; n < uint64_t{1} << bits; ++n) {
        std::string wrong = Machine(bits).Run(f, x, n);
        RC_LOG() << wrong << " at " << bits << " bits, x = " << x << ", n = " << n << "\n";
        RC_ASSERT(wrong.empty());
      }
    }
  }
}

}  // namespace
}  // namespace affirm::emit
