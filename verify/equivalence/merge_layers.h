// What the launches of a sort do between two sorts of tiles, and why all of them together sort.
//
// A row of n elements is cut into tiles of t elements; the last one may be shorter. Say that the
// row is s-sorted when each part of s elements, from 0, s, 2 s, ... on, is in order. A merge of an
// s-sorted row, s = t 2^i, makes compare-exchanges in layers, all of a layer at once,
//
//   mirrored:            of p and 2 s k + (2 s - 1 - p % 2 s), in each part of 2 s elements
//   of distance d:       of p and p + d, in each part of 2 d elements, d = s / 2, s / 4, ..., t
//
// in each of which the smaller element comes to the lower position, and after which each tile is
// sorted. Then the row is 2 s-sorted:
//
// By the 0-1 principle it suffices to look at rows of zeros and ones, since there is one order by
// which all elements of a row differ (or elements that do not are the same). What is behind the end
// is as if it were larger than any element: as the larger element it would always stay there. Of
// two sorted halves 0^a 1^(s-a) and 0^b 1^(s-b) the mirrored layer leaves in the lower one ones at
// a <= p < s - b alone, and in the upper one, read backwards, zeros at s - b <= p < a alone, of
// which at least one is empty. So both are bitonic (cut at two places they are constant), and no
// element of the lower half is larger than one of the upper half. The layer of distance d leaves a
// bitonic part of 2 d elements as two of d elements of which the same holds, which is Batcher's
// lemma. In the end no element of a tile is larger than one of a later tile of its part, and each
// tile is sorted.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_MERGE_LAYERS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_MERGE_LAYERS_H_

#include <memory>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::equivalence {

using Arrays = std::vector<hlo::Instruction*>;

// Rows along one dimension of an array, cut into tiles.
struct Tiling {
  std::vector<int64_t> dims;  // of the array
  int64_t dimension = 0;      // that is sorted
  int64_t tile = 1;

  int64_t size() const { return dims[static_cast<size_t>(dimension)]; }
  int64_t whole() const { return size() / tile * tile; }  // what whole tiles have
  int64_t rest() const { return size() - whole(); }
  // The array's sizes with others in the place of the sorted dimension.
  std::vector<int64_t> With(const std::vector<int64_t>& sizes) const;
};

// Adds instructions to a computation.
class LayerBuilder {
 public:
  explicit LayerBuilder(hlo::Computation& to) : to_(to) {}

  hlo::Instruction* Add(hlo::Opcode opcode, hlo::Shape shape, Arrays operands,
                        hlo::Attributes attributes = {});
  hlo::Instruction* Parameter(const hlo::Shape& shape);
  hlo::Instruction* Reshape(hlo::Instruction* array, std::vector<int64_t> dims);
  hlo::Instruction* Tuple(const Arrays& elements);

  // The rows of the whole tiles, of an array of the shape of `like`, and of the rest (null where
  // there is none); and back.
  hlo::Instruction* Tiles(const Tiling& tiling, hlo::Instruction* array, const hlo::Shape& like);
  hlo::Instruction* Rest(const Tiling& tiling, hlo::Instruction* array);
  hlo::Instruction* Joined(const Tiling& tiling, hlo::Instruction* tiles, hlo::Instruction* rest);

  // The arrays after the layers of the merge of rows that are `sorted`-sorted, by a comparator.
  Arrays Merged(const Tiling& tiling, Arrays arrays, hlo::Computation* less, int64_t sorted);

 private:
  hlo::Instruction* Part(const Tiling& tiling, hlo::Instruction* array, int64_t start,
                         int64_t limit);
  hlo::Instruction* Padded(const Tiling& tiling, hlo::Instruction* array, int64_t width);
  hlo::Instruction* Numbers(std::vector<int64_t> dims, int64_t dimension);
  Arrays Exchanged(const Tiling& tiling, const Arrays& arrays, hlo::Computation* less,
                   int64_t distance, bool mirrored);

  hlo::Computation& to_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_MERGE_LAYERS_H_
