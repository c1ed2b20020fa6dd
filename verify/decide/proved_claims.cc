#include "verify/decide/proved_claims.h"

#include <iterator>

namespace affirm {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

// No numbers of nodes, which begin at 0.
constexpr int64_t kNoTerm = -1, kNewNode = -2;

}  // namespace

// The nodes that are new, operands first, then the number of the term's own.
void ClaimEncoder::Put(SymbolicExpr e) {
  if (!e) return Put(kNoTerm);
  e.Walk([&](SymbolicExpr node) {
    if (!numbers_.try_emplace(node.id(), std::ssize(numbers_)).second) return;
    Put(kNewNode);
    Put(static_cast<int64_t>(node.kind()));
    Put(node.value());
    Put(node.IsVariable() ? static_cast<int64_t>(node.var_kind()) : int64_t{0});
    PutSize(node.ops().size());
    for (SymbolicExpr operand : node.ops()) Put(numbers_.lookup(operand.id()));
  });
  Put(numbers_.lookup(e.id()));
}

void ClaimEncoder::Put(const Formula& f) {
  Put(static_cast<int64_t>(f.kind()));
  Put(f.lhs());
  Put(f.rhs());
  PutSize(f.bound().size());
  for (int64_t variable : f.bound()) Put(variable);
  PutSize(f.parts().size());
  for (const Formula& part : f.parts()) Put(part);
}

std::string EncodingOf(const SolverQuery& query) {
  ClaimEncoder encoder;
  encoder.PutSize(query.variables.size());
  for (const Interval& bounds : query.variables) encoder.Put(bounds);
  encoder.Put(query.claim);
  return encoder.Take();
}

std::optional<Engine> ProvedClaims::Find(const std::string& encoding) const {
  const std::lock_guard lock(mutex_);
  const auto found = engines_.find(encoding);
  return found == engines_.end() ? std::nullopt : std::optional(found->second);
}

void ProvedClaims::Add(const std::string& encoding, Engine engine) {
  const std::lock_guard lock(mutex_);
  if (bytes_ + encoding.size() > kMostBytes) return;
  if (engines_.try_emplace(encoding, engine).second) bytes_ += encoding.size();
}

}  // namespace affirm
