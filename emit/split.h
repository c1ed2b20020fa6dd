// A computation as several kernels, one after the other, so that no reduction is computed twice and
// a scatter finds in memory what it updates.
//
// In one kernel each thread computes for itself what it needs. A reduction that many elements of
// the result need, as a broadcast in a softmax makes it, would be computed once for each of them:
// it gets a kernel of its own, whose result the later ones read. A reduction that each element of
// the result needs once, through an epilogue of elementwise ops and ops that move elements, stays.
// A scatter is a kernel of its own, and so is what computes an array that it updates.
#ifndef AFFIRM_EMIT_SPLIT_H_
#define AFFIRM_EMIT_SPLIT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

struct Piece {
  // A parameter of the piece: a parameter of the whole, or what an earlier piece computed.
  struct Argument {
    int64_t piece = -1;   // -1: of the whole
    int64_t number = -1;  // of the parameter, or of the element of the piece's tuple; -1: all of it
  };
  const hlo::Computation* computation = nullptr;
  std::vector<Argument> arguments;
};

struct Pieces {
  std::unique_ptr<hlo::Module> module;  // of the computations; null for a whole in one piece
  std::vector<Piece> pieces;            // the last computes the result
  // Of each instruction of the pieces that is a copy: the one of the whole that it stands for.
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> originals{};
};

// The pieces of a computation, which must outlive them. Only reductions (reduce, reduce-window,
// dot, convolution) and scatters of the computation itself are looked at, not those of what it
// calls.
Pieces Split(const hlo::Computation& computation);

// The value of the whole: every piece in turn.
using PieceRunner = llvm::function_ref<llvm::Expected<hlo::Literal>(const hlo::Computation&,
                                                                    llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunPieces(const Pieces& pieces, llvm::ArrayRef<hlo::Literal> arguments,
                                       PieceRunner run);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_SPLIT_H_
