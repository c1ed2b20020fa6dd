// Questions about maps. Internal to tools/python.
#ifndef AFFIRM_TOOLS_PYTHON_MAP_PROOFS_H_
#define AFFIRM_TOOLS_PYTHON_MAP_PROOFS_H_

#include "tools/python/binding.h"

namespace affirm::python {

inline void RequireKnown(const Map& map, const char* what) {
  if (map.map.IsUndefined()) Throw(llvm::Twine(what) + ": the map is undefined");
}

// The class of the answers, and the questions as methods of IndexingMap.
void AddProofs(nb::module_& module);
void AddQuestions(nb::class_<Map>& type);

}  // namespace affirm::python

#endif  // AFFIRM_TOOLS_PYTHON_MAP_PROOFS_H_
