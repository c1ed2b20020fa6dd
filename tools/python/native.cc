// affirm._native: the module of Python over the libraries.
#include "tools/python/binding.h"

// NOLINTNEXTLINE(performance-unnecessary-value-param)
NB_MODULE(_native, module) {
  using namespace affirm::python;
  module.doc() = "The libraries of affirm; `import affirm` has all of it.";
  // Errors are affirm.Error, which Python defines, so that what needs no library has it too.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const PythonError& error) {
      const nb::object type = nb::module_::import_("affirm.errors").attr("Error");
      PyErr_SetObject(type.ptr(), nb::str(error.what()).ptr());
    }
  });
  AddExpressions(module);
  AddMaps(module);
  AddInstructions(module);
  AddModules(module);
  AddGenerators(module);
  AddTool(module);
}
