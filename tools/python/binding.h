// Common parts of the files of the Python module: errors, and contexts that several threads of
// Python may use.
//
// An object of Python that has expressions shares their context with those that it was made from.
// Two threads take turns in a context; a waiting thread releases Python's lock, so that the other
// one can end.
#ifndef AFFIRM_TOOLS_PYTHON_BINDING_H_
#define AFFIRM_TOOLS_PYTHON_BINDING_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "core/symbolic/context.h"
#include "core/symbolic/text.h"
#include "driver/errors.h"
#include "driver/json_text.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

// Becomes affirm.Error.
class PythonError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Errors quote their input, which need be no UTF-8; a str of Python is.
[[noreturn]] inline void Throw(const llvm::Twine& message) {
  throw PythonError(driver::JsonText(message.str()));
}
inline void ThrowIf(llvm::Error error) {
  if (error) Throw(driver::MessageOf(std::move(error)));
}
template <typename T>
T Unwrap(llvm::Expected<T> value) {
  if (!value) Throw(driver::MessageOf(value.takeError()));
  return std::move(*value);
}

// The signature of `__eq__`: a value of another type is not equal.
inline nb::sig EqualSignature() { return "def __eq__(self, other: object, /) -> bool"; }

// The output of `write`, as text or as JSON.
inline std::string Printed(llvm::function_ref<void(llvm::raw_ostream&)> write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os);
  return driver::JsonText(text);
}
inline std::string Json(llvm::function_ref<void(llvm::json::OStream&)> write) {
  return Printed([&](llvm::raw_ostream& os) {
    llvm::json::OStream json(os);
    write(json);
  });
}
inline nb::object ParsedJson(const std::string& text) {
  return nb::module_::import_("json").attr("loads")(text);
}

// A context and whose turn it is. One thread may take it again: what collects garbage may call
// back.
struct SharedContext {
  Context context;
  std::recursive_mutex turn;
};
using ContextPtr = std::shared_ptr<SharedContext>;
inline ContextPtr NewContext() { return std::make_shared<SharedContext>(); }

// The context of expressions that are made of nothing; a new one if the last one is unused.
ContextPtr DefaultContext();

// Takes one or two contexts while it lives.
class Turn {
 public:
  explicit Turn(const ContextPtr& a) : Turn(a, a) {}
  Turn(const ContextPtr& a, const ContextPtr& b);

 private:
  std::unique_lock<std::recursive_mutex> first_, second_;
};

// Runs a long `work` that touches no object of Python: other threads of Python go on meanwhile.
template <typename Work>
auto WithoutPython(const Work& work) {
  nb::gil_scoped_release released;
  return work();
}

struct Expr {
  ContextPtr context;
  SymbolicExpr expr;
  // The divisors that it was made with, but for constants: 1 // d0 * 0 is 0, and no map at d0 = 0.
  std::vector<ReadDivisor> divisors = {};
};
struct Map {
  ContextPtr context;
  IndexingMap map;
};

inline Map Owned(const ContextPtr& context, IndexingMap map) { return {context, std::move(map)}; }

// The same in another context, whose turn, like that of its own, it must be.
SymbolicExpr Imported(SymbolicExpr expr, Context& to);
IndexingMap Imported(const IndexingMap& map, Context& to);
// The expression of `e` in `to`, with both taken.
SymbolicExpr In(const ContextPtr& to, const Expr& e);
IndexingMap In(const ContextPtr& to, const Map& map);
// Appends the divisors of `e`, in `to`, to a list that has each once.
void AppendDivisors(const ContextPtr& to, const Expr& e, std::vector<ReadDivisor>& divisors);

// The methods of IndexingMap that simplify, and the class of what they give.
void AddRewrites(nb::class_<Map>& type);
void AddSimplification(nb::module_& module);

// One function a file: what it adds to the module.
void AddExpressions(nb::module_& module);
void AddMaps(nb::module_& module);
void AddInstructions(nb::module_& module);
void AddModules(nb::module_& module);
void AddGenerators(nb::module_& module);
void AddTool(nb::module_& module);

}  // namespace affirm::python

#endif  // AFFIRM_TOOLS_PYTHON_BINDING_H_
