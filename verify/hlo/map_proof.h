// How the maps of an operand are proved to be its relation. Internal to verify/hlo.
#ifndef AFFIRM_VERIFY_HLO_MAP_PROOF_H_
#define AFFIRM_VERIFY_HLO_MAP_PROOF_H_

#include <cstdint>
#include <string>
#include <vector>

#include "verify/hlo/relations.h"
#include "verify/maps/flat_map.h"

namespace affirm {

// Three claims: every element that is read is given by some map; no exact map gives an element that
// isn't read; and no other map says something of an index that the array it starts from does not
// have, or of an operand that has no elements. The last two are about the maps and hold or fail
// whether or not anything is read. Question variables are those of the relation, then runtime
// variables that only a map has, then the ranges of each map.
class MapProof {
 public:
  MapProof(const Relation& relation, llvm::ArrayRef<LabeledMap> maps, Direction direction,
           const DecideOptions& options)
      : relation_(relation), direction_(direction), options_(options) {
    for (const LabeledMap& m : maps) labeled_.push_back(&m);
  }

  MapAnswer Run(Context& context);

 private:
  // A map with its variables placed among those of the relation.
  struct Placed {
    FlatMap flat;
    std::vector<int64_t> runtime;  // the question's variable of each runtime variable of the map
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

  const char* Place(Context& context);
  void PlaceRuntime(const IndexingMap& map, Placed& placed, std::vector<bool>& matched);
  // Whether a variable of the map names the very element that the op takes the value from.
  bool SamePlaceInProducer(const RuntimeValue& value, const RuntimeSource& source,
                           const IndexingMap& map) const;

  Formula Reads() const { return Formula::And({relation_.reads, known_, InSpaceX()}); }
  Formula InSpaceX() const;
  Formula Domain(const Placed& m) const;
  SymbolicExpr Y(int64_t j) const { return context_->Dim(FirstY() + j); }

  // Every element that map k gives is read.
  Verdict NoMore(size_t k);
  // The domain of map k has only indices of the array it starts from, and none at all when there is
  // nothing to lead to.
  Verdict StaysInside(size_t k);
  // Every element that is read is given by some map.
  Verdict NoLess();
  Formula GivenBy(const Placed& m, bool by_witness) const;

  Answer Ask(Formula claim);
  // A claim about the points of a map, whatever the operand's elements are.
  Answer AskOfMap(Formula claim);
  bool FollowsWithKnownIndex(const Formula& given, const Formula& conclusion);
  void Explain(const std::string& reason);
  Verdict Refute(const Answer& answer, size_t only_map, bool every_map);

  const Relation& relation_;
  const Direction direction_;
  const DecideOptions& options_;
  std::vector<const LabeledMap*> labeled_;
  Context* context_ = nullptr;
  std::vector<Placed> maps_;
  std::vector<Interval> variables_;
  Formula known_ = Formula::True();  // the values of runtime variables that no map has
  bool folded_ = false;              // a map may have folded a runtime value that isn't known here
  MapAnswer answer_;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_MAP_PROOF_H_
