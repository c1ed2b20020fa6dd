// Matrix instructions of a warp: ldmatrix, stmatrix, mma.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using Claim = Obligation::Claim;
using hlo::PrimitiveType;

// The type in which products are accumulated.
static PrimitiveType WideSum(const MatrixProduct& of) {
  return of.sum == PrimitiveType::kF16 ? PrimitiveType::kF32 : of.sum;
}

// PTX ISA, "ldmatrix" and "stmatrix", for 8x8 matrices of 16 bits: lane 8 * m + r has the address
// of row r of matrix m, and lane l holds 32 bits of row l / 4 from byte 4 * (l mod 4) on. With
// .trans it holds 16 bits each of rows 2 * (l mod 4) and the next, from byte 2 * (l / 4) on.
void Lifter::MoveMatrices(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group) {
  const llvm::CallBase& call = *lanes[group[0]].waits;
  llvm::StringRef name = call.getCalledFunction()->getName();
  const bool loads = name.contains(".ldmatrix.");
  int64_t count = name.contains(".x4") ? 4 : name.contains(".x2") ? 2 : 1;
  if (lanes.size() != kLanes || group.size() != lanes.size()) {
    Fail(call, "matrices of a part of a warp");
    return;
  }
  const bool transposed = name.contains(".trans");
  std::vector<Value> rows(lanes.size());
  for (size_t l = 0; l < lanes.size(); ++l)
    rows[l] = Get(lanes[l].frames.back(), call.getArgOperand(0));
  std::vector<Value> results;
  for (size_t l = 0; l < lanes.size(); ++l) {
    thread_ = &lanes[l];
    const auto lane = static_cast<int64_t>(l);
    std::vector<Value> parts;
    for (int64_t m = 0; m < count && !failed(); ++m) {
      std::optional<Value> word;
      if (!loads)
        word = Get(lanes[l].frames.back(), call.getArgOperand(1 + static_cast<unsigned>(m)));
      if (failed()) return;
      llvm::ArrayRef<Value> matrix = llvm::ArrayRef(rows).slice(8 * m, 8);
      if (transposed) {
        word = MoveColumn(lanes[l], {matrix[lane % 4 * 2], matrix[lane % 4 * 2 + 1]},
                          2 * (lane / 4), word);
      } else {
        Value at = InRow(matrix[lane / 4], 4 * (lane % 4));
        llvm::Type* type = llvm::Type::getInt32Ty(call.getContext());
        if (loads)
          word = Load(lanes[l], at, type, 4);
        else
          Store(lanes[l], at, type, *word, 4);
      }
      if (loads) parts.push_back(*word);
    }
    if (failed()) return;
    results.push_back(!loads ? Value{} : count == 1 ? parts[0] : ListOf(parts));
  }
  for (size_t l = 0; l < lanes.size(); ++l) SetResult(lanes[l], results[l]);
}

// The address of a byte in a matrix row that begins at `of`.
Value Lifter::InRow(const Value& of, int64_t byte) {
  const Value::Pointer row = RequirePointer(of);
  if (failed()) return {};
  // PTX ISA, "ldmatrix": the address may be generic, but must be in shared memory.
  constexpr unsigned kShared = 3;
  ObligeSpace(row, kShared);
  Oblige(Claim::kBounds, "the row of a matrix is aligned",
         row.memory < memories_.size() && memories_[row.memory].alignment >= 16
             ? pool_.IsZero(scope_.Residue(row.offset, 16))
             : pool_.False());
  return Value::Pointer(row.memory, pool_.Add(row.offset, pool_.Number(byte)));
}

// Stores `word` as 16 bits to each of two rows, or, without a word, loads it from them.
Value Lifter::MoveColumn(LiftThread& thread, const std::array<Value, 2>& rows, int64_t byte,
                         const std::optional<Value>& word) {
  llvm::Type* type = llvm::Type::getInt16Ty(now_->getContext());
  const Int128 base = Int128{1} << 16;
  Term loaded = pool_.Number(0);
  for (int half : {0, 1}) {
    Value at = InRow(rows[half], byte);
    if (failed()) return {};
    if (!word) {
      Term bits = UnsignedOf(Load(thread, at, type, 2), type);
      if (failed()) return {};
      loaded = pool_.Add(loaded, half == 0 ? bits : pool_.Scale(bits, base));
    } else {
      Term bits = terms::Unsigned(scope_, RequireInteger(*word), 32);
      if (half == 1) bits = scope_.Quotient(bits, base);
      Store(thread, at, type, Value::Integer(terms::Congruent(pool_, bits, 16)), 2);
    }
  }
  return Value::Integer(loaded);
}

// Element number `part` of a register, which may be a vector: a float or a signed integer.
Term Lifter::MatrixElement(PrimitiveType type, const Value& value, llvm::Type* in, int64_t part) {
  const int64_t width = hlo::BitWidth(type), bytes = width / 8;
  if (width < 8) {
    auto bits_of_register = static_cast<int64_t>(layout_.getTypeSizeInBits(in).getFixedValue());
    Term bits = BitsOf(value, in);
    if (failed()) return nullptr;
    bits = terms::Unsigned(scope_, bits, bits_of_register);
    bits = scope_.Quotient(bits, Int128{1} << (part * width));
    return hlo::IsSignedInt(type) ? terms::Signed(scope_, bits, width)
                                  : terms::Unsigned(scope_, bits, width);
  }
  const Scalar element{ScalarTypeOf(type), part * bytes, bytes};
  llvm::SmallVector<Scalar, 2> scalars;
  if (!Scalars(in, 0, scalars)) return nullptr;
  llvm::SmallVector<Value, 2> values;
  Flatten(in, value, values);
  if (values.size() != scalars.size()) {
    Fail(*now_, "a value that has not the scalars of its type");
    return nullptr;
  }
  llvm::SmallVector<Cell, 2> cells;
  for (auto [scalar, held] : llvm::zip_equal(scalars, values)) {
    const bool covers = scalar.offset < element.offset + element.size &&
                        element.offset < scalar.offset + scalar.size;
    if (covers) cells.push_back({scalar.offset, scalar.size, scalar.type, held});
  }
  const Value is = FromCells(cells, element);
  if (failed()) return nullptr;
  if (hlo::IsInt(type))
    return hlo::IsSignedInt(type) ? SignedOf(is, element.type) : UnsignedOf(is, element.type);
  if (auto data = is.As<Value::Data>()) return data->term;
  Term bits = RequireInteger(is);
  return failed() ? nullptr
                  : terms::WithBits(pool_, pool_.OfInteger(bits, terms::IntegerType(width)), type);
}

// The LLVM type of an element or a sum.
llvm::Type* Lifter::ScalarTypeOf(PrimitiveType type) const {
  llvm::LLVMContext& context = ir_.module->getContext();
  switch (type) {
    case PrimitiveType::kF16:
      return llvm::Type::getHalfTy(context);
    case PrimitiveType::kBF16:
      return llvm::Type::getBFloatTy(context);
    case PrimitiveType::kF32:
      return llvm::Type::getFloatTy(context);
    case PrimitiveType::kF64:
      return llvm::Type::getDoubleTy(context);
    default:
      return llvm::IntegerType::get(context, static_cast<unsigned>(hlo::BitWidth(type)));
  }
}

// 0.0 of a type.
Term Lifter::ZeroOf(PrimitiveType type) {
  return terms::ElementOfLiteral(pool_, hlo::Literal(hlo::Shape::Array(type, {})), 0);
}

// Converts an element to the type of the sums. An f32 is rounded to the ten mantissa bits of TF32;
// the direction is not modelled (docs/kernels.md), and rounding is idempotent.
Term Lifter::MatrixFactor(const MatrixProduct& of, PrimitiveType type, Term element) {
  if (hlo::IsInt(type)) return element;
  if (element == ZeroOf(type)) return ZeroOf(WideSum(of));
  return type == PrimitiveType::kF32 ? Tf32Factor(element)
                                     : terms::Convert(scope_, element, type, WideSum(of));
}

// The result of cvt.rna: rounds to nearest with ten mantissa bits, ties away from zero (PTX ISA,
// "cvt"). It differs from ReducePrecision, so it is marked as another value of it.
Term Lifter::NearestTf32(Term number) {
  if (number == ZeroOf(PrimitiveType::kF32)) return number;
  const Term rounded =
      pool_.Apply(terms::Operation::ReducePrecision(8, 10), PrimitiveType::kF32, {number});
  return WithLicence(pool_, rounded, Licence::kValue, 0);  // no instruction has this number
}

// A matrix product ignores the lower mantissa bits, so it truncates unless cvt.rna has rounded (PTX
// ISA, "Alternate Floating-Point Data Formats"). HLO leaves the rounding open; a kernel must use
// one of the two ways throughout.
Term Lifter::Tf32Factor(Term element) {
  const auto rounded = terms::Operation::ReducePrecision(8, 10);
  auto is_rounded = [&](Term term) {
    return term->kind == terms::Kind::kApply && term->operation == rounded;
  };
  if (is_rounded(element)) return element;
  const bool is_nearest = element->args.size() == 1 && is_rounded(element->args[0]) &&
                          element == NearestTf32(element->args[0]->args[0]);
  const Term of_hlo =
      is_nearest ? element->args[0] : pool_.Apply(rounded, PrimitiveType::kF32, {element});
  if (!cuts_to_tf32_) cuts_to_tf32_ = !is_nearest;
  return *cuts_to_tf32_ != is_nearest ? of_hlo : WithLicence(pool_, of_hlo, Licence::kValue, 0);
}

// A source operand of the asm's only instruction, in the given lane.
Value Lifter::MatrixArgument(LiftThread& lane, const InlinePtx& ptx, int64_t source,
                             llvm::Type*& type) {
  const llvm::CallBase& call = *lane.waits;
  const auto& binding = ptx.instructions[0].sources[source].binding;
  if (!binding) return Fail(call, "a number as a part of a matrix");
  std::optional<unsigned> at;
  if (!binding->is_result) at = binding->number;
  for (auto [result, tied] : ptx.ties) {
    if (binding->is_result && result == binding->number) at = tied;
  }
  if (!at) return Fail(call, "a result as a part of a matrix");
  thread_ = &lane;
  type = call.getArgOperand(*at)->getType();
  const Value value = Get(lane.frames.back(), call.getArgOperand(*at));
  if (!failed()) ObligeNoPoison(value);
  return value;
}

// PTX ISA, "mma": the accumulator plus the products (verify/kernel/matrix_product.h has the layout
// of the fragments).
void Lifter::MultiplyMatrices(llvm::MutableArrayRef<LiftThread> lanes, llvm::ArrayRef<int> group) {
  const llvm::CallBase& call = *lanes[group[0]].waits;
  const InlinePtx* ptx = PtxOf(call);
  if (ptx == nullptr) return;
  using Kind = PtxInstruction::Kind;
  const Kind kind = ptx->instructions[0].kind;
  if (ptx->instructions.size() != 1 ||
      (kind != Kind::kMultiplyMatrices && kind != Kind::kMultiplyShared)) {
    Fail(call, "a product of matrices among other instructions");
    return;
  }
  if (lanes.size() != kLanes || group.size() != lanes.size()) {
    Fail(call, "matrices of a part of a warp");
    return;
  }
  if (kind == Kind::kMultiplyShared) return MultiplyShared(lanes, *ptx);
  const MatrixProduct& of = ptx->instructions[0].matrices;
  auto factor = [&](PrimitiveType type, int64_t first, const MatrixProduct::Place& place) -> Term {
    llvm::Type* in = nullptr;
    const Value value = MatrixArgument(lanes[place.lane], *ptx, first + place.number, in);
    if (failed()) return nullptr;
    Term element = MatrixElement(type, value, in, place.part);
    return failed() ? nullptr : MatrixFactor(of, type, element);
  };
  std::vector<std::vector<Term>> rows(of.m), columns(of.n);
  for (int64_t k = 0; k < of.k; ++k) {
    for (int64_t row = 0; row < of.m && !failed(); ++row)
      rows[row].push_back(factor(of.a, 0, of.OfA(row, k)));
    for (int64_t column = 0; column < of.n && !failed(); ++column)
      columns[column].push_back(factor(of.b, of.RegistersOfA(), of.OfB(k, column)));
  }
  if (failed()) return;
  auto added = [&](int64_t lane, int64_t number) -> Term {
    llvm::Type* in = nullptr;
    const int64_t at = of.RegistersOfA() + of.RegistersOfB() + number / of.SumsInRegister();
    const Value value = MatrixArgument(lanes[lane], *ptx, at, in);
    return failed() ? nullptr : MatrixElement(of.sum, value, in, number % of.SumsInRegister());
  };
  StoreSums(lanes, *ptx, added, rows, columns);
}

// Sets each lane's results: accumulator plus products of rows of A and columns of B.
void Lifter::StoreSums(llvm::MutableArrayRef<LiftThread> lanes, const InlinePtx& ptx,
                       llvm::function_ref<Term(int64_t lane, int64_t number)> added,
                       llvm::ArrayRef<std::vector<Term>> rows,
                       llvm::ArrayRef<std::vector<Term>> columns) {
  const llvm::CallBase& call = *lanes[0].waits;
  const PtxInstruction& instruction = ptx.instructions[0];
  const MatrixProduct& of = instruction.matrices;
  steps_ += of.m * of.n * of.k / 8;
  std::vector<Value> results;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    std::vector<Value> sums;
    for (int64_t number = 0; number < of.SumsOfLane() && !failed(); ++number) {
      Term first = added(lane, number);
      if (failed()) return;
      sums.push_back(MatrixSum(of, first, rows[of.RowOfSum(lane, number)],
                               columns[of.ColumnOfSum(lane, number)]));
    }
    if (failed()) return;
    std::vector<Value> registers(ptx.num_results);
    auto* structure = llvm::dyn_cast<llvm::StructType>(call.getType());
    for (size_t k = 0; k < instruction.targets.size(); ++k) {
      const unsigned target = instruction.targets[k];
      llvm::Type* type = structure ? structure->getElementType(target) : call.getType();
      const auto held = llvm::ArrayRef(sums).slice(k * of.SumsInRegister(), of.SumsInRegister());
      registers[target] = MatrixRegister(of, held, type);
    }
    if (failed()) return;
    results.push_back(structure ? ListOf(registers) : registers[0]);
  }
  for (int64_t lane = 0; lane < kLanes; ++lane) SetResult(lanes[lane], results[lane]);
}

// The accumulator plus the dot product of a row and a column, in the result type.
Value Lifter::MatrixSum(const MatrixProduct& of, Term added, llvm::ArrayRef<Term> row,
                        llvm::ArrayRef<Term> column) {
  auto varies = [&](Term term) { return (MarksOf(term) & kMayVary) != 0; };
  if (may_be_unspecified_ &&
      varies(added) + llvm::count_if(row, varies) + llvm::count_if(column, varies) > 1)
    return ArbitraryOf(ScalarTypeOf(of.sum));
  if (of.sum == PrimitiveType::kS32) {
    Term products = pool_.Number(0);
    for (size_t k = 0; k < row.size(); ++k)
      products = pool_.Add(products, pool_.Multiply(row[k], column[k]));
    Term sum = pool_.Add(added, products);
    if (!of.saturates) return Value::Integer(sum);
    const Int128 most = (Int128{1} << 31) - 1;
    return Value::Integer(scope_.Max(scope_.Min(sum, pool_.Number(most)), pool_.Number(-most - 1)));
  }
  const PrimitiveType wide = WideSum(of);
  Term sum = terms::Convert(scope_, added, of.sum, wide), zero = ZeroOf(wide);
  for (size_t k = 0; k < row.size(); ++k) {
    // Padding: both factors are 0 beyond the matrices.
    const bool filled = row[k] == zero && column[k] == zero;
    Term product = filled ? zero : pool_.Apply(terms::Op::kMultiply, wide, {row[k], column[k]});
    sum = pool_.Apply(terms::Op::kAdd, wide, {sum, product});
  }
  // PTX ISA, "mma" and "wgmma": the order of the additions is not specified. Each of the two kinds
  // has one order, marked by a number that no instruction has.
  const auto order_of_device = -static_cast<int32_t>(of.m);
  sum = WithLicence(pool_, sum, Licence::kOrder, order_of_device);
  if (wide == of.sum) return Value::Data(sum);
  // PTX ISA, "mma": sums of f16 have "at least half precision", so that each addition may round.
  const Term rounded = terms::Convert(scope_, sum, wide, of.sum);
  return Value::Data(
      WithLicence(pool_, rounded, Licence::kValue, NumberOf(*now_, Licence::kValue)));
}

// Packs sums into one register.
Value Lifter::MatrixRegister(const MatrixProduct& of, llvm::ArrayRef<Value> sums,
                             llvm::Type* type) {
  llvm::Type* scalar = ScalarTypeOf(of.sum);
  if (type == scalar) return sums[0];
  const int64_t bytes = hlo::ByteWidth(of.sum);
  llvm::SmallVector<Cell, 2> cells;
  for (const Value& sum : sums) cells.push_back({std::ssize(cells) * bytes, bytes, scalar, sum});
  return FromCells(cells, Scalar{type, 0, std::ssize(cells) * bytes});
}

}  // namespace affirm::kernel
