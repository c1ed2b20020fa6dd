// The driver of affirm-opt (tools/opt), which has to stay in emit/ because of its MLIR headers.
#ifndef AFFIRM_EMIT_OPT_H_
#define AFFIRM_EMIT_OPT_H_

namespace affirm::emit {

// Like mlir-opt: reads MLIR text, runs the passes that the command line names, prints the result.
// Knows the affirm dialect and its passes, the dialects that kernels use, and cse.
int OptMain(int argc, char** argv);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_OPT_H_
