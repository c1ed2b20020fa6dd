// The merge layers that launches of a sort perform between sorts of tiles, and their correctness.
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
// By the 0-1 principle it suffices to consider rows of zeros and ones, since the elements of a row
// are totally ordered (or equivalent ones are equal). Positions behind the end act as infinity,
// which no exchange moves. Let the sorted halves be 0^a 1^(s-a) and 0^b 1^(s-b). The mirrored layer
// leaves ones in the lower half at a <= p < s - b alone, and zeros in the upper half, read
// backwards, at s - b <= p < a alone; at least one of the two ranges is empty. So both halves are
// bitonic (constant but for one interval), and no element of the lower half is larger than one of
// the upper half. The layer of distance d splits a bitonic part of 2 d elements into two parts of d
// elements with the same property (Batcher's lemma). In the end no element of a tile is larger than
// one of a later tile of its part, and each tile is sorted.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_MERGE_LAYERS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_MERGE_LAYERS_H_

#include <memory>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::equivalence {

using Arrays = std::vector<hlo::Instruction*>;

// Rows along one dimension of an array, cut into tiles.
struct Tiling {
  std::vector<int64_t> dims;  // the array's sizes
  int64_t dimension = 0;      // the sorted dimension
  int64_t tile = 1;

  int64_t size() const { return dims[static_cast<size_t>(dimension)]; }
  int64_t whole() const { return size() / tile * tile; }  // elements in whole tiles
  int64_t rest() const { return size() - whole(); }
  // The array's sizes with `sizes` in place of the sorted dimension.
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

  // Splits an array, of the shape of `like`, into its whole tiles and the rest (null if there is
  // none); and joins them.
  hlo::Instruction* Tiles(const Tiling& tiling, hlo::Instruction* array, const hlo::Shape& like);
  hlo::Instruction* Rest(const Tiling& tiling, hlo::Instruction* array);
  hlo::Instruction* Joined(const Tiling& tiling, hlo::Instruction* tiles, hlo::Instruction* rest);

  // The arrays after the layers that merge `sorted`-sorted rows by the comparator `less`.
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
