// Reads an answer, proves it equal to the map, and names the fault where it is not.
#include "driver/oracle/judge.h"

#include <numeric>

#include "core/indexing/map_text.h"
#include "driver/errors.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

using State = IndexingMap::State;

struct KindText {
  const char* name;
  const char* meaning;
};

KindText TextOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kResultWrong:
      return {"result wrong", "at a point of the domain the answer gives other results"};
    case FaultKind::kResultsLost:
      return {"results lost", "at a point of the domain the answer gives fewer results"};
    case FaultKind::kResultsAdded:
      return {"results added", "at a point of the domain the answer gives more results"};
    case FaultKind::kDomainGrown:
      return {"domain grown", "the answer has results where the map has none"};
    case FaultKind::kDomainShrunk:
      return {"domain shrunk", "the answer has no results where the map has some"};
    case FaultKind::kConstraintDropped:
      return {"constraint dropped", "the answer lacks a constraint that matters"};
    case FaultKind::kDeclaredEmpty:
      return {"declared empty", "the answer says that the domain is empty, and it is not"};
    case FaultKind::kVariablesChanged:
      return {"variables changed", "the answer is a function of other dims or runtime variables"};
    case FaultKind::kNumberOfResults:
      return {"number of results changed", "the answer has more or fewer results than the map"};
    case FaultKind::kUndefined:
      return {"undefined", "one of map and answer is undefined"};
    case FaultKind::kCrash:
      return {"crash", "the program ended with a status that is not 0, or by a signal"};
    case FaultKind::kHang:
      return {"hang", "the program did not end in time"};
    case FaultKind::kTooMuch:
      return {"too much output", "the program printed far more than the map"};
    case FaultKind::kMissing:
      return {"no answer", "the program printed no map for this one"};
    case FaultKind::kSurplus:
      return {"several answers", "the program printed more than one map for this one"};
    case FaultKind::kUnreadable:
      return {"unreadable", "what the program printed is no map"};
    case FaultKind::kDependsOnBatch:
      return {"depends on other maps", "the answer depends on which maps were asked about before"};
    case FaultKind::kNotIdempotent:
      return {"not idempotent", "the program simplifies its own answer to another text"};
  }
  return {"", ""};
}

Judgment Fault(FaultKind kind, const std::string& answer, std::string detail) {
  return {Judgment::Kind::kFault, kind, answer, std::move(detail), std::nullopt};
}

// The map with these runtime variables as well: `kept[i]` says where its i-th goes among them, the
// others have the bounds given.
IndexingMap WithRuntimeVariables(const IndexingMap& map, const std::vector<Variable>& all,
                                 llvm::ArrayRef<size_t> kept) {
  std::vector<Variable> runtime = all;
  for (size_t i = 0; i < kept.size(); ++i) runtime[kept[i]] = map.runtime()[i];
  Context& context = *map.context();
  auto move = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t i) -> SymbolicExpr {
      if (kind != VarKind::kRuntime) return {};
      return context.Runtime(static_cast<int64_t>(kept[static_cast<size_t>(i)]));
    });
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(move(e));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) constraints.push_back({move(c.expr), c.bounds});
  return IndexingMap(context, results, map.dims(), map.ranges(), runtime, constraints);
}

// Steps through the ways to choose kept.size() of n numbers, in order; false behind the last.
bool NextChoice(std::vector<size_t>& kept, size_t n) {
  for (size_t i = kept.size(); i-- > 0;) {
    if (kept[i] >= n - kept.size() + i) continue;
    ++kept[i];
    for (size_t j = i + 1; j < kept.size(); ++j) kept[j] = kept[j - 1] + 1;
    return true;
  }
  return false;
}

// ProveEqual, with runtime variables left out in whatever way makes the maps equal.
MapProofResult ProveAnswer(const IndexingMap& map, const IndexingMap& answer,
                           const DecideOptions& decide) {
  const size_t all = map.runtime().size(), some = answer.runtime().size();
  const bool fewer = map.state() == State::kNormal && answer.state() == State::kNormal &&
                     some < all && map.dims().size() == answer.dims().size();
  if (!fewer) return ProveEqual(map, answer, decide);
  std::vector<size_t> kept(some);
  std::iota(kept.begin(), kept.end(), 0);
  std::optional<MapProofResult> best;
  do {
    MapProofResult result =
        ProveEqual(map, WithRuntimeVariables(answer, map.runtime(), kept), decide);
    if (result.verdict == Verdict::kProved) return result;
    const bool better =
        !best || (best->verdict == Verdict::kRefuted && result.verdict == Verdict::kUnknown);
    if (better) best = std::move(result);
  } while (NextChoice(kept, all));
  return *best;
}

// Whether the answer is the map without one or more of its constraints.
bool LacksConstraints(const IndexingMap& map, const IndexingMap& answer) {
  if (answer.constraints().size() >= map.constraints().size()) return false;
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    if (map.vars(kind) != answer.vars(kind)) return false;
  }
  return llvm::all_of(answer.constraints(), [&](const Constraint& c) {
    return llvm::is_contained(map.constraints(), c);
  });
}

// The map at one point of its dims and runtime variables.
IndexingMap AtPoint(IndexingMap map, const MapCounterexample& point) {
  auto fix = [&](VarKind kind, llvm::ArrayRef<int64_t> values) {
    for (size_t i = 0; i < values.size() && i < map.vars(kind).size(); ++i) {
      if (map.state() != State::kNormal) return;
      map.SetBounds(kind, static_cast<int64_t>(i),
                    map.vars(kind)[i].bounds.Intersect(Interval::Point(values[i])));
    }
  };
  fix(VarKind::kDim, point.dims);
  fix(VarKind::kRuntime, point.runtime);
  return map;
}

// Both have results at the point, and these differ.
FaultKind KindOfDifference(const IndexingMap& map, const IndexingMap& answer,
                           const MapCounterexample& point, const DecideOptions& decide) {
  IndexingMap here = AtPoint(map, point), there = AtPoint(answer, point);
  if (ProveSuperset(here, there, decide).verdict == Verdict::kProved) {
    return FaultKind::kResultsLost;
  }
  if (ProveSuperset(there, here, decide).verdict == Verdict::kProved) {
    return FaultKind::kResultsAdded;
  }
  return FaultKind::kResultWrong;
}

FaultKind KindOf(const IndexingMap& map, const IndexingMap& answer, const MapCounterexample& point,
                 const DecideOptions& decide) {
  if (answer.IsKnownEmpty()) return FaultKind::kDeclaredEmpty;
  if (!map.IsKnownEmpty()) {
    if (map.dims().size() != answer.dims().size() ||
        map.runtime().size() < answer.runtime().size()) {
      return FaultKind::kVariablesChanged;
    }
    if (map.results().size() != answer.results().size()) return FaultKind::kNumberOfResults;
  }
  if (point.rhs.empty()) return FaultKind::kDomainShrunk;
  FaultKind kind =
      point.lhs.empty() ? FaultKind::kDomainGrown : KindOfDifference(map, answer, point, decide);
  const bool more = kind == FaultKind::kDomainGrown || kind == FaultKind::kResultsAdded;
  return more && LacksConstraints(map, answer) ? FaultKind::kConstraintDropped : kind;
}

// A text without comments, with one space wherever there was some.
std::string Squeezed(llvm::StringRef text) {
  std::string squeezed;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.trim().starts_with("//")) continue;
    for (char c : line) {
      const bool space = llvm::isSpace(c);
      if (space && (squeezed.empty() || squeezed.back() == ' ')) continue;
      squeezed += space ? ' ' : c;
    }
    if (!squeezed.empty() && squeezed.back() != ' ') squeezed += ' ';
  }
  return squeezed;
}

}  // namespace

const char* Name(FaultKind kind) { return TextOf(kind).name; }
const char* Explain(FaultKind kind) { return TextOf(kind).meaning; }

bool AreAlike(FaultKind a, FaultKind b) {
  return a == b || (a <= FaultKind::kDeclaredEmpty && b <= FaultKind::kDeclaredEmpty);
}

bool SameText(llvm::StringRef a, llvm::StringRef b) { return Squeezed(a) == Squeezed(b); }

Judgment Judge(const std::string& map_text, const std::string& answer,
               const DecideOptions& decide) {
  Context context;
  auto map = ParseIndexingMap(map_text, context, "map");
  if (!map) {
    return {Judgment::Kind::kUnknown, {}, answer, MessageOf(map.takeError()), std::nullopt};
  }
  auto read = ParseWrittenMap(answer, context, "answer");
  if (!read) return Fault(FaultKind::kUnreadable, answer, MessageOf(read.takeError()));
  auto meant = ParseIndexingMap(answer, context, "answer");
  if (!meant) {
    // It is a map, but one of its divisors may be zero for all that is known.
    return {Judgment::Kind::kUnknown, {}, answer, MessageOf(meant.takeError()), std::nullopt};
  }
  if (map->IsUndefined() || meant->IsUndefined()) {
    if (map->IsUndefined() == meant->IsUndefined()) {
      return {Judgment::Kind::kEqual, {}, answer, "", std::nullopt};
    }
    return Fault(FaultKind::kUndefined, answer,
                 map->IsUndefined() ? "the map is undefined" : "the answer is undefined");
  }
  MapProofResult result = ProveAnswer(*map, *meant, decide);
  switch (result.verdict) {
    case Verdict::kProved:
      return {Judgment::Kind::kEqual, {}, answer, "", std::nullopt};
    case Verdict::kUnknown:
    case Verdict::kExecuted:
      return {Judgment::Kind::kUnknown, {}, answer, result.reason, std::nullopt};
    case Verdict::kRefuted:
      break;
  }
  FaultKind kind = KindOf(*map, *meant, *result.counterexample, decide);
  return {Judgment::Kind::kFault, kind, answer, "", std::move(result.counterexample)};
}

Judgment Judge(const std::string& map, const Answer& answer, const DecideOptions& decide) {
  switch (answer.kind) {
    case Answer::Kind::kText:
      return Judge(map, answer.text, decide);
    case Answer::Kind::kCrash:
      return Fault(FaultKind::kCrash, answer.text, answer.detail);
    case Answer::Kind::kHang:
      return Fault(FaultKind::kHang, answer.text, answer.detail);
    case Answer::Kind::kTooMuch:
      return Fault(FaultKind::kTooMuch, answer.text, answer.detail);
    case Answer::Kind::kMissing:
      return Fault(FaultKind::kMissing, answer.text, answer.detail);
    case Answer::Kind::kSurplus:
      return Fault(FaultKind::kSurplus, answer.text, answer.detail);
    case Answer::Kind::kNotAsked:
      break;
  }
  return {};
}

}  // namespace affirm::driver
