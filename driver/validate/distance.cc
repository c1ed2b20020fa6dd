#include "driver/validate/distance.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <memory>

#include "driver/validate/buffers.h"
#include "driver/validate/element_values.h"
#include "driver/validate/fold_orders.h"
#include "driver/validate/instructions.h"
#include "verify/reference/compare.h"
#include "verify/reference/float_limits.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/open_elements.h"
#include "verify/reference/scalar.h"

namespace affirm::driver {
namespace {

using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;

bool IsApproximatedOp(const hlo::Instruction& op) {
  // The magnitude of a complex number is a root, whatever formula it has.
  if (op.opcode == Opcode::kAbs && hlo::IsComplex(op.operands[0]->shape.type)) return true;
  return op.shape.IsArray() && IsApproximated(op.opcode, op.shape.type);
}

bool HasOnlyFloats(const hlo::Shape& shape) {
  if (shape.IsTuple()) return std::all_of(shape.tuple.begin(), shape.tuple.end(), HasOnlyFloats);
  return hlo::IsFloat(shape.type) || hlo::IsComplex(shape.type);
}

bool HasFloats(const hlo::Shape& shape) {
  if (shape.IsTuple()) return std::any_of(shape.tuple.begin(), shape.tuple.end(), HasFloats);
  return hlo::IsFloat(shape.type) || hlo::IsComplex(shape.type);
}

// Whether the combiner's result depends on the order of the terms, as far as is known here: not
// where it is one operation that is associative and commutative.
bool DependsOnOrder(const hlo::Computation& combiner) {
  switch (combiner.root->opcode) {
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return combiner.instructions.size() != 3;
    case Opcode::kAdd:
    case Opcode::kMultiply:
      return combiner.instructions.size() != 3 || HasFloats(combiner.root->shape);
    default:
      return true;
  }
}

// Whether it combines by one operation on floats whose order matters for the rounding alone. What
// takes the last update of several, for instance, is not asked what others it might have taken.
bool Rounds(const hlo::Computation& combiner) {
  const Opcode root = combiner.root->opcode;
  return combiner.instructions.size() == 3 && (root == Opcode::kAdd || root == Opcode::kMultiply);
}

// Whether it adds or multiplies its two arguments, perhaps in a wider type.
bool Adds(const hlo::Computation& combiner) {
  auto unconverted = [](const hlo::Instruction* op) {
    while (op->opcode == Opcode::kConvert || op->opcode == Opcode::kReducePrecision)
      op = op->operands[0];
    return op;
  };
  const hlo::Instruction* root = unconverted(combiner.root);
  if (root->opcode != Opcode::kAdd && root->opcode != Opcode::kMultiply) return false;
  const hlo::Instruction *a = unconverted(root->operands[0]), *b = unconverted(root->operands[1]);
  return a != b && a->opcode == Opcode::kParameter && b->opcode == Opcode::kParameter;
}

bool IsNarrow(const hlo::Instruction& op) {
  return hlo::IsFloat(op.shape.type) && hlo::ByteWidth(op.shape.type) < 4;
}

// Whether what a combiner gives is rounded to fewer bits than f32 has.
bool CombinesNarrowly(const hlo::Computation& combiner) {
  return llvm::any_of(combiner.instructions, [](const auto& op) {
    return IsNarrow(*op) || op->opcode == Opcode::kReducePrecision;
  });
}

// Whether it adds, and converts each sum to a type of at most eight bits, which no device adds in:
// nothing but the order is left open.
bool RoundsByConversions(const hlo::Computation& combiner) {
  auto is_byte = [](const hlo::Instruction& op) {
    return hlo::IsFloat(op.shape.type) && hlo::ByteWidth(op.shape.type) == 1;
  };
  const hlo::Instruction* root = combiner.root;
  while (root->opcode == Opcode::kConvert && !is_byte(*root)) root = root->operands[0];
  return Adds(combiner) && root->opcode == Opcode::kConvert;
}

// Folds whose order is open, and whose result depends on it.
bool IsSum(const hlo::Instruction& op) {
  switch (op.opcode) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      return HasFloats(op.shape);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
      return !op.called.empty() && DependsOnOrder(*op.called.back());
    default:
      return false;
  }
}

// Each finite float of the literal moved by up to `places` in its last place. Those below the least
// normal one stay, unless they are said to move: toward zero no further than there.
void MoveFloats(Literal& literal, uint64_t seed, uint64_t places, Way way,
                bool subnormals = false) {
  if (literal.shape().IsTuple()) {
    for (Literal& element : literal.tuple()) MoveFloats(element, seed++, places, way, subnormals);
    return;
  }
  const PrimitiveType type = literal.shape().type;
  const int64_t count = literal.shape().IsArray() ? literal.NumElements() : 0;
  uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  auto step = [&](auto bits, auto exponent) {
    const auto magnitude = static_cast<decltype(bits)>(bits & (exponent | (exponent - 1)));
    if (magnitude == 0 || (bits & exponent) == exponent) return bits;
    if ((bits & exponent) == 0 && !subnormals) return bits;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const bool either = way == Way::kEither;
    const bool away = either ? (state & 1) != 0 : way == Way::kAwayFromZero;
    const auto by = static_cast<decltype(bits)>(either ? 1 + (state >> 8) % places : places);
    if (!away && magnitude <= by && subnormals)
      return static_cast<decltype(bits)>(bits - magnitude);
    const auto moved = static_cast<decltype(bits)>(away ? bits + by : bits - by);
    if (subnormals) return (moved & exponent) == exponent ? bits : moved;
    return (moved & exponent) == 0 || (moved & exponent) == exponent ? bits : moved;
  };
  const int64_t parts = type == PrimitiveType::kC64 || type == PrimitiveType::kC128 ? 2 : 1;
  for (int64_t i = 0; i < count * parts; ++i) {
    switch (type) {
      case PrimitiveType::kF32:
      case PrimitiveType::kC64:
        literal.Set<uint32_t>(i, step(literal.Get<uint32_t>(i), uint32_t{0x7f800000}));
        break;
      case PrimitiveType::kF64:
      case PrimitiveType::kC128:
        literal.Set<uint64_t>(i, step(literal.Get<uint64_t>(i), uint64_t{0x7ff} << 52));
        break;
      case PrimitiveType::kBF16:
        literal.Set<uint16_t>(i, step(literal.Get<uint16_t>(i), uint16_t{0x7f80}));
        break;
      case PrimitiveType::kF16:
        literal.Set<uint16_t>(i, step(literal.Get<uint16_t>(i), uint16_t{0x7c00}));
        break;
      case PrimitiveType::kF8E5M2:
      case PrimitiveType::kF8E5M2FNUZ:
        literal.Set<uint8_t>(i, step(literal.Get<uint8_t>(i), uint8_t{0x7c}));
        break;
      case PrimitiveType::kF8E3M4:
        literal.Set<uint8_t>(i, step(literal.Get<uint8_t>(i), uint8_t{0x70}));
        break;
      case PrimitiveType::kF8E4M3:
      case PrimitiveType::kF8E4M3FN:
      case PrimitiveType::kF8E4M3FNUZ:
      case PrimitiveType::kF8E4M3B11FNUZ:
        literal.Set<uint8_t>(i, step(literal.Get<uint8_t>(i), uint8_t{0x78}));
        break;
      default:
        return;
    }
  }
}

// The places of its type that a place of what a result is rounded to has: of an operation that
// rounds to fewer bits than f32 has; 0 for others.
uint64_t PlacesOfNarrow(const hlo::Instruction& op) {
  if (!op.shape.IsArray() || !hlo::IsFloat(op.shape.type)) return 0;
  const PrimitiveType type = op.shape.type;
  const bool is_wide = type == PrimitiveType::kF32 || type == PrimitiveType::kF64;
  if (op.opcode == Opcode::kReducePrecision && is_wide) {
    const int64_t digits = type == PrimitiveType::kF64 ? 52 : 23;
    return uint64_t{1} << std::clamp<int64_t>(digits - op.attributes.mantissa_bits, 0, digits);
  }
  if (is_wide) return 0;
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kConvert:
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kMultiply:
    case Opcode::kReduce:
    case Opcode::kReducePrecision:
    case Opcode::kSubtract:
      return 1;
    default:
      return IsApproximatedOp(op) ? 1 : 0;
  }
}

// The largest magnitude among the numbers of an array; nullopt where one is not finite, or none is
// a float.
std::optional<double> LargestIn(const Literal& literal) {
  if (!literal.shape().IsArray() || !hlo::IsFloat(literal.shape().type)) return std::nullopt;
  double largest = 0;
  for (int64_t i = 0; i < literal.NumElements(); ++i) {
    const double value = std::fabs(literal.GetFloat(i));
    if (!std::isfinite(value)) return std::nullopt;
    largest = std::max(largest, value);
  }
  return largest;
}

// Whether all sums of the operation stay far below the largest number of their type, in whatever
// order they are taken: as many of the largest summand as there are at most.
bool SumsStayFinite(const hlo::Instruction& op, const std::vector<const Literal*>& operands) {
  if (!IsSum(op)) {
    // What it calls is not looked into.
    return llvm::none_of(op.called, [](const hlo::Computation* called) {
      return llvm::any_of(AllInstructions(*called),
                          [](const hlo::Instruction* of) { return IsSum(*of); });
    });
  }
  if (!op.shape.IsArray() || operands.size() < 2) return false;
  const bool is_product = op.opcode == Opcode::kDot || op.opcode == Opcode::kConvolution;
  const bool adds =
      is_product || (Rounds(*op.called.back()) && op.called.back()->root->opcode == Opcode::kAdd);
  if (!adds) return false;
  double most = is_product ? 1 : 0, count = 0;
  for (const Literal* operand : operands) {
    if (!operand->shape().IsArray()) return false;
    if (!hlo::IsFloat(operand->shape().type)) continue;  // indices
    const auto largest = LargestIn(*operand);
    if (!largest) return false;
    most = is_product ? most * *largest : std::max(most, *largest);
    count = std::max(count, static_cast<double>(operand->NumElements())) + 1;
  }
  return SumStaysFinite(op.shape.type, most, count);
}

// The value of a computation in which the results of approximated operations are moved as well, and
// where `narrow` is set those that are rounded to fewer bits than f32 has. `stay_finite` becomes
// false where a sum may not be finite.
llvm::Expected<Literal> EvaluateMoved(const hlo::Computation& computation,
                                      const std::vector<const Literal*>& arguments, uint64_t seed,
                                      Way way, bool narrow, bool of_dots, bool& stay_finite) {
  std::map<const hlo::Instruction*, Literal> values;
  for (const auto& op : computation.instructions) {
    std::vector<const Literal*> operands;
    for (const hlo::Instruction* operand : op->operands) operands.push_back(&values[operand]);
    if (op->opcode == Opcode::kParameter) {
      values[op.get()] = *arguments[op->parameter_number];
      continue;
    }
    auto value = op->opcode == Opcode::kFusion && !op->called.empty()
                     ? EvaluateMoved(*op->called.front(), operands, seed + 7, way, narrow, of_dots,
                                     stay_finite)
                     : hlo::InterpretInstruction(*op, operands);
    if (!value) return value.takeError();
    const bool inside = op->opcode == Opcode::kFusion && !op->called.empty();
    stay_finite = stay_finite && (inside || SumsStayFinite(*op, operands));
    if (IsApproximatedOp(*op)) {
      MoveFloats(*value, seed * 1000 + static_cast<uint64_t>(op->id), kFormulaUlp, way);
    }
    if (const uint64_t places = of_dots ? PlacesOfDotRounding(*op) : 0; places > 0)
      MoveFloats(*value, seed * 3000 + static_cast<uint64_t>(op->id), places, way,
                 /*subnormals=*/true);
    if (const uint64_t places = narrow ? PlacesOfNarrow(*op) : 0; places > 0)
      MoveFloats(*value, seed * 2000 + static_cast<uint64_t>(op->id), places, way);
    values[op.get()] = std::move(*value);
  }
  return std::move(values[computation.root]);
}

double LeastNormal(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF64:
      return std::numeric_limits<double>::min();
    case PrimitiveType::kF16:
      return 0x1p-14;
    case PrimitiveType::kF32:
    case PrimitiveType::kBF16:
      return std::numeric_limits<float>::min();
    default:
      return 0;
  }
}

// What the orders of all elements of a comparison may take.
constexpr int64_t kMostStepsOfOrders = int64_t{1} << 26;

double Relative(double moved, double of) {
  return of == 0 || !std::isfinite(moved) ? 0 : moved / of;
}

// A float, or a complex number.
std::complex<double> NumberAt(const Literal& literal, int64_t i) {
  const hlo::Scalar value = hlo::Load(literal, i);
  return {value.re, value.im};
}
bool IsFinite(std::complex<double> number) {
  return std::isfinite(number.real()) && std::isfinite(number.imag());
}
// Both finite, the same infinity, or both NaN.
bool IsSameKind(double x, double y) {
  return x == y || (std::isnan(x) && std::isnan(y)) || (std::isfinite(x) && std::isfinite(y));
}
bool IsSameKind(std::complex<double> x, std::complex<double> y) {
  return IsSameKind(x.real(), y.real()) && IsSameKind(x.imag(), y.imag());
}

}  // namespace

// NaN is not less.
bool SumStaysFinite(PrimitiveType type, double largest, double count) {
  constexpr double kFar = 4;
  // Of sums of other numbers nothing is said.
  return hlo::IsFloat(type) && largest * count * kFar < hlo::LargestFinite(type);
}

// Division and roots are exact in the interpreter; devices have approximations of them.
bool IsApproximated(Opcode opcode, PrimitiveType type) {
  if (!hlo::IsFloat(type) && !hlo::IsComplex(type)) return false;
  switch (opcode) {
    case Opcode::kDivide:
    case Opcode::kRsqrt:
    case Opcode::kSqrt:
      return true;
    default:
      return hlo::MathBoundOf(opcode) > 0;
  }
}

uint64_t PlacesOfDotRounding(const hlo::Instruction& op) {
  const bool of_f32 = op.operands.size() == 1 && op.operands[0]->shape.type == PrimitiveType::kF32;
  if (!of_f32) return 0;
  if (op.opcode == Opcode::kReducePrecision && op.attributes.exponent_bits == 8 &&
      op.attributes.mantissa_bits == 10) {
    return kTf32Place;
  }
  const bool is_factor = llvm::any_of(
      op.users, [](const hlo::Instruction* user) { return user->opcode == Opcode::kDot; });
  return op.opcode == Opcode::kConvert && op.shape.type == PrimitiveType::kBF16 && is_factor ? 1
                                                                                             : 0;
}

kernel::TypedScalar MovedScalar(const kernel::TypedScalar& value, uint64_t seed, uint64_t places,
                                Way way) {
  if (!hlo::IsFloat(value.type) && !hlo::IsComplex(value.type)) return value;
  Literal literal(hlo::Shape::Array(value.type, {}));
  hlo::Store(literal, 0, value.value);
  MoveFloats(literal, seed, places, way);
  return {value.type, hlo::Load(literal, 0)};
}

std::vector<const Literal*> LeavesOf(const Literal& value) {
  if (!value.shape().IsTuple()) return {&value};
  std::vector<const Literal*> leaves;
  for (const Literal& element : value.tuple()) {
    std::vector<const Literal*> more = LeavesOf(element);
    leaves.insert(leaves.end(), more.begin(), more.end());
  }
  return leaves;
}

// Whether it folds in a type that has powers of two alone: half of what is added there are ties, so
// that the orders that are tried are too few to say what all give.
static bool HasNoMantissa(const hlo::Instruction& op) {
  return llvm::any_of(op.called, [](const hlo::Computation* called) {
    return llvm::any_of(called->instructions, [](const auto& of) {
      return of->shape.type == hlo::PrimitiveType::kF8E8M0FNU;
    });
  });
}

// Whether it folds windows, and so few elements in all that each window may be folded on its own.
static bool HasFewSteps(const hlo::Instruction& op) {
  constexpr int64_t kMostSteps = int64_t{1} << 18;
  if (op.opcode != Opcode::kReduceWindow) return false;
  const hlo::Shape& result = op.shape.IsTuple() ? op.shape.tuple[0] : op.shape;
  int64_t steps = result.NumElements();
  for (const hlo::WindowDimension& dimension : op.attributes.window) {
    if (steps > kMostSteps / std::max<int64_t>(dimension.size, 1)) return false;
    steps *= dimension.size;
  }
  return true;
}

Distance::Distance(const hlo::Computation& computation) : Distance(computation, Freedom()) {}

Distance::Distance(const hlo::Computation& computation, Freedom freedom)
    : computation_(computation),
      freedom_(freedom),
      orders_(std::size(kOtherOrders)),
      discrete_orders_(std::size(kOtherOrders)) {
  only_order_is_open_ = freedom.keeps_conversions && !freedom.narrow_roundings;
  for (const hlo::Instruction* op : AllInstructions(computation)) {
    if (IsApproximatedOp(*op)) {
      open_ = true;
      only_order_is_open_ = false;
      ulp_ += kFormulaUlp;
    }
    narrow_ = narrow_ || (freedom.narrow_roundings && PlacesOfNarrow(*op) > 0);
    if (!IsSum(*op)) continue;
    open_ = sums_ = true;
    const bool is_fold = op->opcode == Opcode::kReduce || op->opcode == Opcode::kReduceWindow;
    const bool is_product = op->opcode == Opcode::kDot || op->opcode == Opcode::kConvolution;
    if (is_product && IsNarrow(*op)) narrow_product_ = op->shape.type;
    narrow_sums_ = narrow_sums_ || (is_fold && CombinesNarrowly(*op->called.back())) ||
                   (is_product && IsNarrow(*op));
    only_order_is_open_ = only_order_is_open_ && is_fold && RoundsByConversions(*op->called.back());
    if (HasNoMantissa(*op)) ulp_ = std::max<int64_t>(ulp_, 1);
    const bool reorders = op->opcode == Opcode::kReduce || HasFewSteps(*op) ||
                          (op->opcode == Opcode::kScatter && Rounds(*op->called.back()));
    if (!reorders) continue;
    if (!freedom.all_folds && !Adds(*op->called.back())) continue;
    const bool of_floats = HasOnlyFloats(op->shape);
    auto& orders = of_floats ? orders_ : discrete_orders_;
    for (size_t k = 0; k < orders.size(); ++k) orders[k][op] = kOtherOrders[k];
    products_ |= of_floats && op->called.back()->root->opcode == Opcode::kMultiply;
  }
  if (open_) ulp_ += hlo::ToleranceOf(computation, hlo::ExecutionTarget::kCuda, 0);
  only_order_is_open_ = only_order_is_open_ && narrow_sums_ && ulp_ == 0;
}

std::vector<Distance::Variant> Distance::Variants(const std::vector<Literal>& arguments,
                                                  bool further) const {
  std::vector<Variant> variants;
  bool stay_finite = true;  // all sums of what was moved
  auto add = [&](llvm::Expected<Literal> value, Way way = Way::kEither, bool reordered = false) {
    if (value) {
      variants.push_back({std::move(*value), way, reordered, false});
    } else {
      llvm::consumeError(value.takeError());
    }
  };
  auto moved = [&](llvm::ArrayRef<Literal> on, uint64_t seed, Way way) {
    std::vector<const Literal*> pointers;
    pointers.reserve(on.size());
    for (const Literal& argument : on) pointers.push_back(&argument);
    return EvaluateMoved(computation_, pointers, seed, way, further && narrow_,
                         freedom_.dot_roundings, stay_finite);
  };
  auto move = [&](uint64_t seed) {
    std::vector<Literal> on = arguments;
    // Where nothing but roundings is open, arguments are what they are.
    for (size_t k = 0; k < on.size() && open_; ++k)
      MoveFloats(on[k], seed * 100 + k, 1, Way::kEither);
    add(moved(on, seed, Way::kEither));
  };
  if (further) {
    for (uint64_t seed = 1; seed <= kFurtherMovedArguments; ++seed) move(kMovedArguments + seed);
    return variants;
  }
  for (const hlo::EvaluationOrders& orders : orders_) {
    if (!orders.empty()) add(hlo::Interpret(computation_, arguments, &orders));
  }
  for (const hlo::EvaluationOrders& orders : discrete_orders_) {
    if (!orders.empty()) add(hlo::Interpret(computation_, arguments, &orders), Way::kEither, true);
  }
  for (uint64_t seed = 1; seed <= kMovedArguments; ++seed) move(seed);
  for (Way way : kOneWay) add(moved(arguments, 0, way), way);
  for (Variant& variant : variants) variant.sums_stay_finite = stay_finite;
  return variants;
}

std::optional<ValuesOfOrders> Distance::OrdersOf(ElementValues& values, terms::Term element,
                                                 const ElementLoadFunction& load,
                                                 int64_t& steps) const {
  auto orders = narrow_sums_ ? ValuesInAllOrders(values, element, load, std::nullopt, steps)
                             : std::optional(ValuesOfOrders{.values = {}, .all = false});
  if (orders && products_) orders->leaves_range = ProductLeavesRange(values, element, load);
  if (!orders || !narrow_product_) return orders;
  const auto rounded = ValuesInAllOrders(values, element, load, narrow_product_, steps);
  if (rounded) llvm::append_range(orders->values, rounded->values);
  return orders;
}

std::optional<bool> Distance::IsDifferenceByOrders(const std::optional<ValuesOfOrders>& orders,
                                                   const Literal& got, int64_t element) const {
  if (!orders) return std::nullopt;
  if (orders->leaves_range) return false;
  const PrimitiveType type = got.shape().type;
  Literal value(hlo::Shape::Array(type, {})), other(value.shape());
  hlo::Store(value, 0, hlo::Load(got, element));
  bool is_less = false, is_more = false;
  for (const kernel::TypedScalar& of : orders->values) {
    hlo::Store(other, 0, kernel::AsType(of, type));
    if (hlo::UlpDistance(value, other, 0) <= ulp_) return false;
    is_less = is_less || value.GetFloat(0) < other.GetFloat(0);
    is_more = is_more || value.GetFloat(0) > other.GetFloat(0);
  }
  if (orders->all) return only_order_is_open_ ? std::optional(true) : std::nullopt;
  return is_less && is_more ? std::optional(false) : std::nullopt;
}

Distance::Result Distance::Compare(const std::vector<Literal>& arguments,
                                   const std::vector<const Literal*>& expected,
                                   const std::vector<Literal>& actual,
                                   size_t most_differences) const {
  std::vector<const Literal*> operands;
  std::vector<hlo::Shape> shapes;
  for (const Literal& argument : arguments) {
    for (const Literal* leaf : LeavesOf(argument)) {
      if (!leaf->shape().IsArray()) continue;
      operands.push_back(leaf);
      shapes.push_back(leaf->shape());
      shapes.back().layout.reset();
    }
  }
  auto load = [&](int64_t operand, int64_t position) -> kernel::TypedScalar {
    const Literal& of = *operands[static_cast<size_t>(operand)];
    if (position >= of.NumElements()) return {PrimitiveType::kInvalid, {}};
    return kernel::OfScalar(of.shape().type, hlo::Load(of, position));
  };
  std::unique_ptr<ElementValues> values;
  auto orders = [&](size_t leaf, int64_t element, int64_t& steps) -> std::optional<ValuesOfOrders> {
    if (values == nullptr) values = std::make_unique<ElementValues>(computation_, shapes);
    auto term =
        values->TermOf(static_cast<int64_t>(leaf), IndexOf(expected[leaf]->shape(), element));
    if (term) return OrdersOf(*values, *term, load, steps);
    llvm::consumeError(term.takeError());
    return std::nullopt;
  };
  std::optional<hlo::OpenElements> found;
  auto open = [&](size_t leaf, int64_t element) -> std::string {
    if (freedom_.judges_open) return "";
    if (!found) {
      auto elements = hlo::FindOpenElements(computation_, arguments);
      // An error is one of the value, which is there.
      if (!elements) llvm::consumeError(elements.takeError());
      found = elements ? std::move(*elements) : hlo::OpenElements();
    }
    return !found->leaves.empty() && found->Has(static_cast<int64_t>(leaf), element) ? found->why
                                                                                     : "";
  };
  return CompareTo([&](bool further) { return Variants(arguments, further); }, orders, open,
                   expected, actual, most_differences);
}

Distance::Result Distance::CompareTo(VariantsFunction variants_of, OrdersFunction orders_of,
                                     OpenFunction why_open,
                                     const std::vector<const Literal*>& expected,
                                     const std::vector<Literal>& actual,
                                     size_t most_differences) const {
  Result result;
  auto add = [&](size_t leaf, int64_t element, int64_t ulp) {
    const Difference difference{static_cast<int64_t>(leaf), element, ulp};
    if (!result.first) result.first = difference;
    if (result.all.size() < most_differences) result.all.push_back(difference);
  };
  std::optional<std::vector<Variant>> variants, further;
  int64_t steps = kMostStepsOfOrders;
  for (size_t leaf = 0; leaf < expected.size(); ++leaf) {
    const Literal &want = *expected[leaf], &got = actual[leaf];
    if (!want.shape().IsArray()) continue;
    const PrimitiveType type = want.shape().type;
    const bool is_float = hlo::IsFloat(type), is_number = is_float || hlo::IsComplex(type);
    const double least = LeastNormal(type);
    const int64_t count = want.NumElements();
    result.elements += count;
    std::vector<std::pair<int64_t, int64_t>> suspects;  // element, ulp
    for (int64_t i = 0; i < count; ++i) {
      const int64_t ulp = hlo::UlpDistance(want, got, i);
      const bool tiny =
          open_ && is_float && ulp > 0 && std::fabs(want.GetFloat(i) - got.GetFloat(i)) < least;
      if (ulp <= ulp_ || tiny) {
        if (!tiny) result.largest_ulp = std::max(result.largest_ulp, ulp);
        continue;
      }
      if (std::string why = why_open(leaf, i); !why.empty()) {
        ++result.left_open;
        result.why_open = std::move(why);
        continue;
      }
      suspects.push_back({i, ulp});
    }
    if (suspects.empty()) continue;
    if (!open_ && (is_number || !narrow_)) {
      for (auto [i, ulp] : suspects) add(leaf, i, ulp);
      continue;
    }
    if (!variants) variants = open_ ? variants_of(/*further=*/false) : std::vector<Variant>();
    std::vector<const Literal*> others, one_way;
    for (const Variant& variant : *variants) {
      auto& of = variant.way == Way::kEither ? others : one_way;
      of.push_back(LeavesOf(variant.value)[leaf]);
    }
    auto spread_in = [&](llvm::ArrayRef<const Literal*> in, int64_t i) {
      double most = 0;
      for (const Literal* other : in) {
        most = std::max(most, std::abs(NumberAt(*other, i) - NumberAt(want, i)));
      }
      return most;
    };
    auto spread = [&](int64_t i) { return spread_in(others, i); };
    auto ask_further = [&] {
      if (!further) further = variants_of(/*further=*/true);
    };
    // Where a combiner's discrete result depends on the order anywhere (which of several NaNs an
    // argmax finds), it may do so everywhere. Moved arguments say nothing of other elements: they
    // part the equal ones among which an argmax takes the first.
    if (!is_number && llvm::any_of(*variants, [&](const Variant& variant) {
          return variant.reordered && LeavesOf(variant.value)[leaf]->bytes() != want.bytes();
        })) {
      continue;
    }
    auto stays = [&](const std::vector<Variant>& in, int64_t i) {
      return llvm::all_of(in, [&](const Variant& variant) {
        return variant.way != Way::kEither ||
               hlo::UlpDistance(want, *LeavesOf(variant.value)[leaf], i) == 0;
      });
    };
    double usual = 0;  // what nine of ten elements move by
    if (is_number) {
      std::vector<double> all;
      all.reserve(count);
      for (int64_t i = 0; i < count; ++i)
        all.push_back(Relative(spread(i), std::abs(NumberAt(want, i))));
      auto ninth = all.begin() + static_cast<int64_t>(all.size() * 9 / 10);
      std::nth_element(all.begin(), ninth, all.end());
      usual = *ninth;
    }
    for (auto [i, ulp] : suspects) {
      bool judged = true;
      if (is_number) {
        const std::complex<double> a = NumberAt(want, i), b = NumberAt(got, i);
        const bool finite = IsFinite(a) && IsFinite(b);
        auto is_same_kind = [&](const Literal* other) {
          return IsSameKind(NumberAt(*other, i), a);
        };
        const bool stable =
            llvm::all_of(others, is_same_kind) && llvm::all_of(one_way, is_same_kind);
        if (!finite) {
          const bool stay = llvm::all_of(
              *variants, [](const Variant& variant) { return variant.sums_stay_finite; });
          judged = stable && (!sums_ || stay);
          // The root of a difference of sums may be one of less than zero in another order.
          if (judged && sums_) {
            ask_further();
            judged = llvm::all_of(*further, [&](const Variant& variant) {
              return is_same_kind(LeavesOf(variant.value)[leaf]);
            });
          }
        } else if (stable) {
          const double allowed = kSpread * std::max(spread(i), usual * std::abs(a));
          judged = std::abs(a - b) > allowed;
          // Of 1 + tanh(x) near -1 few sets show how far it moves.
          if (judged && !narrow_) {
            ask_further();
            std::vector<const Literal*> more;
            for (const Variant& variant : *further) more.push_back(LeavesOf(variant.value)[leaf]);
            judged =
                llvm::all_of(more, is_same_kind) && std::abs(a - b) > kSpread * spread_in(more, i);
          }
        } else {
          judged = false;
        }
      } else {
        // A product of matrices of at most eight bits may be rounded term by term, and overflow:
        // what is made of it that is no float then is anything.
        const bool overflows = narrow_product_ && hlo::BitWidth(*narrow_product_) <= 8;
        judged = !overflows && stays(*variants, i);
        if (judged) ask_further();
        judged = judged && stays(*further, i);
      }
      if ((narrow_sums_ || products_) && is_float && (judged || only_order_is_open_)) {
        // Where those before have taken all steps, nobody knows what this one may be.
        const bool is_known = steps > 0;
        const auto by_orders =
            is_known ? IsDifferenceByOrders(orders_of(leaf, i, steps), got, i) : false;
        judged = by_orders.value_or(judged);
      }
      if (judged) add(leaf, i, ulp);
    }
  }
  return result;
}

}  // namespace affirm::driver
