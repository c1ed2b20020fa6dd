#include "verify/kernel/lift/lift.h"

#include "core/symbolic/error.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/lift/load_times.h"
#include "verify/kernel/promises.h"
#include "verify/kernel/scalar_argument.h"
#include "verify/kernel/scalar_value.h"

namespace affirm::kernel {

namespace {

// Stops retrying an obligation after this many failures.
constexpr int64_t kMostFailures = 64;

// The buffer number in loads of scalar arguments: element k is argument k of the kernel.
constexpr int64_t kLoadsByValue = -2000;

// Whether the kernel uses shared memory, or waits for other threads.
bool Cooperates(const KernelIr& ir) {
  for (const llvm::GlobalVariable& variable : ir.module->globals()) {
    if (variable.getAddressSpace() == 3 && !variable.use_empty()) return true;
  }
  for (const llvm::Function& function : *ir.module) {
    if (!function.use_empty() && ClassifyCallee(function).kind == Callee::Kind::kWait) return true;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && call->isInlineAsm() && WaitsForWarp(*call)) return true;
    }
  }
  return false;
}

}  // namespace

Lifter::Lifter(const KernelIr& ir, const Launch& launch, terms::Pool& pool,
               const LiftOptions& options)
    : ir_(ir),
      launch_(launch),
      pool_(pool),
      options_(options),
      scope_(pool),
      layout_(ir.module->getDataLayout()),
      lanes_(LanesOf(ir).value_or(0)) {}

Value Lifter::Fail(const llvm::Instruction& instruction, const llvm::Twine& why) {
  if (!error_.empty()) return {};
  std::string text;
  llvm::raw_string_ostream(text) << instruction;
  error_ = (ir_.where + ":" + llvm::Twine(ir_.LineOf(&instruction)) + ":1: error: unknown: " + why +
            ": '" + llvm::StringRef(text).trim() + "'")
               .str();
  return {};
}

llvm::Error Lifter::Prepare() {
  auto fail = [&](const llvm::Twine& why) { return MakeError(ir_.where + ":1:1: error: " + why); };
  if (launch_.NumBlocks() <= 0 || launch_.NumThreads() <= 0)
    return fail("the launch says no grid, expected the numbers of blocks and threads");
  if (launch_.NumThreads() > 1024) return fail("more than 1024 threads in a block");
  if (llvm::Error error = CheckArguments(ir_, launch_)) return error;
  auto first_of = [&](int64_t memory) {
    for (size_t k = 0; k < launch_.params.size(); ++k) {
      if (launch_.params[k].memory == memory) return static_cast<int64_t>(k);
    }
    return int64_t{0};
  };
  for (const llvm::Argument& argument : ir_.kernel->args()) {
    if (const ScalarParam* scalar = launch_.ScalarOf(argument.getArgNo())) {
      arguments_.push_back(ByValue(argument, *scalar));
      continue;
    }
    const Param& param = *ParamOf(argument, launch_);
    Memory memory;
    memory.bytes = param.bytes;
    memory.alignment = AlignmentOf(argument, param);
    memory.param = &param;
    memory.buffer = memory.initial = first_of(param.memory);
    for (const Param& other : launch_.params) {
      if (other.memory != param.memory) continue;
      memory.written |= other.role == Param::kOutput;
      const bool other_type = other.shape.type != param.shape.type;
      if (other.role == Param::kOutput && other_type) memory.stored_as = &other;
      if (other.starts_as) memory.initial = first_of(launch_.params[*other.starts_as].memory);
    }
    arguments_.push_back(Value::Pointer(static_cast<uint32_t>(memories_.size()), pool_.Number(0)));
    memories_.push_back(memory);
  }
  bool has_dynamic = false;
  for (const llvm::GlobalVariable& variable : ir_.module->globals()) {
    Memory memory;
    memory.variable = &variable;
    memory.bytes =
        static_cast<int64_t>(layout_.getTypeAllocSize(variable.getValueType()).getFixedValue());
    memory.alignment = static_cast<int64_t>(
        variable.getAlign() ? variable.getAlign()->value()
                            : layout_.getABITypeAlign(variable.getValueType()).value());
    memory.kind = variable.isConstant() && variable.hasDefinitiveInitializer()
                      ? Memory::Kind::kConstant
                      : Memory::Kind::kShared;
    if (memory.kind == Memory::Kind::kShared) {
      if (variable.getAddressSpace() != 3) continue;  // an access is an error
      if (memory.bytes == 0) {
        // Two of them would share an address, but LLVM assumes distinct objects.
        if (has_dynamic) return MakeError("dynamic shared memory has two variables");
        has_dynamic = true;
        memory.bytes = launch_.shared_bytes;
      }
    }
    variables_[&variable] = static_cast<uint32_t>(memories_.size());
    memories_.push_back(memory);
  }
  return llvm::Error::success();
}

// The value of a scalar argument: its number if given; else a variable with the launch's range for
// an integer, and a symbolic load for a float.
Value Lifter::ByValue(const llvm::Argument& argument, const ScalarParam& scalar) {
  if (scalar.IsGiven()) return ConstantValue(ConstantOf(argument, scalar.lo));
  if (hlo::IsFloat(scalar.type)) {
    return Value::Data(
        pool_.Load(kLoadsByValue, pool_.Number(argument.getArgNo()), TypeOf(argument.getType())));
  }
  const std::string name = kVariableByValue.str() + std::to_string(argument.getArgNo());
  if (argument.getType()->isIntegerTy(1))
    return Value::Condition(pool_.AtLeast(pool_.Variable(name, {0, 1}), pool_.Number(1)));
  return Value::Integer(pool_.Variable(
      name, {ScalarInteger(scalar.lo, scalar.type), ScalarInteger(scalar.hi, scalar.type)}));
}

Value Lifter::Identity(int dimension, bool of_block) {
  const auto& sizes = of_block ? launch_.grid : launch_.threads;
  if (!of_block && thread_->number >= 0) {
    int64_t n = thread_->number;
    for (int d = 0; d < dimension; ++d) n /= sizes[d];
    return Value::Integer(pool_.Number(n % sizes[dimension]));
  }
  static constexpr const char* kNames[] = {"th_x", "th_y", "th_z", "bl_x", "bl_y", "bl_z"};
  return Value::Integer(
      pool_.Variable(kNames[dimension + (of_block ? 3 : 0)], {0, sizes[dimension] - 1}));
}

LiftThread Lifter::NewThread(int64_t number) {
  LiftThread thread;
  thread.number = number;
  LiftFrame frame;
  frame.function = &InfoOf(*ir_.kernel);
  frame.registers.resize(frame.function->numbers.size());
  for (const llvm::Argument& argument : ir_.kernel->args()) {
    frame.registers[frame.function->numbers.lookup(&argument)] = arguments_[argument.getArgNo()];
  }
  frame.block = &ir_.kernel->getEntryBlock();
  frame.at = frame.block->begin();
  thread.frames.push_back(std::move(frame));
  return thread;
}

bool Lifter::Oblige(Obligation::Claim claim, const char* what, Term condition) {
  Obligation& obligation = obligations_.At(claim, what, *now_, ir_.LineOf(now_));
  ++obligation.times;
  // The claim is open already; an unrolled loop would raise it in each iteration.
  if (obligation.failed >= kMostFailures) {
    ++obligation.failed;
    return false;
  }
  changed_nans_.NoteDecided(condition);
  if (condition == pool_.True() || Proves(scope_, condition) || decider_.Proves(scope_, condition))
    return true;
  if (++obligation.failed == 1) {
    obligation.condition = condition;
    obligation.facts.assign(scope_.facts().begin(), scope_.facts().end());
    obligation.thread = thread_->number;
  }
  return false;
}

void Lifter::Met(Obligation::Claim claim, const char* what) {
  ++obligations_.At(claim, what, *now_, ir_.LineOf(now_)).times;
}

bool Lifter::Unproved(Obligation::Claim claim, const char* what, const llvm::Twine& detail) {
  Obligation& obligation = obligations_.At(claim, what, *now_, ir_.LineOf(now_));
  ++obligation.times;
  if (++obligation.failed == 1) {
    obligation.detail = detail.str();
    obligation.facts.assign(scope_.facts().begin(), scope_.facts().end());
    obligation.thread = thread_->number;
  }
  return false;
}

bool Lifter::ObligeInside(const char* what, Term integer, Int128 lo, Int128 hi) {
  terms::Range range = integer->IsNumber() ? integer->range : scope_.RangeOf(integer);
  if (range.lo >= lo && range.hi <= hi) {
    changed_nans_.NoteDecided(integer);
    Met(Obligation::Claim::kIntegers, what);
    return true;
  }
  return Oblige(Obligation::Claim::kIntegers, what,
                pool_.And({pool_.AtLeast(integer, pool_.Number(lo)),
                           pool_.AtLeast(pool_.Number(hi), integer)}));
}

bool Lifter::LiftByThread(LiftedKernel& lifted) {
  LiftThread thread = NewThread(launch_.NumThreads() == 1 ? 0 : -1);
  thread_ = &thread;
  Outcome outcome = Run(thread, 0, nullptr, false);
  if (outcome == Outcome::kWaits) {
    Fail(*now_, "a thread that waits for others is lifted by block");
  }
  if (failed()) return false;
  ExpressStoresInInitialContents(pool_, effects_);
  lifted.cases.push_back({{}, std::move(effects_), {}, std::move(accesses_)});
  return true;
}

bool Lifter::LiftByBlock(LiftedKernel& lifted) {
  by_block_ = true;
  // Pending cases: the facts to restore, and the fact to add.
  struct Next {
    size_t saved;
    Term fact;
  };
  std::vector<Next> next = {{scope_.Save(), pool_.True()}};
  Obligations all;
  while (!next.empty()) {
    Next now = next.back();
    next.pop_back();
    scope_.Restore(now.saved);
    if (!scope_.Assume(now.fact)) continue;
    obligations_ = {};
    constants_.clear();  // so that their obligations are raised again
    effects_.clear();
    choices_.clear();
    accesses_.clear();
    changed_nans_.BeginCase();
    bool done = RunBlock();
    if (!error_.empty()) return false;
    if (done) {
      all.Merge(std::move(obligations_));
      ExpressStoresInInitialContents(pool_, effects_);
      lifted.cases.push_back({std::vector<Term>(scope_.facts().begin(), scope_.facts().end()),
                              std::move(effects_), std::move(choices_), std::move(accesses_)});
      continue;
    }
    if (static_cast<int64_t>(lifted.cases.size() + next.size()) >= options_.max_cases) {
      split_ = nullptr;
      Fail(*now_, "more cases than " + llvm::Twine(options_.max_cases));
      return false;
    }
    size_t saved = scope_.Save();
    next.push_back({saved, pool_.Not(split_)});
    next.push_back({saved, split_});
    split_ = nullptr;
  }
  obligations_ = std::move(all);
  return true;
}

llvm::Expected<LiftedKernel> Lifter::Lift() {
  if (llvm::Error error = Prepare()) return error;
  LiftedKernel lifted;
  using By = LiftOptions::By;
  lifted.by_block = options_.by == By::kBlock || (options_.by == By::kAuto && Cooperates(ir_));
  bool done = lifted.by_block ? LiftByBlock(lifted) : LiftByThread(lifted);
  if (!done) return MakeError(error_);
  JudgePromises();
  lifted.obligations = obligations_.Take();
  if (decider_.proved() > 0) lifted.decider = affirm::Name(decider_.engine());
  lifted.steps = steps_;
  lifted.changed_nans = std::move(changed_nans_);
  return lifted;
}

llvm::Expected<LiftedKernel> Lift(const KernelIr& ir, const Launch& launch, terms::Pool& pool,
                                  const LiftOptions& options) {
  return Lifter(ir, launch, pool, options).Lift();
}

}  // namespace affirm::kernel
