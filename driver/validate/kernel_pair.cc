// Two kernels, proved to do the same, or executed one beside the other.
#include "driver/validate/kernel_pair.h"

#include <cmath>
#include <map>

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/validate/argument_sets.h"
#include "driver/validate/buffers.h"
#include "driver/validate/executed_claims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/kernel/emulator/math_functions.h"
#include "verify/kernel/inline_ptx.h"
#include "verify/kernel/lift/functions.h"
#include "verify/kernel/proof/comparable_kernels.h"
#include "verify/kernel/proof/lifting.h"
#include "verify/kernel/proof/same_kernel.h"
#include "verify/kernel/proof/stopwatch.h"
#include "verify/reference/compare.h"

namespace affirm::driver {
namespace {

// No further set of arguments is run after this many steps of the emulator in the earlier ones.
constexpr int64_t kMostCodesOfPair = int64_t{1} << 30;
constexpr int64_t kFurtherSets = 8;

using Memories = std::vector<std::vector<uint8_t>>;

// A computation of the inputs of a launch, of which ArgumentSets makes arguments.
llvm::Expected<std::unique_ptr<hlo::Module>> ModuleOfInputs(const kernel::Launch& launch) {
  std::string text = "HloModule arguments\nENTRY arguments {\n", names;
  int64_t inputs = 0;
  for (const kernel::Param& param : launch.params) {
    if (param.role != kernel::Param::kInput) continue;
    const std::string name = "p" + std::to_string(inputs);
    text += name + " = " + param.shape.ToString() + " parameter(" + std::to_string(inputs) + ")\n";
    names += (inputs == 0 ? "" : ", ") + name;
    ++inputs;
  }
  return hlo::ParseModule(text + "ROOT all = tuple(" + names + ")\n}\n", "launch");
}

// Whether it may matter which NaN a value is: its bits are seen as an integer, or its sign.
bool ShowsBitsOfFloats(const llvm::Instruction& i) {
  if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&i))
    return cast->getSrcTy()->isFPOrFPVectorTy() && !cast->getDestTy()->isFPOrFPVectorTy();
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr) return false;
  const llvm::Intrinsic::ID intrinsic = call->getIntrinsicID();
  return call->isInlineAsm() || intrinsic == llvm::Intrinsic::copysign ||
         intrinsic == llvm::Intrinsic::is_fpclass;
}

// Whether it holds of a type of floats that values of the type have.
bool AnyFloat(const llvm::Type* type, llvm::function_ref<bool(const llvm::Type*)> holds) {
  if (type->getScalarType()->isFloatingPointTy()) return holds(type->getScalarType());
  return llvm::any_of(type->subtypes(),
                      [&](const llvm::Type* part) { return AnyFloat(part, holds); });
}

// Whether it may make a NaN of numbers that are finite and of moderate size.
bool MayMakeNan(const llvm::Instruction& i) {
  const bool has_nan = llvm::any_of(i.operands(), [](const llvm::Use& use) {
    const auto* number = llvm::dyn_cast<llvm::ConstantFP>(use.get());
    return use->getType()->isVectorTy() || (number != nullptr && !number->getValueAPF().isFinite());
  });
  if (has_nan && i.getType()->isFPOrFPVectorTy()) return true;
  if (i.getOpcode() == llvm::Instruction::FDiv || i.getOpcode() == llvm::Instruction::FRem)
    return true;
  return llvm::isa<llvm::CallBase>(i) && i.getType()->isFPOrFPVectorTy();
}

bool AnyInstruction(const kernel::KernelIr& ir, bool (*is_wanted)(const llvm::Instruction&)) {
  return llvm::any_of(*ir.module, [&](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), is_wanted);
  });
}

bool IsFinite(const std::vector<hlo::Literal>& arguments) {
  return llvm::all_of(arguments, [](const hlo::Literal& argument) {
    if (!hlo::IsFloat(argument.shape().type) && !hlo::IsComplex(argument.shape().type)) return true;
    for (int64_t k = 0; k < argument.shape().NumElements(); ++k) {
      const hlo::Scalar value = hlo::Load(argument, k);
      if (!std::isfinite(value.re) || !std::isfinite(value.im)) return false;
    }
    return true;
  });
}

// Executes both kernels on the same memories.
class PairRun {
 public:
  PairRun(const KernelPair& pair, uint64_t seed, KernelComparison& comparison)
      : pair_(pair), seed_(seed), comparison_(comparison) {}

  void Run() {
    why_open_ = WhyValuesAreOpen(pair_);
    why_ = RunSets();
  }
  // Why it is not known whether they differ; empty where runs were compared, and nothing was found.
  const std::string& why() const { return why_; }

 private:
  std::string RunSets() {
    if (const kernel::ScalarParam* open = pair_.launch.FindOpenScalar())
      return "scalar '" + open->name + "' has a range, and no value to execute with";
    auto before = kernel::Emulator::Create(*pair_.before, pair_.launch);
    if (!before) return MessageOf(before.takeError());
    auto after = kernel::Emulator::Create(*pair_.after, pair_.launch);
    if (!after) return MessageOf(after.takeError());
    auto module = ModuleOfInputs(pair_.launch);
    if (!module) return MessageOf(module.takeError());
    const ArgumentSets sets(*(*module)->entry, seed_);
    for (int64_t k = 0; k < sets.size() + kFurtherSets && codes_ < kMostCodesOfPair; ++k) {
      RunOnce(*before, *after, sets.Make(k), k == 0 ? 0 : seed_ + static_cast<uint64_t>(k));
      if (comparison_.counterexample) return "";
    }
    if (comparison_.runs == 0) return why_not_here_;
    return why_left_open_;
  }

  Memories MemoriesOf(const std::vector<hlo::Literal>& arguments) const {
    Memories memories(static_cast<size_t>(pair_.launch.NumMemories()));
    size_t next = 0;
    for (const kernel::Param& param : pair_.launch.params) {
      if (param.role == kernel::Param::kInput)
        memories[param.memory] = ToBuffer(arguments[next++], param);
    }
    return memories;
  }

  kernel::EmulatorRun Run(const kernel::Emulator& emulator, Memories& memories,
                          kernel::EmulatorOptions options) {
    const Memories first = memories;
    kernel::EmulatorRun run = emulator.Run(memories, options);
    codes_ += run.codes;
    kernel::ConfirmUnspecified(run, [&](kernel::EmulatorOptions::Unspecified unspecified) {
      Memories again = first;
      options.unspecified = unspecified;
      return emulator.Run(again, options);
    });
    return run;
  }

  void RunOnce(const kernel::Emulator& before, const kernel::Emulator& after,
               const std::vector<hlo::Literal>& arguments, uint64_t order) {
    for (const hlo::Literal& argument : arguments) {
      if (argument.shape().type == hlo::PrimitiveType::kInvalid) {
        why_not_here_ = "an operand is too large to run";
        return;
      }
    }
    kernel::EmulatorOptions options;
    options.seed = order;
    options.most_jumps_back = MostJumps(pair_.launch);
    Memories of_before = MemoriesOf(arguments), of_after = of_before;
    const kernel::EmulatorRun first = Run(before, of_before, options);
    if (const kernel::Finding* finding = FindWrong(first)) {
      why_not_here_ = "the first kernel is wrong itself: " + finding->ToString();
      return;
    }
    const kernel::EmulatorRun second = Run(after, of_after, options);
    if (const kernel::Finding* finding = FindWrong(second)) {
      // A value in a race is not defined, and need not be used.
      if (finding->kind == kernel::Finding::Kind::kWrong && finding->claim != kernel::Claim::kRaces)
        return Refute(*finding);
      why_not_here_ = finding->ToString();
      return;
    }
    ++comparison_.runs;
    const auto any = [&](bool (*is_wanted)(const llvm::Instruction&)) {
      return AnyInstruction(*pair_.before, is_wanted) || AnyInstruction(*pair_.after, is_wanted);
    };
    const bool nans_may_show = (any(ShowsBitsOfFloats) || StoresFloatsAsOthers()) &&
                               (any(MayMakeNan) || !IsFinite(arguments));
    Compare(of_before, of_after, nans_may_show);
  }

  // Whether a float may lie in a result of another type, so that its bits are seen there.
  bool StoresFloatsAsOthers() const {
    const auto may_be_other = [&](const llvm::Type* type) {
      return llvm::any_of(pair_.launch.params, [&](const kernel::Param& param) {
        const bool is_float = hlo::IsFloat(param.shape.type) || hlo::IsComplex(param.shape.type);
        const auto part = static_cast<uint64_t>(hlo::BitWidth(hlo::PartType(param.shape.type)));
        return param.role == kernel::Param::kOutput &&
               (!is_float || part != type->getPrimitiveSizeInBits().getFixedValue());
      });
    };
    for (const kernel::KernelIr* ir : {pair_.before.get(), pair_.after.get()}) {
      for (const llvm::Function& function : *ir->module) {
        for (const llvm::Instruction& i : llvm::instructions(function)) {
          const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
          if (store != nullptr && AnyFloat(store->getValueOperand()->getType(), may_be_other))
            return true;
        }
      }
    }
    return false;
  }

  // The first finding that ends the run or makes it wrong. Elements that are never written are no
  // such finding: both kernels leave there what was there.
  static const kernel::Finding* FindWrong(const kernel::EmulatorRun& run) {
    auto found = llvm::find_if(run.findings, [](const kernel::Finding& finding) {
      return finding.kind != kernel::Finding::Kind::kWrong ||
             finding.claim != kernel::Claim::kWrites;
    });
    return found == run.findings.end() ? nullptr : &*found;
  }

  void Refute(const kernel::Finding& finding) {
    comparison_.reason = "the second kernel alone is wrong: " + finding.ToString();
    comparison_.counterexample = KernelCounterexample{.block = finding.block,
                                                      .thread = finding.thread,
                                                      .buffer = finding.buffer,
                                                      .element = finding.element,
                                                      .expected = "",
                                                      .actual = finding.what,
                                                      .line = finding.line,
                                                      .instruction = finding.instruction};
  }

  void Compare(const Memories& of_before, const Memories& of_after, bool nans_may_show) {
    for (size_t k = 0; k < pair_.launch.params.size(); ++k) {
      const kernel::Param& param = pair_.launch.params[k];
      if (param.role != kernel::Param::kOutput) continue;
      const hlo::Literal expected = FromBuffer(of_before[param.memory], param);
      const hlo::Literal actual = FromBuffer(of_after[param.memory], param);
      const int64_t size = expected.shape().NumElements();
      comparison_.elements += size;
      int64_t element = 0;
      while (element < size && IsSame(expected, actual, element)) ++element;
      if (element == size) continue;
      KernelCounterexample example;
      example.buffer =
          param.name.empty() ? "parameter " + std::to_string(pair_.launch.PlaceOf(k)) : param.name;
      example.element = element;
      example.expected = expected.ElementToString(element);
      example.actual = actual.ElementToString(element);
      const std::string text = "element " + std::to_string(element) + " of " + example.buffer +
                               " is " + example.actual + ", and " + example.expected +
                               " of the first kernel";
      if (why_open_.empty() && !nans_may_show) {
        comparison_.reason = text;
        comparison_.counterexample = std::move(example);
        return;
      }
      why_left_open_ = text + ", which is open: " +
                       (why_open_.empty() ? "the bits of a NaN may be seen" : why_open_);
    }
  }

  // To the bit, but for NaNs.
  static bool IsSame(const hlo::Literal& a, const hlo::Literal& b, int64_t element) {
    if (hlo::UlpDistance(a, b, element) != 0) return false;
    if (!hlo::IsFloat(a.shape().type) && !hlo::IsComplex(a.shape().type)) return true;
    const hlo::Scalar x = hlo::Load(a, element), y = hlo::Load(b, element);
    auto same_sign = [](double p, double q) {
      return std::isnan(p) || std::signbit(p) == std::signbit(q);
    };
    return same_sign(x.re, y.re) && same_sign(x.im, y.im);
  }

  const KernelPair& pair_;
  const uint64_t seed_;
  KernelComparison& comparison_;
  std::string why_, why_open_, why_not_here_, why_left_open_;
  int64_t codes_ = 0;
};

// Whether threads may access one element at the same place without a race, so that one of several
// is the last: NVPTX has volatile accesses as relaxed ones.
bool MayRaceRightly(const llvm::Instruction& i) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
    return store->isAtomic() || store->isVolatile();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return load->isAtomic();
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr || !call->isInlineAsm()) return llvm::isa<llvm::AtomicCmpXchgInst>(i);
  auto ptx = kernel::ReadInlinePtx(*call);
  if (!ptx) return llvm::consumeError(ptx.takeError()), true;
  return llvm::any_of(ptx->instructions, [](const kernel::PtxInstruction& instruction) {
    return instruction.is_strong && instruction.kind == kernel::PtxInstruction::Kind::kStore;
  });
}

// LangRef, "nofpclass": a float of these classes is poison.
bool ExcludesFloats(llvm::AttributeList attributes) {
  return llvm::any_of(attributes, [](llvm::AttributeSet of) {
    return of.hasAttribute(llvm::Attribute::NoFPClass);
  });
}

// A flag, metadata, attribute, function or order of threads by which an instruction may have
// another value than the one that is executed, or none.
bool IsLicensed(const llvm::Instruction& i) {
  // Sums of integers that nothing reads in between have one result in any order.
  if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
    return atomic->getOperation() != llvm::AtomicRMWInst::Add || !atomic->use_empty();
  if (MayRaceRightly(i)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call != nullptr && ExcludesFloats(call->getAttributes())) return true;
  const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&i);
  if (math == nullptr) return false;
  if (i.hasMetadata(llvm::LLVMContext::MD_fpmath)) return true;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (intrinsic != nullptr) {
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::fmuladd:
      case llvm::Intrinsic::maxnum:  // of zeros of two signs either
      case llvm::Intrinsic::minnum:
        return true;
      default:
        break;
    }
  }
  return math->hasAllowReassoc() || math->hasNoSignedZeros() || math->hasAllowReciprocal() ||
         math->hasAllowContract() || math->hasApproxFunc() || math->hasNoNaNs() ||
         math->hasNoInfs();
}

// The only kernel, or that of the name.
llvm::Expected<std::unique_ptr<kernel::KernelIr>> ReadIr(const std::string& file,
                                                         const kernel::Launch& launch) {
  auto text = ReadInput(file, "a kernel as LLVM IR");
  if (!text) return text.takeError();
  auto ir = kernel::ReadKernelIr(text->text, text->name, launch.kernel);
  if (!ir) return ir.takeError();
  return std::make_unique<kernel::KernelIr>(std::move(*ir));
}

}  // namespace

// How often each function is called that no standard rounds.
static bool IsApproximated(llvm::StringRef function) {
  const terms::Op operation = kernel::OperationOfFunction(function);
  if (operation != terms::Op::kNone) return terms::IsApproximated(operation);
  const kernel::MathFunction* math = kernel::FindMathFunction(function);
  if (math == nullptr) return false;
  // ".rn" and so on name how PTX rounds, where it does.
  if (function.starts_with("llvm.nvvm.")) return function.contains(".approx");
  static constexpr llvm::StringLiteral kExact[] = {
      "ceil", "fabs", "floor", "fma", "nearbyint", "rint", "round", "roundeven", "trunc"};
  return !llvm::is_contained(kExact, math->name);
}

static std::map<std::string, size_t> ApproximatedCalls(const kernel::KernelIr& ir) {
  std::map<std::string, size_t> calls;
  for (const llvm::Function& function : *ir.module) {
    if (function.isDeclaration() && !function.use_empty() && IsApproximated(function.getName()))
      calls[function.getName().str()] = function.getNumUses();
  }
  return calls;
}

std::string WhyValuesAreOpen(const KernelPair& pair) {
  if (const auto calls = ApproximatedCalls(*pair.before);
      !calls.empty() && calls != ApproximatedCalls(*pair.after))
    return "the value of " + calls.begin()->first + " is not exact";
  for (const llvm::Function& function : *pair.before->module) {
    if (ExcludesFloats(function.getAttributes()))
      return "'" + function.getName().str() + "' of the first kernel excludes floats by nofpclass";
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      if (IsLicensed(i))
        return "line " + std::to_string(pair.before->LineOf(&i)) +
               " of the first kernel allows other values";
    }
  }
  if (auto functions = kernel::FunctionsOfTwoLibraries(*pair.before, *pair.after))
    return *functions;
  if (kernel::FlushesDenormals(*pair.before)) return "denormals may be flushed to zero";
  return "";
}

llvm::Expected<KernelPair> LoadKernelPair(const KernelPairFiles& files) {
  auto text = ReadInput(files.launch, "a launch as JSON");
  if (!text) return text.takeError();
  auto launch = kernel::ParseLaunch(text->text, text->name);
  if (!launch) return launch.takeError();
  KernelPair pair;
  pair.launch = std::move(*launch);
  auto before = ReadIr(files.before, pair.launch);
  if (!before) return before.takeError();
  pair.before = std::move(*before);
  auto after = ReadIr(files.after, pair.launch);
  if (!after) return after.takeError();
  pair.after = std::move(*after);
  if (pair.launch.threads[0] == 0) {
    if (auto threads = kernel::RequiredThreads(*pair.before)) pair.launch.threads = *threads;
  }
  for (const kernel::KernelIr* ir : {pair.before.get(), pair.after.get()}) {
    if (llvm::Error error = kernel::CheckFits(*ir, pair.launch)) return error;
  }
  return pair;
}

KernelComparison CompareKernels(const KernelPair& pair, uint64_t seed) {
  KernelComparison comparison;
  const kernel::Stopwatch watch;
  const kernel::SameKernelProof proof =
      kernel::ProveSameKernel(*pair.before, *pair.after, pair.launch, {});
  comparison.ms = watch.Ms();
  comparison.engine = "terms";
  PairRun run(pair, seed, comparison);
  run.Run();
  if (comparison.counterexample) {
    comparison.verdict = Verdict::kRefuted;
    comparison.engine = "emulator";
    if (proof.same) comparison.reason += " (a proof says the opposite: this is an error of affirm)";
    return comparison;
  }
  if (proof.same) {
    comparison.verdict = Verdict::kProved;
    return comparison;
  }
  comparison.reason = "not proved: " + proof.reason;
  if (run.why().empty() && comparison.elements > 0)
    comparison.verdict = Verdict::kExecuted;
  else
    comparison.reason += "; " + run.why();
  return comparison;
}

}  // namespace affirm::driver
