#include "driver/equivalence/prove.h"

#include "core/hlo/devices.h"
#include "core/hlo/leaves.h"
#include "core/hlo/verifier.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/effect_order.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/promises.h"
#include "verify/equivalence/prove.h"
#include "verify/equivalence/same_parts.h"
#include "verify/equivalence/same_structure.h"
#include "verify/equivalence/signatures.h"
#include "verify/equivalence/trip_claims.h"
#include "verify/equivalence/undefined.h"
#include "verify/lemma/lemma.h"

namespace affirm::driver {
namespace {

// A loop of B that no result needs, that may not end, and that A does not have.
const hlo::Instruction* FindNewLoopBesideResults(const hlo::Module& a, const hlo::Module& b) {
  llvm::DenseMap<const hlo::Instruction*, int64_t> numbers;
  return equivalence::FindOpenLoopBesideResults(*b.entry, [&](const hlo::Instruction& loop) {
    if (numbers.empty()) numbers = equivalence::NumberSameParts(*a.entry, *b.entry);
    const auto number = numbers.find(&loop);
    return number != numbers.end() && llvm::any_of(a.entry->instructions, [&](const auto& other) {
             return numbers.lookup(other.get()) == number->second;
           });
  });
}

// The proof of values by terms; one without results where both modules are one graph.
equivalence::EquivalenceProof Prove(const hlo::Module& a, const hlo::Module& b,
                                    const equivalence::ProveOptions& options,
                                    ModuleEquivalence& result) {
  const bool same = equivalence::SameStructure(*a.entry, *b.entry);
  // If both modules are one graph, they send and receive the same values, as far as these belong to
  // the graph of the results.
  for (const hlo::Module* module : {&a, &b}) {
    const hlo::Instruction* effect = same ? equivalence::FindEffectBesideResults(*module->entry)
                                          : equivalence::FindEffect(*module->entry);
    // A has results, so that its loops end. Those of B that are none of A are looked for in a
    // proof.
    if (!effect && same && module == &b) effect = equivalence::FindReorderedEffect(a, b);
    if (!effect && same && module == &b) effect = FindNewLoopBesideResults(a, b);
    if (effect && result.effect.empty())
      result.effect =
          effect->opcode_text + " " + effect->name + " of " + (module == &a ? "A" : "B");
  }
  const auto leaves = hlo::LeafShapes(a.entry->root->shape);
  if (same) {
    const std::vector<std::string> undefined = equivalence::WhyUndefined(*a.entry, *b.entry);
    for (const hlo::LeafRef& leaf : hlo::Leaves(a.entry->root->shape)) {
      if (!leaf.shape->IsArray()) continue;
      const std::string& reason = undefined[leaf.index];
      result.results.push_back({leaf.index, leaf.shape->ToString(false),
                                reason.empty() ? Verdict::kProved : Verdict::kUnknown,
                                /*same_graph=*/reason.empty(), reason});
    }
    return {};
  }
  const equivalence::EquivalenceProof proof =
      equivalence::ProveEquivalent(*a.entry, *b.entry, options);
  result.laws = proof.laws;
  for (const equivalence::ResultProof& of : proof.results) {
    result.results.push_back({of.leaf, leaves[of.leaf]->ToString(false),
                              of.proved ? Verdict::kProved : Verdict::kUnknown,
                              /*same_graph=*/false, of.reason, of.witness, of.ms});
  }
  return proof;
}

// Why collectives and device numbers are not those of as many devices; empty where they are, or
// where there are none.
std::string CompareDevices(const hlo::Module& a, const hlo::Module& b) {
  const hlo::Devices of_a = hlo::DevicesOf(a), of_b = hlo::DevicesOf(b);
  if (of_a.replicas == of_b.replicas && of_a.partitions == of_b.partitions) return "";
  auto depends = [](const hlo::Computation& entry) {
    return hlo::DependsOnDevices(entry) || equivalence::FindEffect(entry) ||
           !equivalence::AssumedFunctions(entry).empty();
  };
  if (!depends(*a.entry) && !depends(*b.entry)) return "";
  auto text = [](const hlo::Devices& devices) {
    return "replica_count=" + std::to_string(devices.replicas) +
           " and num_partitions=" + std::to_string(devices.partitions);
  };
  return "what A does with " + text(of_a) + ", and B with " + text(of_b);
}

}  // namespace

Verdict VerdictOf(const ModuleEquivalence& equivalence) {
  if (equivalence.difference) return Verdict::kRefuted;
  Verdict verdict = Verdict::kProved;
  for (const ResultEquivalence& of : equivalence.results) verdict = Meet(verdict, of.verdict);
  const bool covered =
      equivalence.effect.empty() && equivalence.promise.empty() && equivalence.devices.empty();
  return covered ? verdict : Meet(verdict, Verdict::kUnknown);
}

llvm::Expected<ModuleEquivalence> ProveModules(const hlo::Module& a, const hlo::Module& b,
                                               llvm::ArrayRef<std::string> allowed_laws) {
  auto laws = equivalence::ChooseLaws(allowed_laws);
  if (!laws) return laws.takeError();
  if (llvm::Error error = hlo::VerifyArguments(a, "A")) return error;
  if (llvm::Error error = hlo::VerifyArguments(b, "B")) return error;
  if (llvm::Error error = equivalence::CheckSignatures(*a.entry, *b.entry)) return error;
  ModuleEquivalence result;
  std::set<int> exhausted;
  equivalence::ProveOptions prove{.laws = *laws};
  prove.same_value.exhausted = &exhausted;
  logic::OracleTally tally;
  prove.same_value.tally = &tally;
  const auto claims_of_a = equivalence::WithoutRedundantTripClaims(a),
             claims_of_b = equivalence::WithoutRedundantTripClaims(b);
  const hlo::Module &x = claims_of_a ? *claims_of_a : a, &y = claims_of_b ? *claims_of_b : b;
  const equivalence::EquivalenceProof proof = Prove(x, y, prove, result);
  const equivalence::Promises promises = equivalence::NewPromises(*x.entry, *y.entry, proof, prove);
  result.promise = promises.unproved;
  result.claims_trips = equivalence::ClaimsTrips(x) || equivalence::ClaimsTrips(y);
  result.held = promises.held;
  result.devices = CompareDevices(a, b);
  for (const hlo::Module* module : {&a, &b}) {
    for (const std::string& target : equivalence::AssumedFunctions(*module->entry)) {
      if (!llvm::is_contained(result.assumed, target)) result.assumed.push_back(target);
    }
  }
  result.rests_on = lemma::ExhaustionText(exhausted);
  result.oracles = tally.Text();
  result.verdict = VerdictOf(result);
  return result;
}

}  // namespace affirm::driver
