#include "driver/equivalence/enclosed_pair.h"

#include <algorithm>
#include <cmath>

#include "core/hlo/leaves.h"
#include "driver/errors.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/sizes.h"

namespace affirm::driver {

using enclosure::Enclosure;
using hlo::Literal;

namespace {

bool IsFinite(const enclosure::Interval& a) {
  return a.HasNumbers() && !a.nan && std::isfinite(a.lo) && std::isfinite(a.hi);
}
bool HasFinite(const enclosure::Interval& a) {
  return a.HasNumbers() && a.lo < enclosure::kInfinity && a.hi > -enclosure::kInfinity;
}

bool Sums(const hlo::Instruction* op) {
  switch (op->opcode) {
    case hlo::Opcode::kConvolution:
    case hlo::Opcode::kDot:
      return true;
    case hlo::Opcode::kReduce:
    case hlo::Opcode::kReduceWindow:
    case hlo::Opcode::kScatter:
      return llvm::any_of(op->called[0]->instructions, [](const auto& inside) {
        return inside->opcode == hlo::Opcode::kAdd || inside->opcode == hlo::Opcode::kMultiply;
      });
    default:
      return false;
  }
}

}  // namespace

EnclosedPair::EnclosedPair(const hlo::Computation& a, const hlo::Computation& b,
                           enclosure::Freedom freedom, bool rounds_products_of_b)
    : a_(a),
      b_(b),
      freedom_(freedom),
      rounds_products_of_b_(rounds_products_of_b),
      a_sums_(llvm::any_of(AllInstructions(a), Sums)) {}

void EnclosedPair::Take(const std::vector<Literal>& arguments,
                        const std::vector<const Literal*>& leaves_of_a,
                        const std::vector<const Literal*>& leaves_of_b) {
  arguments_ = &arguments;
  leaves_of_a_ = &leaves_of_a;
  leaves_of_b_ = &leaves_of_b;
  of_a_.reset();
  of_b_.reset();
  of_b_in_order_.reset();
  why_none_.clear();
}

bool EnclosedPair::HasEnclosuresOfA() {
  if (of_a_ || !why_none_.empty()) return why_none_.empty();
  auto enclosures = enclosure::Enclose(a_, *arguments_, freedom_);
  if (enclosures) {
    of_a_ = std::move(*enclosures);
  } else {
    why_none_ = MessageOf(enclosures.takeError());
  }
  return why_none_.empty();
}

bool EnclosedPair::HasEnclosures() {
  if (!HasEnclosuresOfA()) return false;
  if (of_b_) return true;
  enclosure::Freedom freedom = freedom_;
  freedom.rounds_products = freedom_.rounds_products && rounds_products_of_b_;
  auto enclosures = enclosure::Enclose(b_, *arguments_, freedom);
  if (enclosures) {
    of_b_ = std::move(*enclosures);
  } else {
    why_none_ = MessageOf(enclosures.takeError());
  }
  return why_none_.empty();
}

std::string EnclosedPair::WhyAMayBreak() {
  if (!HasEnclosuresOfA()) return "whether A is defined as it may be rounded: " + why_none_;
  const hlo::Instruction* op = of_a_->may_break;
  if (op == nullptr) return "";
  return op->opcode_text + " " + op->name +
         " of A has operands that roundings decide, and may break what it requires of them";
}

bool EnclosedPair::IsApartInOrder(hlo::PrimitiveType type, const Enclosure& a, size_t leaf,
                                  int64_t element) {
  if (!of_b_->has_only_open_orders) return false;
  if (!of_b_in_order_) {
    enclosure::Freedom in_order = freedom_;
    in_order.in_order = true;
    auto enclosures = enclosure::Enclose(b_, *arguments_, in_order);
    if (!enclosures) {
      llvm::consumeError(enclosures.takeError());
      return false;
    }
    of_b_in_order_ = std::move(*enclosures);
  }
  return !enclosure::Meet(type, a, of_b_in_order_->result.At(leaf, element));
}

std::string EnclosedPair::WhyWide(const enclosure::Enclosures& of, const char* side) {
  if (!of.not_known.empty()) return "how " + of.not_known + side + " is rounded is not known";
  return "roundings move it by more than a tenth, from " + of.widened_by + side + " on";
}

std::pair<Enclosure, Enclosure> EnclosedPair::Of(size_t leaf, int64_t element) const {
  return {of_a_->result.At(leaf, element), of_b_->result.At(leaf, element)};
}

EnclosedPair::Judgment EnclosedPair::JudgeRun(size_t leaf, int64_t element) {
  if (!HasEnclosures()) return {Answer::kWide, why_none_};
  const hlo::PrimitiveType type = (*leaves_of_b_)[leaf]->shape().type;
  const auto [a, b] = Of(leaf, element);
  const hlo::Scalar value = hlo::Load(*(*leaves_of_b_)[leaf], element);
  const bool in_a = enclosure::Contains(type, a, value);
  if (in_a || enclosure::Contains(type, b, value)) {
    const double width = enclosure::RelativeWidth(type, in_a ? a : b);
    if (width <= enclosure::kWide) return {Answer::kWithin, "", width};
    return {Answer::kWide, WhyWide(*(in_a ? of_a_ : of_b_), "")};
  }
  if (hlo::IsFloat(type) && a_sums_ && !HasFinite(a.real)) return {Answer::kSpecial, ""};
  return {Answer::kApart,
          "the module has it in " + enclosure::ToString(type, a) + ", whatever is rounded"};
}

EnclosedPair::Judgment EnclosedPair::JudgeSizes(size_t leaf) {
  if (!HasEnclosures()) return {Answer::kWide, why_none_};
  const std::vector<int64_t>& sizes_of_b = (*leaves_of_b_)[leaf]->shape().dims;
  if (enclosure::MayHaveSizes(a_, *of_a_, leaf, sizes_of_b)) return {Answer::kWithin, ""};
  for (size_t dimension = 0; dimension < sizes_of_b.size(); ++dimension) {
    const Enclosure a = enclosure::SizeOf(a_, *of_a_, leaf, dimension),
                    b = enclosure::SizeOf(b_, *of_b_, leaf, dimension);
    if (enclosure::Meet(enclosure::kSizeType, a, b)) continue;
    return {Answer::kApart, "A has a size in " + enclosure::ToString(enclosure::kSizeType, a) +
                                ", B in " + enclosure::ToString(enclosure::kSizeType, b) +
                                ", whatever is rounded"};
  }
  return {Answer::kWithin, ""};
}

EnclosedPair::Judgment EnclosedPair::Judge(size_t leaf, int64_t element) {
  if (!HasEnclosures()) return {Answer::kWide, why_none_};
  const hlo::PrimitiveType type = (*leaves_of_b_)[leaf]->shape().type;
  const auto [a, b] = Of(leaf, element);
  const double width_of_a = enclosure::RelativeWidth(type, a),
               width_of_b = enclosure::RelativeWidth(type, b);
  auto apart = [&](const char* why) -> Judgment {
    return {Answer::kApart, "A is in " + enclosure::ToString(type, a) + ", B in " +
                                enclosure::ToString(type, b) + why};
  };
  auto wide = [&](const enclosure::Enclosures& of, const char* side) -> Judgment {
    return {Answer::kWide, WhyWide(of, side)};
  };
  const hlo::Scalar value_of_b = hlo::Load(*(*leaves_of_b_)[leaf], element);
  if (enclosure::Contains(type, a, value_of_b)) {
    if (width_of_a <= enclosure::kWide) return {Answer::kWithin, "", width_of_a};
    return wide(*of_a_, " of A");
  }
  const bool is_float = hlo::IsFloat(type);
  if (is_float && a_sums_ && !HasFinite(a.real)) return {Answer::kSpecial, ""};
  if (!enclosure::Meet(type, a, b)) return apart(", whatever is rounded");
  if (is_float && IsFinite(a.real) && !std::isfinite(value_of_b.re))
    return apart(", and B is no number as it is written");
  if (width_of_a > enclosure::kWide) return wide(*of_a_, " of A");
  if (width_of_b > enclosure::kWide && !of_b_->not_known.empty()) {
    if (IsApartInOrder(type, a, leaf, element))
      return apart(", and elsewhere in one of its orders");
    return wide(*of_b_, " of B");
  }
  if (width_of_b > enclosure::kWide) return apart(": it loses digits that A has");
  return {Answer::kWithin, "", std::max(width_of_a, width_of_b)};
}

}  // namespace affirm::driver
