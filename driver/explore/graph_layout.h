// Where the instructions of a computation stand in a drawing, as Graphviz says.
#ifndef AFFIRM_DRIVER_EXPLORE_GRAPH_LAYOUT_H_
#define AFFIRM_DRIVER_EXPLORE_GRAPH_LAYOUT_H_

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// {"width", "height", "nodes": [[id, x, y, width, height], ..], "edges": [[from, to, [x, y, ..]],
// ..]} in pixels, y downwards, nodes by their center, edges as cubic Bezier curves from operand to
// user. A constant that several instructions need has a node beside each.
//
// `dot` runs as a program of its own, so that whatever it does on a large graph ends with it, and
// no header or library of one version of Graphviz is needed. Where its curves take too long it
// draws lines. An error when there is no `dot`.
llvm::Expected<llvm::json::Object> LayOut(const hlo::Computation& computation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_GRAPH_LAYOUT_H_
