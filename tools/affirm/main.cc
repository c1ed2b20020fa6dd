// affirm: indexing analysis of HLO in which every answer is proved.
#include "tools/affirm/tool.h"

int main(int argc, char** argv) { return affirm::cli::RunTool(argc, argv); }
