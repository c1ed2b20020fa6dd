// How the maps of an operand are proved to be its access relation. Internal to verify/hlo: use
// ProveMaps() of prove_map.h.
#ifndef AFFIRM_VERIFY_HLO_PROOF_MAP_PROOF_H_
#define AFFIRM_VERIFY_HLO_PROOF_MAP_PROOF_H_

#include <cstdint>
#include <string>
#include <vector>

#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/maps/flattened_map.h"

namespace affirm {

// Proves three claims. Completeness: every element that is read is given by some map. Soundness: no
// exact map gives an element that is not read. Domains: the domain of an over-approximate map holds
// only indices of the array that it starts from, and none when the array that it leads to has no
// elements. The last two are about the maps, and hold or fail whether or not anything is read. The
// variables of the queries are those of the relation, then runtime variables that only a map has,
// then the ranges of each map.
class MapProof {
 public:
  MapProof(const AccessRelation& relation, llvm::ArrayRef<LabeledMap> maps, Direction direction,
           const DecideOptions& options)
      : relation_(relation), direction_(direction), options_(options) {
    for (const LabeledMap& m : maps) labeled_.push_back(&m);
  }

  MapProofResult Run(Context& context);

 private:
  // A map in terms of the variables of the queries.
  struct BoundMap {
    FlattenedMap flat;
    std::vector<int64_t> runtime;  // the variable of each runtime variable of the map
  };

  bool ToInput() const { return direction_ == Direction::kOutputToInput; }
  int64_t FirstInput() const { return static_cast<int64_t>(relation_.output.size()); }
  int64_t FirstRuntime() const {
    return FirstInput() + static_cast<int64_t>(relation_.input.size());
  }
  // The index that maps start from (x) and lead to (y).
  int64_t FirstX() const { return ToInput() ? 0 : FirstInput(); }
  int64_t FirstY() const { return ToInput() ? FirstInput() : 0; }
  const std::vector<Interval>& SpaceX() const {
    return ToInput() ? relation_.output : relation_.input;
  }
  const std::vector<Interval>& SpaceY() const {
    return ToInput() ? relation_.input : relation_.output;
  }
  int64_t NumX() const { return static_cast<int64_t>(SpaceX().size()); }
  int64_t NumY() const { return static_cast<int64_t>(SpaceY().size()); }

  const char* BindVariables(Context& context);
  void BindRuntimeVariables(const IndexingMap& map, BoundMap& bound, std::vector<bool>& matched);
  // Whether a runtime variable of the map names the element of the producer that the op takes its
  // value from, and no other.
  bool NamesSameElement(const RuntimeOperand& operand, const RuntimeSource& source,
                        const IndexingMap& map) const;

  Formula Reads() const { return Formula::And({relation_.reads, known_, InSpaceX()}); }
  Formula InSpaceX() const;
  Formula Domain(const BoundMap& m) const;
  SymbolicExpr Y(int64_t j) const { return context_->Dim(FirstY() + j); }

  // Soundness: every element that map k gives is read.
  Verdict IsSound(size_t k);
  // The domain of map k has only indices of the array that it starts from, and none at all when the
  // array that it leads to has no elements.
  Verdict StaysInBounds(size_t k);
  // Completeness: every element that is read is given by some map.
  Verdict IsComplete();
  // Map m gives the index y: with existential quantifiers over its ranges, or with terms in their
  // place (`by_witness`), which suffices for a proof but not for a refutation.
  Formula InImage(const BoundMap& m, bool by_witness) const;

  // Decides a claim and notes the engine, and the reason where it stays unknown.
  SolverResult DecideClaim(Formula claim);
  // The same for a claim about the points of a map, which must not hold merely because the operand
  // has no elements.
  SolverResult DecideOfMap(Formula claim);
  bool FollowsBySubstitution(const Formula& given, const Formula& conclusion);
  void AddReason(const std::string& reason);
  Verdict ConfirmCounterexample(const SolverResult& answer, size_t only_map, bool every_map);

  const AccessRelation& relation_;
  const Direction direction_;
  const DecideOptions& options_;
  std::vector<const LabeledMap*> labeled_;
  Context* context_ = nullptr;
  std::vector<BoundMap> maps_;
  std::vector<Interval> variables_;
  Formula known_ = Formula::True();  // the values of runtime variables that no map has
  bool folded_ = false;              // a map may have used a runtime value that is not known here
  MapProofResult answer_;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_MAP_PROOF_H_
