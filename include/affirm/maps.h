// Indexing maps: read, printed, composed, simplified. Link affirm::core.
//
//   affirm::Context context;  // owns the expressions; outlives the maps
//   auto map = affirm::ParseIndexingMap("(d0) -> (d0 mod 4), domain: d0 in [0, 3]", context);
//   if (!map) return llvm::toString(map.takeError());       // "1:9: error: ..., expected ..."
//   affirm::Simplify(*map).ToString();                       // "(d0) -> (d0), domain: d0 in [0,
//   3]"
//
// The text form is XLA's. Errors are llvm::Expected values; nothing throws. A Context belongs to
// one thread at a time.
#ifndef AFFIRM_INCLUDE_AFFIRM_MAPS_H_
#define AFFIRM_INCLUDE_AFFIRM_MAPS_H_

#include "core/indexing/indexing_map.h"
#include "core/simplify/canonicalize.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/simplify.h"
#include "core/symbolic/context.h"

#endif  // AFFIRM_INCLUDE_AFFIRM_MAPS_H_
