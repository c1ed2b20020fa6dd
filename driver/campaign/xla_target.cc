#include "driver/campaign/xla_target.h"

#include <optional>
#include <set>

#include "core/hlo/text.h"
#include "driver/campaign/module_target.h"
#include "driver/dump/dump.h"
#include "driver/dump/row_text.h"
#include "driver/errors.h"
#include "driver/shell_command.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

namespace {

// The first fault, in words, and its bucket.
Outcome OutcomeOf(const WrongPart& wrong) {
  std::string text;
  if (wrong.pass) {
    const PassRow& row = *wrong.pass;
    const ExecutedDifference& difference = *row.equivalence.difference;
    llvm::raw_string_ostream os(text);
    os << "pass " << (row.pass.empty() ? "pipeline" : row.pass) << " changes the result: element [";
    llvm::interleave(difference.index, os, ",");
    os << "] of result " << difference.leaf << " is " << difference.a << " before and "
       << difference.b << " after, on set " << difference.set << " (" << difference.kind
       << ") of the arguments";
    for (const auto& [name, value] : difference.arguments) os << "\n" << name << " = " << value;
    return {Outcome::Kind::kFinding, "pass " + row.pass + " changes the result", text};
  }
  if (wrong.buffer) {
    text = wrong.buffer->overwritten_by + " is written over " + wrong.buffer->value + ", which " +
           wrong.buffer->read_by + " reads afterwards";
    return {Outcome::Kind::kFinding, "a buffer is overwritten too early", text};
  }
  if (wrong.emitter) {
    const std::vector<EmitterLog::Wrong> claims = wrong.emitter->WrongClaims();
    const EmitterLog::Wrong& first = claims.front();
    text = first.name + " of the emitter of " + wrong.emitter->kernel + ": " + first.claim->what +
           ", " + first.claim->counterexample;
    return {Outcome::Kind::kFinding, "emitter: " + first.name, text};
  }
  if (wrong.copy) {
    return {Outcome::Kind::kFinding, "copy of a slice: " + BucketOf(wrong.copy->reason),
            "copy " + wrong.copy->instruction + ": " + wrong.copy->reason};
  }
  if (wrong.constant) {
    const std::string text = "constant " + wrong.constant->instruction;
    return {Outcome::Kind::kFinding, "a constant of another value",
            text + ": " + wrong.constant->reason};
  }
  if (wrong.run)
    return {Outcome::Kind::kFinding, "the run of the compiled program", RunText(*wrong.run)};
  const KernelRow& row = *wrong.kernel;
  return {Outcome::Kind::kFinding, "kernel: " + BucketOf(row.reason),
          "kernel " + row.kernel + ": " + row.reason};
}

// Something of which not even a run says anything.
std::optional<Outcome> UncheckedOf(const DumpResult& result) {
  auto unknown = [](const std::string& what, const std::string& reason) {
    return Outcome{Outcome::Kind::kUnknown, what + ": " + BucketOf(reason), what + ": " + reason};
  };
  for (const DumpModule& module : result.modules) {
    for (const PassRow& row : module.passes) {
      if (row.verdict == Verdict::kUnknown) return unknown("pass " + row.pass, row.reason);
    }
    for (const KernelRow& row : module.kernels) {
      if (!row.validation) return unknown("kernel", row.reason);
      if (row.verdict == Verdict::kUnknown && row.validation->executed.runs == 0)
        return unknown("kernel", row.reason);
    }
  }
  return std::nullopt;
}

// The begin of a reason, without the line of the kernel and the terms.
std::string KindOf(llvm::StringRef reason) {
  for (const char* of_terms : {" not proved:", " is not known:"}) {
    const size_t at = reason.find(of_terms);
    reason =
        reason.take_front(at == llvm::StringRef::npos ? at : at + llvm::StringRef(of_terms).size());
  }
  return BucketOf(reason.str());
}

// The verdict, and once for each kind what is not proved of a pass or kernel.
std::vector<std::string> NotesOn(const DumpResult& result) {
  std::set<std::string> notes = {std::string("verdict ") + Name(result.verdict)};
  for (const DumpModule& module : result.modules) {
    for (const PassRow& row : module.passes) {
      if (row.verdict == Verdict::kUnknown)
        notes.insert("pass " + row.pass + " unknown: " + KindOf(row.reason));
    }
    for (const KernelRow& row : module.kernels) {
      if (row.verdict == Verdict::kUnknown) notes.insert("kernel unknown: " + KindOf(row.reason));
    }
  }
  return {notes.begin(), notes.end()};
}

Outcome WithNotes(Outcome outcome, std::vector<std::string> notes) {
  outcome.notes = std::move(notes);
  return outcome;
}

class XlaTarget : public ModuleTarget {
 public:
  XlaTarget(const fuzz::HloLimits& limits, uint64_t seed, XlaCompiler compiler)
      : ModuleTarget(limits, {.max_tests = kMostCompiled, .progress = {}}),
        compiler_(std::move(compiler)) {
    options_.seed = seed;
  }

  // A pass may leave an array of millions of elements, which is executed before and after it.
  int cpu_seconds() const override { return 60; }
  size_t batch() const override { return kBatch; }
  void Prepare(llvm::ArrayRef<std::string> texts) override { compiler_.Prepare(texts); }

  Outcome Check(const std::string& text) override {
    Outcome outcome = CheckDumpOf(text, /*passes=*/false);
    // A dump of the HLO around each pass shows which one is wrong.
    const bool of_passes = llvm::StringRef(outcome.bucket).starts_with("pass ");
    if (outcome.kind == Outcome::Kind::kFinding && of_passes) {
      Outcome of_pass = CheckDumpOf(text, /*passes=*/true);
      if (of_pass.kind == Outcome::Kind::kFinding) outcome = std::move(of_pass);
    }
    compiler_.Forget(text);
    return outcome;
  }

  bool ReducesUnknown() const override { return false; }
  std::string Replay(const std::string& file) const override {
    const llvm::StringRef name = llvm::StringRef(file).rsplit('/').second.rsplit('.').first;
    return compiler_.command() + " --passes --out dump " + ShellQuoted(file) + " && affirm xla " +
           ShellQuoted(("dump/" + name).str()) + " --source " + ShellQuoted(file) + " --seed " +
           std::to_string(options_.seed);
  }

 private:
  static constexpr size_t kBatch = 32;
  static constexpr int64_t kMostCompiled = 200;  // to make one module small, a second or two each

  Outcome CheckDumpOf(const std::string& text, bool passes) const {
    using Kind = XlaCompiler::Result::Kind;
    auto compiled = compiler_.Compile(text, passes);
    if (!compiled) return FindingIn("compiler", MessageOf(compiled.takeError()));
    if (compiled->kind == Kind::kRefused)
      return WithNotes({}, {"refused: " + BucketOf(compiled->detail)});
    if (compiled->kind != Kind::kDump) {
      return {compiled->kind == Kind::kCrash ? Outcome::Kind::kCrash : Outcome::Kind::kHang,
              "XLA: " + BucketOf(compiled->detail), "XLA: " + compiled->detail};
    }
    auto modules = FindModules(compiled->folder);
    if (!modules) return FindingIn("dump", MessageOf(modules.takeError()));
    std::string not_imported;
    if (llvm::Error error = AddSourceText(*modules, compiled->folder, text, options_))
      not_imported = "import not compared: " + BucketOf(MessageOf(std::move(error)));
    const DumpResult result = CheckDump(*modules, options_, [](const std::string&) {});
    if (auto wrong = FirstWrong(result)) return OutcomeOf(*wrong);
    std::vector<std::string> notes = NotesOn(result);
    if (!not_imported.empty()) notes.push_back(not_imported);
    return WithNotes(UncheckedOf(result).value_or(Outcome{}), std::move(notes));
  }

  XlaCompiler compiler_;
  DumpOptions options_;
};

}  // namespace

std::unique_ptr<FuzzTarget> MakeXlaTarget(const fuzz::HloLimits& limits, uint64_t seed,
                                          XlaCompiler compiler) {
  return std::make_unique<XlaTarget>(limits, seed, std::move(compiler));
}

}  // namespace affirm::driver
