// Indexing maps of HLO instructions, in both directions.
//
// Output-to-input: which elements of the operands does an element of the result read? Of
//   t = f32[20,10] transpose(p), dimensions={1,0}
// the map from t to p is (d0, d1) -> (d1, d0), domain: d0 in [0, 19], d1 in [0, 9]. For a reduction
// over dimension 1 of f32[20,10] it is (d0)[s0] -> (d0, s0): a row for each result.
//
// Input-to-output: which elements of the results does an element of an operand contribute to? For
// the reduction, (d0, d1) -> (d0).
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
  kExact,            // the map's set equals the op's reads
  kOverApproximate,  // the map's set contains the op's reads
  kUnknown,          // no claim; usually the undefined map
};
const char* Name(Exactness e);  // "exact", "over-approximate", "unknown"

enum class Direction : uint8_t { kOutputToInput, kInputToOutput };

struct IndexingOptions {
  // Uses the exact map where the default is XLA's wider one (the operand and the update of
  // dynamic-update-slice, batch groups, kernels under padding, scan), and for triangular-solve,
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

// maps[k]: the distinct maps for operand k (output-to-input) or for output k (input-to-output).
// Known-empty maps are omitted, so an empty list means that nothing is read.
struct InstructionIndexing {
  std::vector<std::vector<LabeledMap>> maps;
};

// Maps of a single instruction; a fusion's are the simplified compositions through its computation.
// `id` is the output (tuple element) or the operand that the maps start from. Dims range over the
// shape of that array. An ID out of range gives an empty result.
InstructionIndexing OutputToInput(const hlo::Instruction& instruction, int64_t output_id,
                                  Context& context, const IndexingOptions& options = {});
InstructionIndexing InputToOutput(const hlo::Instruction& instruction, int64_t input_id,
                                  Context& context, const IndexingOptions& options = {});

namespace analysis {
struct Session;
}

// Memo shared by queries over a module: the maps of computations that calls and loops run. The
// module must not change during its lifetime.
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

// For every instruction of `root`'s computation that an element of `root` (output `output_id`)
// depends on, up to the parameters: the distinct, simplified maps from the element to it. `root`
// itself has the identity. Users come before operands.
//
// More than kMaxMapsPerLeaf maps for an instruction are replaced by one to all of its elements, and
// a map with more than kMaxExpressionSize nodes by an undefined one.
using GroupedIndexing = llvm::MapVector<const hlo::Instruction*, std::vector<LabeledMap>>;
GroupedIndexing ComputationIndexing(const hlo::Instruction& root, int64_t output_id,
                                    Context& context, const IndexingOptions& options = {});
// The other direction: from an element of operand `operand` of `instruction` (leaf `leaf` of it) to
// the results that it contributes to. For a fusion: to each instruction inside, on the paths from
// its parameter to its root. The operand, or the parameter, has the identity.
GroupedIndexing ConsumerIndexing(const hlo::Instruction& instruction, int64_t operand, int64_t leaf,
                                 Context& context, const IndexingOptions& options = {});
inline constexpr int64_t kMaxMapsPerLeaf = 128;
inline constexpr int64_t kMaxExpressionSize = 20000;

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_INDEXING_H_
