// The command line `affirm` as a function, for the program and for the entry point of the wheel.
//
//   int main(int argc, char** argv) { return affirm::cli::RunTool(argc, argv); }
#ifndef AFFIRM_TOOLS_AFFIRM_TOOL_H_
#define AFFIRM_TOOLS_AFFIRM_TOOL_H_

namespace affirm::cli {

// Returns the exit status, 0 to 3. Output is flushed. `argv` is as main() has it: it ends with a
// null pointer. Workers are forked: no other thread of the process may hold a lock that a verb
// needs.
int RunTool(int argc, char** argv);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_TOOL_H_
