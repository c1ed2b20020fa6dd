// The command line `affirm`, run in the process of Python.
#include "tools/affirm/tool.h"

#include <nanobind/stl/vector.h>

#include "tools/python/binding.h"

namespace affirm::python {
namespace {

// Words of a command line need be no UTF-8.
int RunTool(const std::vector<nb::bytes>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const nb::bytes& word : words) texts.emplace_back(word.c_str(), word.size());
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const nb::gil_scoped_release python_may_run;
  return cli::RunTool(static_cast<int>(texts.size()), pointers.data());
}

}  // namespace

void AddTool(nb::module_& module) {
  module.def("run_tool", RunTool, "words"_a,
             "Runs the command line `affirm`; the words begin with the name of the program. "
             "Returns the exit status.");
}

}  // namespace affirm::python
