// Indexing maps of HLO instructions, in both directions.
//
// Output-to-input: which elements of the operands does an element of the result read? Of
//   t = f32[20,10] transpose(p), dimensions={1,0}
// the map from t to p is (d0, d1) -> (d1, d0), domain: d0 in [0, 19], d1 in [0, 9]. Of a reduction
// over dimension 1 of f32[20,10] it is (d0)[s0] -> (d0, s0): a row for each result.
//
// Input-to-output: which elements of the results does an element of an operand go into? Of the
// reduction, (d0, d1) -> (d0).
#ifndef AFFIRM_CORE_ANALYSIS_INDEXING_H_
#define AFFIRM_CORE_ANALYSIS_INDEXING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/MapVector.h"

namespace affirm {

enum class Exactness : uint8_t {
  kExact,            // the set of the map is what the op reads
  kOverApproximate,  // the set contains what the op reads
  kUnknown,          // no claim is made; nearly always the undefined map
};
const char* Name(Exactness e);  // "exact", "over-approximate", "unknown"

enum class Direction : uint8_t { kOutputToInput, kInputToOutput };

struct IndexingOptions {
  // The exact map where the default is the wider one that XLA prints (the operand and the update of
  // dynamic-update-slice, batch groups, kernels under padding, scan), and of triangular-solve,
  // where XLA has none.
  bool exact = false;
  // Replaces a runtime variable whose producer is a constant or an iota by its clamped value.
  bool fold_runtime = true;
};

struct LabeledMap {
  IndexingMap map;
  Exactness exactness = Exactness::kUnknown;
  // The array leaf of the operand that the map leads to (output-to-input) or starts from
  // (input-to-output). 0 unless the operand is a tuple.
  int64_t leaf = 0;
  // Collectives: the position, within the replica group, of the replica whose operand is read. Over
  // the same variables as `map`. Absent: the map holds on every replica whose operand is read.
  std::optional<IndexingMap> replica_id;
  friend bool operator==(const LabeledMap&, const LabeledMap&) = default;
};

// maps[k]: the distinct maps for operand k (output-to-input) or for output k (input-to-output). A
// map that is known to be empty is left out: an empty list says that nothing is read.
struct InstructionIndexing {
  std::vector<std::vector<LabeledMap>> maps;
};

// Maps of a single instruction; a fusion's are the simplified compositions through its computation.
// `id` picks the output (tuple element) or the operand that the maps start from. Dims range over
// the shape of that array. Ids out of range give an empty answer.
InstructionIndexing OutputToInput(const hlo::Instruction& instruction, int64_t output_id,
                                  Context& context, const IndexingOptions& options = {});
InstructionIndexing InputToOutput(const hlo::Instruction& instruction, int64_t input_id,
                                  Context& context, const IndexingOptions& options = {});

namespace analysis {
struct Session;
}

// What queries over a module share: the maps of the computations that its calls and loops run, each
// found once. The module stays as it is while this lives.
//
//   IndexingMemo memo(context);
//   for (const hlo::Instruction* call : calls) OutputToInput(*call, 0, memo);
class IndexingMemo {
 public:
  explicit IndexingMemo(Context& context);
  ~IndexingMemo();
  analysis::Session& SessionOf(const IndexingOptions& options);

 private:
  Context& context_;
  std::map<bool, std::unique_ptr<analysis::Session>> sessions_;  // by fold_runtime
};
InstructionIndexing OutputToInput(const hlo::Instruction& instruction, int64_t output_id,
                                  IndexingMemo& memo, const IndexingOptions& options = {});
InstructionIndexing InputToOutput(const hlo::Instruction& instruction, int64_t input_id,
                                  IndexingMemo& memo, const IndexingOptions& options = {});

// For every instruction of `root`'s computation that the element reads on the way to the
// parameters: the distinct, simplified maps from an element of `root` (output `output_id`) to it.
// `root` itself has the identity. In an order where users come before operands. Stops at
// parameters.
//
// An instruction that would have more than kMaxMapsPerLeaf maps has one to all of its elements,
// one that would have a map of more than kMaxExpressionSize nodes an undefined one.
using GroupedIndexing = llvm::MapVector<const hlo::Instruction*, std::vector<LabeledMap>>;
GroupedIndexing ComputationIndexing(const hlo::Instruction& root, int64_t output_id,
                                    Context& context, const IndexingOptions& options = {});
// The other way: from an element of operand `operand` of `instruction` (leaf `leaf` of it) to the
// results that it goes into. Of a fusion: those of each instruction inside on the way from its
// parameter to its root. The operand, or the parameter, has the identity.
GroupedIndexing ConsumerIndexing(const hlo::Instruction& instruction, int64_t operand, int64_t leaf,
                                 Context& context, const IndexingOptions& options = {});
inline constexpr int64_t kMaxMapsPerLeaf = 128;
inline constexpr int64_t kMaxExpressionSize = 20000;

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_INDEXING_H_
