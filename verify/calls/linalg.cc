// Triangular systems and Cholesky factors, by LAPACK, cuBLAS and cuSOLVER.
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"
#include "verify/calls/lapack.h"
#include "verify/calls/meaning_text.h"

namespace affirm::calls {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

constexpr llvm::StringLiteral kSolveKeys[] = {"left_side", "lower", "unit_diagonal", "transpose_a"};
// A field of that type that is not written.
constexpr llvm::StringLiteral kNoTranspose = "TRANSPOSE_INVALID";
constexpr llvm::StringLiteral kTrsmKeys[] = {"side", "uplo", "diag", "trans_x"};
// The attributes of a Cholesky factor.
constexpr llvm::StringLiteral kLapackKeys[] = {"uplo"}, kCusolverKeys[] = {"lower"};

Meaning Solve(const hlo::Instruction& call, const std::string& attributes) {
  if (llvm::Error error = CheckColumnMajor(call)) return error;
  const Shape& result = call.shape.IsTuple() ? call.shape.tuple[0] : call.shape;
  if (call.operands.size() != 2 || !IsMatrix(call.operands[0]->shape) || !IsMatrix(result) ||
      (call.shape.IsTuple() && call.shape.tuple.size() > 2)) {
    return MakeError("expected two matrices");
  }
  MeaningText text(call);
  std::vector<std::optional<Value>> results = {text.Op(
      result, Opcode::kTriangularSolve, {text.Parameter(0), text.Parameter(1)}, attributes)};
  if (call.shape.IsTuple()) results.resize(call.shape.tuple.size());
  return text.Module(results);
}

std::string SolveAttributes(bool left, bool lower, bool unit, llvm::StringRef transpose) {
  // As XLA prints them: what is false is left out.
  std::string text;
  if (left) text += "left_side=true, ";
  if (lower) text += "lower=true, ";
  if (unit) text += "unit_diagonal=true, ";
  return text + "transpose_a=" + transpose.str();
}

}  // namespace

Meaning TriangularSolve(const hlo::Instruction& call) {
  auto config = BackendConfig::Of(call, "");
  if (!config) return config.takeError();
  if (llvm::Error error = config->Allow(kSolveKeys)) return error;
  auto left = config->Flag("left_side"), lower = config->Flag("lower"),
       unit = config->Flag("unit_diagonal");
  auto transpose = config->Text("transpose_a", kNoTranspose);
  llvm::Error error = llvm::Error::success();
  for (auto* flag : {&left, &lower, &unit}) {
    if (!*flag) error = llvm::joinErrors(std::move(error), flag->takeError());
  }
  if (!transpose) error = llvm::joinErrors(std::move(error), transpose.takeError());
  if (error) return error;
  if (*transpose == kNoTranspose) return MakeError("expected a known value of transpose_a");
  return Solve(call, SolveAttributes(*left, *lower, *unit, *transpose));
}

Meaning Trsm(const hlo::Instruction& call) {
  auto config = TypedConfig::Of(call, kTrsmKeys);
  if (!config) return config.takeError();
  const char side = config->Letter("side"), uplo = config->Letter("uplo"),
             diagonal = config->Letter("diag");
  const llvm::StringRef transpose = llvm::StringSwitch<llvm::StringRef>(
                                        llvm::StringRef(std::string(1, config->Letter("trans_x"))))
                                        .Case("N", "NO_TRANSPOSE")
                                        .Case("T", "TRANSPOSE")
                                        .Case("C", "ADJOINT")
                                        .Default("");
  if ((side != 'L' && side != 'R') || (uplo != 'L' && uplo != 'U') ||
      (diagonal != 'N' && diagonal != 'U') || transpose.empty()) {
    return MakeError("expected side, uplo, diag and trans_x");
  }
  return Solve(call, SolveAttributes(side == 'L', uplo == 'L', diagonal == 'U', transpose));
}

// One triangle of the result is the factor, the other is the operand's; and the number of the first
// pivot that is not positive, 0 where there is none. A matrix without a factor, or with a NaN,
// gives what `cholesky` gives: neither XLA nor libraries agree on anything there, and programs ask
// for the number first.
Meaning Potrf(const hlo::Instruction& call) {
  auto config = TypedConfig::Of(call, IsLapack(call) ? kLapackKeys : kCusolverKeys);
  if (!config) return config.takeError();
  if (llvm::Error error = CheckColumnMajor(call)) return error;
  const char triangle = Triangle(*config);
  const bool fits = call.operands.size() == 1 && IsMatrix(call.operands[0]->shape) &&
                    call.shape.IsTuple() && call.shape.tuple.size() == 2 &&
                    call.shape.tuple[1].type == PrimitiveType::kS32 &&
                    (triangle == 'L' || triangle == 'U');
  if (!fits) return MakeError("expected a matrix, and which triangle of it");
  MeaningText text(call);
  const Value matrix = text.Parameter(0);
  const Shape& shape = call.shape.tuple[0];
  const Shape numbers = Shape::Array(PrimitiveType::kS32, shape.dims);
  const Shape flags = Shape::Array(PrimitiveType::kPred, shape.dims);
  const int64_t last = shape.rank() - 1;
  const Value rows =
      text.Op(numbers, Opcode::kIota, {}, "iota_dimension=" + std::to_string(last - 1));
  const Value columns =
      text.Op(numbers, Opcode::kIota, {}, "iota_dimension=" + std::to_string(last));
  auto compare = [&](const Value& a, const Value& b, const char* direction) {
    return text.Op(flags, Opcode::kCompare, {a, b}, std::string("direction=") + direction);
  };
  const Value factor =
      text.Op(shape, Opcode::kCholesky, {matrix}, triangle == 'L' ? "lower=true" : "");
  const Value of_factor = compare(rows, columns, triangle == 'L' ? "GE" : "LE");

  Value pivots = factor;
  if (hlo::IsComplex(shape.type)) {
    const PrimitiveType part =
        shape.type == PrimitiveType::kC64 ? PrimitiveType::kF32 : PrimitiveType::kF64;
    pivots = text.Op(WithType(shape, part), Opcode::kReal, {factor});
  }
  const Value is_positive = compare(pivots, text.Constant(pivots.shape, 0), "GT");
  const Value fails =
      text.Op(flags, Opcode::kAnd,
              {compare(rows, columns, "EQ"), text.Op(flags, Opcode::kNot, {is_positive})});
  const auto none = static_cast<double>(shape.dims[last] + 1);
  const Value one_based = text.Binary(Opcode::kAdd, rows, text.Constant(numbers, 1));
  const Value candidates =
      text.Op(numbers, Opcode::kSelect, {fails, one_based, text.Constant(numbers, none)});
  text.AddComputation(
      "smaller {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
      "  ROOT m = s32[] minimum(a, b)\n}");
  const Shape& info = call.shape.tuple[1];
  const Value first =
      text.Op(info, Opcode::kReduce,
              {candidates, text.Constant(Shape::Array(PrimitiveType::kS32, {}), none)},
              "dimensions=" + Braces({last - 1, last}) + ", to_apply=smaller");
  const Value succeeds = text.Op(WithType(info, PrimitiveType::kPred), Opcode::kCompare,
                                 {first, text.Constant(info, none)}, "direction=EQ");
  return text.Module({text.Op(shape, Opcode::kSelect, {of_factor, factor, matrix}),
                      text.Op(info, Opcode::kSelect, {succeeds, text.Constant(info, 0), first})});
}

}  // namespace affirm::calls
