#include "driver/dump/constants.h"

#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "core/hlo/literal.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/validate/buffers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "verify/kernel/initial_values.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr llvm::StringLiteral kVariablePrefix = "buffer_for_";
constexpr char kNameToAssume[] = "constants";  // for --assume

// A variable of the dump, and the file that defines it.
struct ConstantVariable {
  std::string file;
  kernel::InitialValue value;
};

bool RunsItsCallees(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kCall ||
         opcode == Opcode::kAsyncStart;
}

// The constants that are read, of a computation that runs and of those that it runs.
void AddConstantsOf(const Computation& computation, std::set<const Computation*>& seen,
                    std::vector<const Instruction*>& constants) {
  if (!seen.insert(&computation).second) return;
  std::set<const Instruction*> read = {computation.root};
  for (const auto& op : computation.instructions)
    read.insert(op->operands.begin(), op->operands.end());
  for (const auto& op : computation.instructions) {
    if (op->opcode == Opcode::kConstant && read.contains(op.get())) constants.push_back(op.get());
    if (!RunsItsCallees(op->opcode)) continue;
    for (const Computation* called : op->called) AddConstantsOf(*called, seen, constants);
  }
}

bool IsNanAt(const hlo::Literal& literal, int64_t linear) {
  const hlo::PrimitiveType type = literal.shape().type;
  return hlo::IsFloat(type) && std::isnan(literal.GetFloat(linear));
}

// Whether two elements are one number: with one pattern of bits, or both NaN.
bool IsSameNumberAt(const hlo::Literal& a, const hlo::Literal& b, int64_t linear) {
  const int64_t width = hlo::ByteWidth(a.shape().type);
  const uint8_t *of_a = a.data() + linear * width, *of_b = b.data() + linear * width;
  if (std::memcmp(of_a, of_b, width) == 0) return true;
  if (!hlo::IsComplex(a.shape().type)) return IsNanAt(a, linear) && IsNanAt(b, linear);
  const std::complex<double> x = a.GetComplex(linear), y = b.GetComplex(linear);
  auto same = [](double p, double q) {
    if (std::isnan(p) || std::isnan(q)) return std::isnan(p) && std::isnan(q);
    return p == q && std::signbit(p) == std::signbit(q);
  };
  return same(x.real(), y.real()) && same(x.imag(), y.imag());
}

// How the array of a constant lies in memory; the text says why that is not known.
struct PlacedConstant {
  kernel::Param param;
  std::string unknown;
};

PlacedConstant PlaceConstant(const Instruction& constant, const BufferAssignment* buffers) {
  PlacedConstant placed;
  placed.param.shape = constant.shape;
  const std::optional<BufferSlice> slice =
      buffers ? buffers->FindOwn(constant, 0) : std::optional<BufferSlice>();
  const std::string annotations =
      constant.shape.layout ? constant.shape.layout->annotations : std::string();
  const bool narrow =
      hlo::BitWidth(constant.shape.type) < 8 && constant.shape.type != hlo::PrimitiveType::kPred;
  if (annotations.find('T') != std::string::npos) {
    placed.unknown = "its layout has tiles";
  } else if (slice) {
    placed.param.bytes = slice->size;
  } else {
    placed.param.bytes = constant.shape.NumElements() * hlo::ByteWidth(constant.shape.type);
    if (narrow && !kernel::IsPacked(placed.param))
      placed.unknown = "whether its elements share bytes is not said";
    placed.param.bytes = kernel::BytesOfElements(placed.param);
  }
  if (placed.unknown.empty() && placed.param.bytes < kernel::BytesOfElements(placed.param))
    placed.unknown = "its buffer has " + std::to_string(placed.param.bytes) + " bytes";
  return placed;
}

class ConstantCheck {
 public:
  ConstantCheck(const BufferAssignment* buffers, const ModuleFiles& files)
      : buffers_(buffers), files_(files), on_cpu_(files.on_cpu) {
    for (const std::string& path : files.constants) Read(path, /*must_be_read=*/true);
    for (const std::string& path : files.kernels) Read(path, /*must_be_read=*/false);
  }

  ConstantRows Check(const hlo::Module& module) {
    std::set<const Computation*> seen;
    std::vector<const Instruction*> constants;
    AddConstantsOf(*module.entry, seen, constants);
    std::map<std::string, int64_t> symbols;
    for (const Instruction* constant : constants) ++symbols[SymbolOf(*constant)];
    for (const Instruction* constant : constants) {
      if (symbols[SymbolOf(*constant)] > 1)
        Leave(*constant, "several constants have the variable @" + SymbolOf(*constant));
      else
        CheckOne(*constant);
    }
    return std::move(result_);
  }

 private:
  static std::string SymbolOf(const Instruction& constant) {
    return (kVariablePrefix + SanitizedName(constant.name)).str();
  }

  void Read(const std::string& path, bool must_be_read) {
    const std::string file = llvm::sys::path::filename(path).str();
    auto text = ReadInput(path, "LLVM IR");
    // Kernels' files are read, and reported, where kernels are.
    if (!must_be_read && (!text || !llvm::StringRef(text->text).contains(kVariablePrefix))) {
      if (!text) llvm::consumeError(text.takeError());
      return;
    }
    auto values = text ? kernel::InitialValuesIn(text->text, text->name, kVariablePrefix)
                       : llvm::Expected<std::vector<kernel::InitialValue>>(text.takeError());
    if (!values) {
      const std::string why = MessageOf(values.takeError());
      if (must_be_read) result_.not_covered.push_back({kNameToAssume, "constants: " + why});
      return;
    }
    for (kernel::InitialValue& value : *values) {
      const std::string name = value.name;
      variables_[name].push_back({file, std::move(value)});
    }
  }

  void Leave(const Instruction& constant, const std::string& why) {
    result_.not_covered.push_back({kNameToAssume, "constant '" + constant.name + "': " + why});
  }

  void CheckOne(const Instruction& constant) {
    if (!constant.shape.IsArray()) return Leave(constant, "it is no array");
    if (constant.shape.NumElements() == 0) return;
    if (!constant.literal) {
      result_.not_covered.push_back(
          {"elided constants", "constant '" + constant.name + "': its value is elided"});
      return;
    }
    const auto found = variables_.find(SymbolOf(constant));
    if (found == variables_.end()) {
      // XLA:CPU has values of constants in no file: the runtime takes them from the executable.
      if (on_cpu_) return;
      return Leave(constant, "no file of the dump has the value that its buffer holds, @" +
                                 SymbolOf(constant));
    }
    const PlacedConstant placed = PlaceConstant(constant, buffers_);
    if (!placed.unknown.empty()) return Leave(constant, placed.unknown);
    // If several files define it, each has to be right.
    for (const ConstantVariable& variable : found->second)
      Compare(constant, placed.param, variable);
  }

  void Compare(const Instruction& constant, const kernel::Param& param,
               const ConstantVariable& variable) {
    const kernel::InitialValue& value = variable.value;
    const std::string name = "@" + value.name + " of " + variable.file;
    if (!value.unknown.empty()) return Leave(constant, name + " " + value.unknown);
    // The runtime fills in such a variable when it loads the program. What has one element has its
    // value in the dump.
    const bool has_room = std::ssize(value.bytes) >= kernel::BytesOfElements(param);
    if (value.is_variable && value.is_zero && has_room && constant.literal->NumElements() > 1)
      return;
    ConstantRow row{.module = files_.name,
                    .instruction = constant.name,
                    .where = {files_.optimized, constant.location.line, constant.location.column},
                    .verdict = Verdict::kProved};
    if (!has_room) {
      row.verdict = Verdict::kRefuted;
      row.reason = name + " has " + std::to_string(value.bytes.size()) + " bytes, expected " +
                   std::to_string(kernel::BytesOfElements(param));
    } else {
      std::vector<uint8_t> bytes = value.bytes;
      bytes.resize(std::max<size_t>(bytes.size(), param.bytes));
      CompareElements(*constant.literal, FromBuffer(bytes, param), name, row);
    }
    // Zeros that may be something else when the program runs are no wrong value.
    if (!value.open.empty() && (row.verdict == Verdict::kProved || value.is_zero))
      return Leave(constant, name + " " + value.open);
    result_.rows.push_back(std::move(row));
  }

  static void CompareElements(const hlo::Literal& expected, const hlo::Literal& actual,
                              const std::string& name, ConstantRow& row) {
    int64_t first = -1, differ = 0;
    for (int64_t k = 0; k < expected.NumElements(); ++k) {
      if (IsSameNumberAt(expected, actual, k)) continue;
      if (differ++ == 0) first = k;
    }
    if (differ == 0) return;
    row.verdict = Verdict::kRefuted;
    std::vector<std::string> index;
    for (int64_t of_dimension : IndexOf(expected.shape(), first))
      index.push_back(std::to_string(of_dimension));
    row.element = "[" + llvm::join(index, ",") + "]";
    row.expected = expected.ElementToString(first);
    row.actual = actual.ElementToString(first);
    row.reason = "element " + row.element + " is " + row.actual + " in " + name + ", expected " +
                 row.expected + " (" + std::to_string(differ) + " of " +
                 std::to_string(expected.NumElements()) + " elements differ)";
  }

  const BufferAssignment* buffers_;
  const ModuleFiles& files_;
  bool on_cpu_;
  std::map<std::string, std::vector<ConstantVariable>> variables_;
  ConstantRows result_;
};

}  // namespace

ConstantRows CheckConstants(const hlo::Module& scheduled, const BufferAssignment* buffers,
                            const ModuleFiles& files) {
  return ConstantCheck(buffers, files).Check(scheduled);
}

}  // namespace affirm::driver
