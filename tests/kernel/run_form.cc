#include "tests/kernel/run_form.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/hlo/float_format.h"
#include "core/hlo/text.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/hlo_values/value_evaluator.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/kernel/emulator/value.h"
#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {
namespace {

using hlo::PrimitiveType;

// Operands that each form is run on.
constexpr int64_t kPlaces = 48;
constexpr size_t kMostOperands = 3;

// The element of an array that holds a value of an LLVM type, and how many of them.
struct Held {
  PrimitiveType type = PrimitiveType::kS8;
  int64_t count = 1;
  std::string memory_type;  // "i8" of "i1"
  bool is_bit = false;

  int64_t bytes() const { return count * hlo::ByteWidth(type); }
};

Held HeldAs(llvm::StringRef type) {
  Held held;
  std::string scalar = type.str();
  if (type.consume_front("<2 x ")) {
    held.count = 2;
    scalar = type.drop_back().str();
  }
  held.is_bit = scalar == "i1";
  if (held.is_bit) scalar = "i8";
  held.type = scalar == "i16"      ? PrimitiveType::kS16
              : scalar == "i32"    ? PrimitiveType::kS32
              : scalar == "i64"    ? PrimitiveType::kS64
              : scalar == "half"   ? PrimitiveType::kF16
              : scalar == "bfloat" ? PrimitiveType::kBF16
              : scalar == "float"  ? PrimitiveType::kF32
              : scalar == "double" ? PrimitiveType::kF64
                                   : PrimitiveType::kS8;
  held.memory_type = held.count == 2 ? "<2 x " + scalar + ">" : scalar;
  return held;
}

// The body: loads, the form, the store.
std::string BodyOf(const Form& form) {
  std::string text;
  for (size_t j = 0; j < form.operands.size(); ++j) {
    const Held held = HeldAs(form.operands[j]);
    const std::string n = std::to_string(j), at = "%a" + n, x = "%x" + n;
    text += at + " = getelementptr " + held.memory_type + ", ptr %in" + n + ", i32 %k\n";
    text += (held.is_bit ? "%y" + n : x) + " = load " + held.memory_type + ", ptr " + at + "\n";
    if (held.is_bit)
      text += x + " = trunc " + held.memory_type + " %y" + n + " to " + form.operands[j] + "\n";
  }
  const Held held = HeldAs(form.result);
  text += form.text + "\n%o = getelementptr " + held.memory_type + ", ptr %out, i32 %k\n";
  if (held.is_bit) text += "%w = zext " + form.result + " %r to " + held.memory_type + "\n";
  text += "store " + held.memory_type + (held.is_bit ? " %w" : " %r") + ", ptr %o\nret void\n";
  return text;
}

Param ArrayOf(const Held& held, size_t number, Param::Role role) {
  Param param;
  param.name = "p" + std::to_string(number);
  param.shape = hlo::Shape::Array(held.type, {kPlaces * held.count});
  param.bytes = kPlaces * held.bytes();
  param.role = role;
  param.memory = static_cast<int64_t>(number);
  return param;
}

// A scalar's bits: of small numbers, ends of ranges, floats near the ends of integers, or any.
uint64_t Operand(const Held& held, std::mt19937_64& random, int64_t place) {
  auto any_of = [&](std::initializer_list<double> numbers) {
    return *(numbers.begin() + random() % numbers.size());
  };
  const auto width = static_cast<unsigned>(hlo::BitWidth(held.type));
  if (hlo::IsFloat(held.type)) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (place % 4 == 3) {
      // NaNs are the one that the evaluator has.
      const uint64_t bits = random() & MaskOf(width);
      if (!std::isnan(hlo::DecodeFloat(held.type, bits))) return bits;
    }
    return hlo::EncodeFloat(
        held.type, any_of({0.0,          -0.0, 1,      -1,    0.5,   -2.5,        3,
                           100.75,       -127, -128.5, 255.5, 32767, 65504,       -2147483648.0,
                           4294967296.0, 1e-7, 1e-40,  kInf,  -kInf, std::nan("")}));
  }
  if (held.is_bit) return random();  // the upper bits mean nothing
  const uint64_t half = uint64_t{1} << (width - 1);
  const uint64_t numbers[] = {
      0,    1,        2,        3,     5,         7,  ~uint64_t{0},      ~uint64_t{1},
      half, half - 1, half + 1, width, width - 1, 64, 0x0f0f0f0f0f0f0f0f};
  return place % 4 == 3 ? random() : numbers[random() % std::size(numbers)];
}

using Bytes = std::vector<uint8_t>;

Bytes OperandBytes(const Held& held, std::mt19937_64& random) {
  Bytes bytes(static_cast<size_t>(kPlaces * held.bytes()));
  const auto size = static_cast<size_t>(hlo::ByteWidth(held.type));
  for (size_t at = 0; at < bytes.size(); at += size) {
    const uint64_t bits = Operand(held, random, static_cast<int64_t>(at / size));
    std::memcpy(&bytes[at], &bits, size);
  }
  return bytes;
}

uint64_t BitsAt(const Bytes& bytes, PrimitiveType type, int64_t element) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(hlo::ByteWidth(type));
  std::memcpy(&bits, &bytes[static_cast<size_t>(element) * size], size);
  return bits;
}

// All NaNs are one value.
bool IsSame(PrimitiveType type, uint64_t a, uint64_t b, bool is_exact) {
  if (a == b) return true;
  if (!hlo::IsFloat(type)) return false;
  const double x = hlo::DecodeFloat(type, a), y = hlo::DecodeFloat(type, b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  const double tolerance = type == PrimitiveType::kF64   ? 1e-9
                           : type == PrimitiveType::kF32 ? 1e-4
                                                         : 0.02;
  return !is_exact && (x == y || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(x)));
}

// The evaluator's buffers are the parameters of a module.
std::string ModuleOf(llvm::ArrayRef<Param> inputs) {
  std::string text = "HloModule m\nENTRY e {\n";
  for (size_t k = 0; k < inputs.size(); ++k) {
    text += std::string(k + 1 == inputs.size() ? "  ROOT" : " ") + " %p" + std::to_string(k) +
            " = " + inputs[k].shape.ToString() + " parameter(" + std::to_string(k) + ")\n";
  }
  return text + "}\n";
}

class Comparison {
 public:
  Comparison(const Form& form, HostForms::Function host) : form_(form), host_(host) {}
  FormResult Run(uint64_t seed);

 private:
  bool Prepare();
  void ComparePlace(int64_t place);
  // The elements that the terms write at the place; false where they give none.
  bool Evaluate(int64_t place, Bytes& out, bool& is_unknown);
  void Fault(int64_t place, const std::string& what);

  const Form& form_;
  HostForms::Function host_;
  FormResult result_;
  Launch launch_;
  terms::Pool pool_;
  std::optional<KernelIr> ir_;
  std::optional<LiftedKernel> lifted_;
  std::optional<Emulator> emulator_;
  std::unique_ptr<hlo::Module> module_;
  std::vector<hlo::Literal> arguments_;
  std::vector<Bytes> memories_;
};

bool Comparison::Prepare() {
  launch_.kernel = "k";
  launch_.grid = {kPlaces, 1, 1};
  launch_.threads = {1, 1, 1};
  std::string parameters;
  for (size_t j = 0; j < form_.operands.size(); ++j) {
    launch_.params.push_back(ArrayOf(HeldAs(form_.operands[j]), j, Param::kInput));
    parameters += "ptr %in" + std::to_string(j) + ", ";
  }
  const llvm::ArrayRef<Param> inputs = launch_.params;
  module_ = llvm::cantFail(
      hlo::ParseModule(inputs.empty() ? "HloModule m\nENTRY e {\n ROOT %c = s32[] constant(0)\n}\n"
                                      : ModuleOf(inputs),
                       "form.hlo"));
  launch_.params.push_back(ArrayOf(HeldAs(form_.result), form_.operands.size(), Param::kOutput));
  const std::string text =
      "target triple = \"nvptx64-nvidia-cuda\"\n"
      "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" +
      form_.outside + "\ndefine ptx_kernel void @k(" + parameters +
      "ptr %out) {\n%k = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" + BodyOf(form_) + "}\n";
  auto ir = ReadKernelIr(text, "form.ll", "k");
  if (!ir) {
    result_.lift_error = llvm::toString(ir.takeError());
    return false;
  }
  ir_ = std::move(*ir);
  auto lifted = Lift(*ir_, launch_, pool_);
  if (lifted) {
    lifted_ = std::move(*lifted);
    result_.lifted = true;
    result_.proved = lifted_->AllProved();
  } else {
    result_.lift_error = llvm::toString(lifted.takeError());
    return false;
  }
  auto emulator = Emulator::Create(*ir_, launch_);
  if (emulator) {
    emulator_ = std::move(*emulator);
    result_.emulated = true;
  } else {
    llvm::consumeError(emulator.takeError());
  }
  return true;
}

FormResult Comparison::Run(uint64_t seed) {
  if (!Prepare()) return std::move(result_);
  std::mt19937_64 random(seed);
  for (size_t j = 0; j < form_.operands.size(); ++j) {
    const Held held = HeldAs(form_.operands[j]);
    memories_.push_back(OperandBytes(held, random));
    hlo::Literal literal(launch_.params[j].shape);
    std::memcpy(literal.data(), memories_[j].data(), memories_[j].size());
    arguments_.push_back(std::move(literal));
  }
  memories_.emplace_back(static_cast<size_t>(launch_.params.back().bytes));
  for (int64_t place = 0; place < kPlaces && result_.faults.size() < 3; ++place)
    ComparePlace(place);
  return std::move(result_);
}

bool Comparison::Evaluate(int64_t place, Bytes& out, bool& is_unknown) {
  ValueWorld world(*module_, arguments_);
  ValueEvaluator evaluator(world, {{pool_.Variable("bl_x", {0, kPlaces - 1}), place}});
  const PrimitiveType type = launch_.params.back().shape.type;
  const auto size = static_cast<size_t>(hlo::ByteWidth(type));
  bool writes = false;
  for (const LiftedCase& one : lifted_->cases) {
    for (const Effect& effect : one.effects) {
      if (effect.kind != Effect::Kind::kStore || !evaluator.Condition(effect.guard)) continue;
      const auto element = static_cast<int64_t>(evaluator.Integer(effect.element));
      const uint64_t bits = BitsOf(evaluator.Value(effect.value));
      if (element < 0 || (static_cast<size_t>(element) + 1) * size > out.size()) continue;
      std::memcpy(&out[static_cast<size_t>(element) * size], &bits, size);
      writes = true;
    }
  }
  is_unknown = world.unknown;
  return writes && world.problem.empty();
}

void Comparison::Fault(int64_t place, const std::string& what) {
  std::string text = form_.name + ": " + what + "; operands";
  for (size_t j = 0; j < form_.operands.size(); ++j) {
    const Held held = HeldAs(form_.operands[j]);
    for (int64_t e = 0; e < held.count; ++e)
      text += " " + std::to_string(BitsAt(memories_[j], held.type, place * held.count + e));
  }
  for (const LiftedCase& one : lifted_->cases) {
    for (const Effect& effect : one.effects)
      text += "\n  " + terms::ToString(effect.value ? effect.value : effect.element, 600);
  }
  result_.faults.push_back(text + "\n" + form_.text);
}

void Comparison::ComparePlace(int64_t place) {
  const Held held = HeldAs(form_.result);
  bool is_defined = true;
  std::string finding;
  if (emulator_) {
    EmulatorOptions options;
    options.blocks = {place};
    options.most_jumps_back = 1000;
    const EmulatorRun run = emulator_->Run(memories_, options);
    // A result that does not depend on what undef is is not undef. The emulator computes with one
    // choice and reports the operand; the term must be right for that choice.
    auto is_of_undef = [](const Finding& f) {
      return f.claim == Claim::kValues && llvm::StringRef(f.what).contains("stored in a result");
    };
    is_defined = llvm::all_of(run.findings, is_of_undef) && run.complete;
    // An open obligation says so already.
    if (!run.findings.empty() && !result_.proved) return;
    if (!run.findings.empty()) finding = run.findings[0].ToString();
  }
  Bytes out(memories_.back().size());
  bool is_unknown = false;
  const bool evaluated = Evaluate(place, out, is_unknown);
  if (!is_defined) {
    // An obligation excludes poison and undefined behavior, or the value is left open.
    if (form_.is_strict && result_.proved && !is_unknown)
      Fault(place, "no obligation says: " + finding);
    return;
  }
  if (is_unknown || !evaluated) return;
  Bytes on_host(memories_.back().size());
  // Where an obligation is open the host may compute anything.
  const bool on_the_host = host_ && emulator_ && result_.proved;
  if (on_the_host) {
    const void* in[kMostOperands] = {nullptr, nullptr, nullptr};
    for (size_t j = 0; j < form_.operands.size(); ++j) in[j] = memories_[j].data();
    host_(in[0], in[1], in[2], on_host.data(), static_cast<int32_t>(place));
  }
  for (int64_t e = place * held.count; e < (place + 1) * held.count; ++e) {
    const uint64_t as_term = BitsAt(out, held.type, e);
    const uint64_t emulated = BitsAt(memories_.back(), held.type, e);
    const uint64_t hosted = BitsAt(on_host, held.type, e);
    if (emulator_ && !IsSame(held.type, as_term, emulated, form_.is_exact)) {
      Fault(place, "the term is " + std::to_string(as_term) + ", the emulator says " +
                       std::to_string(emulated));
    }
    if (on_the_host && !IsSame(held.type, as_term, hosted, form_.is_exact)) {
      Fault(place,
            "the term is " + std::to_string(as_term) + ", the host says " + std::to_string(hosted));
    }
  }
  if (emulator_) ++result_.compared;
}

}  // namespace

struct HostForms::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<Function> functions;
};

HostForms::HostForms(llvm::ArrayRef<Form> forms) : impl_(std::make_unique<Impl>()) {
  impl_->functions.resize(forms.size());
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) {
    llvm::consumeError(jit.takeError());
    return;
  }
  impl_->jit = std::move(*jit);
  auto context = std::make_unique<llvm::LLVMContext>();
  std::string text;
  std::vector<size_t> numbers;
  for (size_t k = 0; k < forms.size(); ++k) {
    const Form& form = forms[k];
    // The host has no instructions for these floats, and what stands for them is not everywhere.
    auto is_narrow = [](llvm::StringRef type) {
      return type.contains("half") || type.contains("bfloat");
    };
    const bool has_narrow =
        is_narrow(form.result) || llvm::any_of(form.operands, is_narrow) || is_narrow(form.text);
    if (!form.is_portable || !form.outside.empty() || has_narrow ||
        form.operands.size() > kMostOperands) {
      continue;
    }
    const std::string one = "define void @f" + std::to_string(k) +
                            "(ptr %in0, ptr %in1, ptr %in2, ptr %out, i32 %k) {\n" + BodyOf(form) +
                            "}\n";
    llvm::SMDiagnostic problem;
    llvm::LLVMContext own;
    auto parsed = llvm::parseAssemblyString(one, problem, own);
    if (!parsed || llvm::verifyModule(*parsed)) continue;
    text += one;
    numbers.push_back(k);
  }
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, *context);
  if (!module) return;
  module->setDataLayout(impl_->jit->getDataLayout());
  llvm::Error added =
      impl_->jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context)));
  if (added) {
    llvm::consumeError(std::move(added));
    return;
  }
  for (size_t k : numbers) {
    auto address = impl_->jit->lookup("f" + std::to_string(k));
    if (address)
      impl_->functions[k] = address->toPtr<Function>();
    else
      llvm::consumeError(address.takeError());
  }
}

HostForms::~HostForms() = default;

HostForms::Function HostForms::Find(size_t form) const { return impl_->functions[form]; }

FormResult RunForm(const Form& form, HostForms::Function host, uint64_t seed) {
  return Comparison(form, host).Run(seed);
}

}  // namespace affirm::kernel
