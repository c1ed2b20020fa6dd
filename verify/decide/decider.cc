// The portfolio: which engines are asked about a query, and in which order. And the first of
// them, interval analysis of normal forms, which proves what needs no search.
#include "verify/decide/decider.h"

#include <chrono>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "verify/decide/engines.h"
#include "verify/decide/evaluate.h"
#include "verify/decide/linear_normal_form.h"
#include "verify/decide/proved_claims.h"

namespace affirm {

const char* Name(Engine e) {
  switch (e) {
    case Engine::kIntervalAnalysis:
      return "interval analysis";
    case Engine::kEnumeration:
      return "enumeration";
    case Engine::kZ3:
      return "z3";
    case Engine::kIsl:
      break;
  }
  return "isl";
}

std::string EngineDisagreement::ToString() const {
  return std::string("engines disagree: ") + Name(first) + " says " + Name(first_says) + ", " +
         Name(second) + " says " + Name(second_says);
}

void AddReason(std::string& reasons, llvm::StringRef reason) {
  if (reason.empty() || llvm::StringRef(reasons).contains(reason)) return;
  if (!reasons.empty()) reasons += "; ";
  reasons += reason;
}

namespace {

// Whether f holds (or fails) at every point by the bounds of its normal form; nullopt when they do
// not tell.
std::optional<bool> HoldsByBounds(const SolverQuery& query, const Formula& f,
                                  LinearNormalForm& normal) {
  switch (f.kind()) {
    case Formula::Kind::kTrue:
      return true;
    case Formula::Kind::kFalse:
      return false;
    case Formula::Kind::kEq:
    case Formula::Kind::kLe: {
      const LinearForm* lhs = normal.Lower(f.lhs());
      if (!lhs) return std::nullopt;
      LinearForm a = *lhs;
      const LinearForm* rhs = normal.Lower(f.rhs());
      if (!rhs) return std::nullopt;
      BigInterval range = normal.Bounds(a - *rhs);
      if (f.kind() == Formula::Kind::kEq) {
        if (range.Excludes(BigInt(0))) return false;
        bool zero = range.lower && range.upper && *range.lower == 0 && *range.upper == 0;
        return zero ? std::optional<bool>(true) : std::nullopt;
      }
      if (range.upper && *range.upper <= 0) return true;
      if (range.lower && *range.lower > 0) return false;
      return std::nullopt;
    }
    case Formula::Kind::kNot: {
      auto v = HoldsByBounds(query, f.parts()[0], normal);
      return v ? std::optional<bool>(!*v) : std::nullopt;
    }
    case Formula::Kind::kAnd:
    case Formula::Kind::kOr: {
      bool decisive = f.kind() == Formula::Kind::kOr;
      std::optional<bool> result = !decisive;
      for (const Formula& part : f.parts()) {
        auto v = HoldsByBounds(query, part, normal);
        if (v == decisive) return decisive;
        if (!v) result = std::nullopt;
      }
      return result;
    }
    case Formula::Kind::kExists: {
      for (int64_t k : f.bound()) {
        if (query.variables[k].IsEmpty()) return false;
      }
      return HoldsByBounds(query, f.parts()[0], normal);
    }
  }
  return std::nullopt;
}

bool Same(const Formula& a, const Formula& b) {
  if (a.kind() != b.kind() || a.lhs() != b.lhs() || a.rhs() != b.rhs()) return false;
  if (a.bound() != b.bound() || a.parts().size() != b.parts().size()) return false;
  for (size_t i = 0; i < a.parts().size(); ++i) {
    if (!Same(a.parts()[i], b.parts()[i])) return false;
  }
  return true;
}

// The parts of a conjunction; the formula itself when it is none.
llvm::ArrayRef<Formula> Conjuncts(const Formula& f) {
  return f.kind() == Formula::Kind::kAnd ? f.parts() : llvm::ArrayRef<Formula>(f);
}

// Whether the claim is an implication whose conclusions all stand among its hypotheses.
bool IsGiven(const Formula& claim) {
  if (claim.kind() != Formula::Kind::kOr) return false;
  std::vector<Formula> given;
  for (const Formula& part : claim.parts()) {
    if (part.kind() == Formula::Kind::kNot) llvm::append_range(given, Conjuncts(part.parts()[0]));
  }
  auto is_given = [&](const Formula& f) {
    return llvm::any_of(given, [&](const Formula& g) { return Same(f, g); });
  };
  return llvm::any_of(claim.parts(), [&](const Formula& part) {
    return part.kind() != Formula::Kind::kNot && llvm::all_of(Conjuncts(part), is_given);
  });
}

bool Settled(const SolverResult& a) { return a.verdict != Verdict::kUnknown; }

// The engines that search, as far as `options` admits them, in order, until one settles the query.
SolverResult AskSearching(const SolverQuery& query, const DecideOptions& options) {
  auto wanted = [&](Engine e) { return !options.only || *options.only == e; };
  SolverResult answer;
  answer.reason = "the bounds do not tell";
  std::string reasons;
  auto ask = [&](SolverResult next) {
    AddReason(reasons, next.reason);
    answer = std::move(next);
    return Settled(answer);
  };
  if (wanted(Engine::kEnumeration)) {
    if (ask(DecideByEnumeration(query, options.budget))) return answer;
    if (ask(DecideBySampling(query))) return answer;
  }
  if (wanted(Engine::kZ3) && ask(DecideWithZ3(query, options.budget))) return answer;
  if (wanted(Engine::kIsl) && ask(DecideWithIsl(query, options.budget))) return answer;
  if (!reasons.empty()) answer.reason = reasons;
  return answer;
}

// Interval analysis, and where it does not tell what is known or the others find.
SolverResult AskInOrder(const SolverQuery& query, const DecideOptions& options) {
  if (options.only.value_or(Engine::kIntervalAnalysis) == Engine::kIntervalAnalysis) {
    SolverResult answer = DecideByIntervalAnalysis(query);
    if (Settled(answer)) return answer;
  }
  if (options.proved == nullptr || options.only) return AskSearching(query, options);
  const std::string encoding = EncodingOf(query);
  if (const std::optional<Engine> engine = options.proved->Find(encoding))
    return {.verdict = Verdict::kProved, .engine = *engine};
  SolverResult answer = AskSearching(query, options);
  if (answer.verdict == Verdict::kProved) options.proved->Add(encoding, answer.engine);
  return answer;
}

// Asks every engine and compares what they say.
SolverResult AskAll(const SolverQuery& query, const DecideOptions& options) {
  SolverResult answers[] = {DecideByIntervalAnalysis(query),
                            DecideByEnumeration(query, options.budget), DecideBySampling(query),
                            DecideWithZ3(query, options.budget),
                            DecideWithIsl(query, options.budget)};
  SolverResult result;
  std::string reasons;
  for (SolverResult& a : answers) {
    if (!Settled(a)) {
      AddReason(reasons, a.reason);
    } else if (!Settled(result)) {
      result = a;
    } else if (result.verdict != a.verdict) {
      const EngineDisagreement found = {.first = result.engine,
                                        .second = a.engine,
                                        .first_says = result.verdict,
                                        .second_says = a.verdict};
      return {.engine = a.engine, .reason = found.ToString(), .disagreement = found};
    }
  }
  if (!Settled(result)) result.reason = reasons;
  return result;
}

}  // namespace

void WriteSmtLib(const SolverQuery& query, Verdict answer, const std::string& directory) {
  if (directory.empty()) return;
  std::string script = ToSmtLib(query);
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, llvm::utohexstr(llvm::xxh3_64bits(script), true) + ".smt2");
  std::error_code error = llvm::sys::fs::create_directories(directory);
  if (error) return;  // the answer does not depend on the copy
  llvm::raw_fd_ostream file(path, error);
  if (error) return;
  const char* status = answer == Verdict::kProved    ? "unsat"
                       : answer == Verdict::kRefuted ? "sat"
                                                     : "unknown";
  file << "(set-info :status " << status << ")\n" << script;
}

SolverResult DecideByIntervalAnalysis(const SolverQuery& query) {
  SolverResult answer{.engine = Engine::kIntervalAnalysis, .reason = "the bounds do not tell"};
  LinearNormalForm normal(query.variables);
  if (FindVariables(query).vacuous || IsGiven(query.claim) ||
      HoldsByBounds(query, query.claim, normal) == true) {
    answer.verdict = Verdict::kProved;
    answer.reason.clear();
  }
  return answer;
}

SolverResult Confirm(const SolverQuery& query, SolverResult answer, const Budget& budget) {
  if (answer.verdict != Verdict::kRefuted) return answer;
  UsedVariables used = FindVariables(query);
  bool inside = answer.counterexample.size() == query.variables.size();
  for (int64_t k : used.free) {
    inside = inside && query.variables[k].Contains(answer.counterexample[k]);
  }
  std::optional<bool> holds;
  if (inside) {
    CompleteCounterexample(query, used, answer.counterexample);
    // Quantifiers at one point may cost what a whole small query costs, and more.
    holds = EvaluateClaim(query, answer.counterexample, 16 * budget.enumeration_points);
    if (holds == false) return answer;
  }
  const char* what = !inside ? "lies outside the bounds"
                     : holds ? "does not refute the claim"
                             : "could not be evaluated";
  return {.engine = answer.engine,
          .reason = std::string(Name(answer.engine)) + ": its counterexample " + what};
}

SolverResult Decide(const SolverQuery& query, const DecideOptions& options) {
  auto start = std::chrono::steady_clock::now();
  SolverResult answer;
  if (auto problem = FindProblem(query)) {
    answer.reason = *problem;
  } else {
    answer = options.cross_check ? AskAll(query, options) : AskInOrder(query, options);
    WriteSmtLib(query, answer.verdict, options.smt2_directory);
  }
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  answer.ms = spent.count();
  return answer;
}

}  // namespace affirm
