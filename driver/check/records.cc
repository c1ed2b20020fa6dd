// Records to JSON and back. Each type is described once, by its fields, for both directions.
#include "driver/check/records.h"

#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

#include "core/symbolic/error.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

// The fields of each record, in order, for a writer or a reader.
struct Fields {
  template <typename Io>
  static void Of(Io& io, MapVerdict& x) {
    io("instruction", x.instruction);
    io("verdict", x.verdict);
  }
  template <typename Io>
  static void Of(Io& io, Proof::Difference& x) {
    io("at", x.at);
    io("given", x.given);
    io("wanted", x.wanted);
    io("all_given", x.all_given);
    io("all_wanted", x.all_wanted);
  }
  template <typename Io>
  static void Of(Io& io, Proof& x) {
    io("verdict", x.verdict);
    io("engine", x.engine);
    io("ms", x.ms);
    io("detail", x.detail);
    io("difference", x.difference);
  }
  template <typename Io>
  static void Of(Io& io, MapCheck& x) {
    io("computation", x.computation);
    io("name", x.instruction);
    io("opcode", x.opcode);
    io("output", x.output);
    io("operand", x.operand);
    io("maps", x.maps);
    io("exactness", x.exactness);
    io("proof", x.proof);
  }
  template <typename Io>
  static void Of(Io& io, ComposedCheck::InputToOutputMaps& x) {
    io("maps", x.maps);
    io("exactness", x.exactness);
    io("semantics", x.semantics);
  }
  template <typename Io>
  static void Of(Io& io, ComposedCheck& x) {
    io("fusion", x.fusion);
    io("output", x.output);
    io("operand", x.operand);
    io("maps", x.maps);
    io("exactness", x.exactness);
    io("composition", x.composition);
    io("semantics", x.semantics);
    io("input_to_output", x.input_to_output);
  }
  template <typename Io>
  static void Of(Io& io, RuleCounterexample& x) {
    io("values", x.values);
    io("left", x.left);
    io("right", x.right);
  }
  template <typename Io>
  static void Of(Io& io, RuleProofResult& x) {
    io("verdict", x.verdict);
    io("counterexample", x.counterexample);
    io("vacuous", x.vacuous);
    io("reason", x.reason);
    io("cases", x.cases);
    io("ms", x.ms);
  }
  template <typename Io>
  static void Of(Io& io, SimplificationCheck& x) {
    io("compositions", x.compositions);
    io("proved", x.proved);
    io("ms", x.ms);
    io("steps", x.steps);
    io("replayed", x.replayed);
    io("uses", x.uses);
    io("rules", x.rules);
  }
  template <typename Io>
  static void Of(Io& io, CertificatesCheck& x) {
    io("written", x.written);
    io("without", x.without);
    io("problem", x.problem);
  }
  template <typename Io>
  static void Of(Io& io, MemoryCheck& x) {
    io("arrays", x.arrays);
    io("bytes", x.bytes);
    io("sharing_pairs", x.sharing_pairs);
    io("conflicts", x.conflicts);
    io("copies", x.copies);
  }
  template <typename Io>
  static void Of(Io& io, ThreadMapCheck& x) {
    io("map", x.map);
    io("what", x.what);
    io("shape", x.shape);
    io("bijection", x.bijection);
  }
  template <typename Io>
  static void Of(Io& io, kernel::ClaimProof& x) {
    io("verdict", x.verdict);
    io("engine", x.engine);
    io("reason", x.reason);
    io("ms", x.ms);
    io("oracles", x.oracles);
  }
  template <typename Io>
  static void Of(Io& io, kernel::KernelProof& x) {
    for (kernel::Claim claim : kernel::kClaims) io(kernel::Name(claim), x.Of(claim));
    io("by_block", x.by_block);
    io("cases", x.cases);
    io("stores", x.stores);
  }
  template <typename Io>
  static void Of(Io& io, SampleSummary& x) {
    io("blocks", x.blocks);
    io("of_blocks", x.of_blocks);
    io("elements", x.elements);
    io("of_elements", x.of_elements);
    io("not_compared", x.not_compared);
  }
  template <typename Io>
  static void Of(Io& io, ExecutionSummary& x) {
    io("runs", x.runs);
    io("elements", x.elements);
    io("largest_ulp", x.largest_ulp);
    io("within", x.within);
    io("sample", x.sample);
  }
  template <typename Io>
  static void Of(Io& io, Mismatch& x) {
    io("leaf", x.leaf);
    io("index", x.index);
    io("expected", x.expected);
    io("actual", x.actual);
    io("ulp", x.ulp);
    io("element", x.element);
    io("why", x.why);
  }
  template <typename Io>
  static void Of(Io& io, LiteralComparison& x) {
    io("elements", x.elements);
    io("mismatches", x.mismatches);
    io("max_ulp", x.max_ulp);
    io("max_absolute", x.max_absolute);
    io("within", x.within);
    io("first", x.first);
  }
  template <typename Io>
  static void Of(Io& io, KernelCheck& x) {
    io("fusion", x.fusion);
    io("name", x.name);
    io("emitter", x.emitter);
    io("blocks", x.launch.blocks);
    io("threads", x.launch.threads);
    io("functions", x.functions);
    io("unordered_terms", x.unordered_terms);
    io("same_as", x.same_as);
    io("has_code", x.has_code);
    io("too_large", x.too_large);
    io("has_empty_sample", x.has_empty_sample);
    io("thread_maps", x.thread_maps);
    io("proof", x.proof);
    io("fusion_number", x.fusion_number);
    io("target", x.target);
    io("to_the_bit", x.to_the_bit);
    io("not_tested", x.not_tested);
    io("runs", x.runs);
    io("reached", x.reached);
    io("failed", x.failed);
    io("ran_alone", x.ran_alone);
    io("why_not", x.why_not);
    io("sample", x.sample);
    io("comparison", x.comparison);
    io("run_ms", x.run_ms);
  }
  template <typename Io>
  static void Of(Io& io, CollectiveCheck& x) {
    io("computation", x.computation);
    io("name", x.instruction);
    io("opcode", x.opcode);
    io("runs", x.runs);
    io("step", x.step);
    io("why_not", x.why_not);
    io("comparison", x.comparison);
  }
  template <typename Io>
  static void Of(Io& io, LibraryCheck& x) {
    io("computation", x.computation);
    io("name", x.instruction);
    io("opcode", x.opcode);
    io("runs", x.runs);
    io("why_not", x.why_not);
    io("comparison", x.comparison);
  }
  template <typename Io>
  static void Of(Io& io, WholeCheck& x) {
    io("runs", x.runs);
    io("collectives", x.collectives);
    io("libraries", x.libraries);
    io("shared", x.shared);
    io("why_shared", x.why_shared);
    io("comparison", x.comparison);
    io("why_not", x.why_not);
    io("given_up", x.given_up);
    io("several_orders", x.several_orders);
    io("why_not_by_kernels", x.why_not_by_kernels);
    io("proved_by_kernels", x.proved_by_kernels);
    io("late_trips_proved", x.late_trips_proved);
    io("open_loops", x.open_loops);
    io("left_loops", x.left_loops);
    io("ended_runs", x.ended_runs);
  }
  template <typename Io>
  static void Of(Io& io, Finding& x) {
    io("kind", x.kind);
    io("text", x.text);
    io("replay", x.replay);
    io("claim", x.claim);
    io("element", x.element);
    io("expected", x.expected);
    io("actual", x.actual);
  }
  template <typename Io>
  static void Of(Io& io, UnitRecord& x) {
    io("given_up", x.given_up);
    io("seconds", x.seconds);
    io("map_verdicts", x.map_verdicts);
    io("maps", x.maps);
    io("composed", x.composed);
    io("simplification", x.simplification);
    io("certificates", x.certificates);
    io("memory", x.memory);
    io("first_kernel", x.first_kernel);
    io("kernels", x.kernels);
    io("whole", x.whole);
    io("argument_kinds", x.argument_kinds);
    io("findings", x.findings);
  }
};

// Builds an object of the fields; what is empty is left out.
class Writer {
 public:
  template <typename T>
  void operator()(llvm::StringRef key, T& field) {
    Value value = Write(field);
    const Array* array = value.getAsArray();
    if (value.kind() != Value::Null && !(array && array->empty())) {
      object[key] = std::move(value);
    }
  }

  Object object;

 private:
  static Value Write(bool x) { return x; }
  // JSON has no text for bytes that are no UTF-8, as names of files may have.
  static Value Text(const std::string& x) {
    if (llvm::json::isUTF8(x)) return x;
    return Object{{"hex", llvm::toHex(x)}};
  }
  static Value Write(std::string& x) { return Text(x); }
  // JSON has no number for what is not finite.
  static Value Write(double x) {
    if (std::isfinite(x)) return x;
    return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
  }
  template <typename T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  static Value Write(T x) {
    return static_cast<int64_t>(x);
  }
  template <typename T>
  static Value Write(std::optional<T>& x) {
    return x ? Write(*x) : Value(nullptr);
  }
  template <typename T>
  static Value Write(std::vector<T>& x) {
    Array array;
    for (T& element : x) array.push_back(Write(element));
    return array;
  }
  template <typename A, typename B>
  static Value Write(std::pair<A, B>& x) {
    return Array{Write(x.first), Write(x.second)};
  }
  template <typename T>
  static Value Write(std::map<std::string, T>& x) {
    Array array;
    for (auto& [key, value] : x) array.push_back(Array{Text(key), Write(value)});
    return array;
  }
  template <typename T>
    requires std::is_class_v<T>
  static Value Write(T& x) {
    Writer writer;
    Fields::Of(writer, x);
    return std::move(writer.object);
  }
};

// Takes the fields of an object; `problem` names the first that is of another type.
class Reader {
 public:
  explicit Reader(const Object& object) : object_(object) {}

  template <typename T>
  void operator()(llvm::StringRef key, T& field) {
    const Value* value = object_.get(key);
    if (value != nullptr && problem.empty() && !Read(*value, field)) problem = key.str();
  }

  std::string problem;

 private:
  static bool Read(const Value& value, bool& x) { return Take(value.getAsBoolean(), x); }
  static bool Read(const Value& value, std::string& x) {
    if (const Object* bytes = value.getAsObject()) {
      return llvm::tryGetFromHex(bytes->getString("hex").value_or("?"), x);
    }
    return Take(value.getAsString(), x);
  }
  static bool Read(const Value& value, double& x) {
    const std::optional<llvm::StringRef> text = value.getAsString();
    if (!text) return Take(value.getAsNumber(), x);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    x = *text == "inf"    ? kInfinity
        : *text == "-inf" ? -kInfinity
                          : std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  template <typename T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  static bool Read(const Value& value, T& x) {
    const std::optional<int64_t> number = value.getAsInteger();
    if (number) x = static_cast<T>(*number);
    return number.has_value();
  }
  template <typename T>
  static bool Read(const Value& value, std::optional<T>& x) {
    return Read(value, x.emplace());
  }
  template <typename T>
  static bool Read(const Value& value, std::vector<T>& x) {
    const Array* array = value.getAsArray();
    if (array == nullptr) return false;
    for (const Value& element : *array) {
      if (!Read(element, x.emplace_back())) return false;
    }
    return true;
  }
  template <typename A, typename B>
  static bool Read(const Value& value, std::pair<A, B>& x) {
    const Array* array = value.getAsArray();
    return array != nullptr && array->size() == 2 && Read((*array)[0], x.first) &&
           Read((*array)[1], x.second);
  }
  template <typename T>
  static bool Read(const Value& value, std::map<std::string, T>& x) {
    std::vector<std::pair<std::string, T>> entries;
    if (!Read(value, entries)) return false;
    for (auto& [key, entry] : entries) x[key] = std::move(entry);
    return true;
  }
  template <typename T>
    requires std::is_class_v<T>
  static bool Read(const Value& value, T& x) {
    const Object* object = value.getAsObject();
    if (object == nullptr) return false;
    Reader reader(*object);
    Fields::Of(reader, x);
    return reader.problem.empty();
  }
  template <typename From, typename To>
  static bool Take(const std::optional<From>& from, To& to) {
    if (from) to = To(*from);
    return from.has_value();
  }

  const Object& object_;
};

}  // namespace

Object ToJson(const UnitRecord& record) {
  UnitRecord fields = record;  // one description serves writing and reading
  Writer writer;
  Fields::Of(writer, fields);
  return std::move(writer.object);
}

llvm::Expected<UnitRecord> UnitRecordFrom(const Object& json) {
  UnitRecord record;
  Reader reader(json);
  Fields::Of(reader, record);
  if (!reader.problem.empty()) {
    return MakeError("the field '" + reader.problem + "' is not what was expected");
  }
  return record;
}

}  // namespace affirm::driver
