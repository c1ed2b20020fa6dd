// The parts of a kernel that has a hero: the epilogue of elementwise ops behind it,
// further heroes of the same sizes, and side outputs that need no hero. In
//
//   r = f32[64] reduce(x, 0), dimensions={1}
//   e = f32[64] exponential(r)
//   ROOT t = (f32[64], f32[64]) tuple(r, e)
//
// the hero is r, both outputs follow from it, and exponential is an epilogue.
#ifndef AFFIRM_EMIT_EMITTERS_HERO_H_
#define AFFIRM_EMIT_EMITTERS_HERO_H_

#include <optional>
#include <vector>

#include "emit/emitters/emitter.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::emit {

// A set of heroes with one index space, and the outputs that follow from them.
struct HeroFusion {
  std::vector<int64_t> heroes;  // nodes of the graph, all of the same sizes
  // Groups of the request. Outputs of one group are written at one index.
  struct Outputs {
    size_t group = 0;
    std::vector<int64_t> leaves;
    // From an index of the heroes to the index written: a bijection. For side outputs, which need
    // no hero, absent.
    std::optional<IndexingMap> from_hero;
  };
  std::vector<Outputs> outputs;
};

// The fusion around the first node that `is_hero` takes and that a kernel can be built around:
// every path from it to an output leads through elementwise ops, transposes, reversals and
// reshapes only. Other nodes join as heroes when `is_same` (first, other) holds and an output
// needs them. Adds one group per set of outputs, and the heroes, to `request`. Nothing when no
// node will do, or when an array of the kernel's results is empty.
std::optional<HeroFusion> FindHeroes(const FlatGraph& graph, Context& context,
                                     llvm::function_ref<bool(int64_t)> is_hero,
                                     llvm::function_ref<bool(int64_t, int64_t)> is_same,
                                     PartitionRequest& request);

// Whether two nodes read operands of the same sizes and have the same attribute `dimensions`, so
// that one plan of threads fits both.
bool HaveSameDimensions(const FlatGraph& graph, int64_t a, int64_t b);

// The thread map of every output: `write` (threads to heroes) carried to the outputs that follow
// from them, strided maps for the others.
void AddThreadMaps(const FlatGraph& graph, const HeroFusion& fusion, const IndexingMap& write,
                   Context& context, EmissionPlan& plan);

// One group per set of outputs of equal sizes, as the loop emitter writes them.
std::vector<HeroFusion::Outputs> GroupOutputs(const FlatGraph& graph, PartitionRequest& request);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_HERO_H_
