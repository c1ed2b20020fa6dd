// affirm-opt; emit/opt.h has the driver, since only emit/ includes headers of MLIR.
#include "emit/opt.h"

int main(int argc, char** argv) { return affirm::emit::OptMain(argc, argv); }
