// One reader and one printer for each syntax of an attribute value, and the table of attributes.
#include "core/hlo/attribute_text.h"

#include <utility>

#include "core/hlo/attribute_rules.h"
#include "core/hlo/window_text.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

using Ints = std::vector<int64_t>;

// The syntaxes of a value. Each is a pair of functions, read and print, over a field.

llvm::Expected<Ints> ReadInts(Scanner& scanner) {
  Ints values;
  if (llvm::Error error = scanner.Expect('{', "before a list of numbers")) return error;
  if (scanner.Consume('}')) return values;
  do {
    llvm::Expected<int64_t> value = scanner.Integer("a number");
    if (!value) return value.takeError();
    values.push_back(*value);
  } while (scanner.Consume(','));
  if (llvm::Error error = scanner.Expect('}', "or ',' behind a number")) return error;
  return values;
}

void WriteInts(const Ints& values, llvm::raw_ostream& os) {
  os << "{";
  llvm::interleave(values, os, ",");
  os << "}";
}

// `T` to the field, or the error of reading it.
template <typename T>
llvm::Error Store(llvm::Expected<T> value, T& field) {
  if (!value) return value.takeError();
  field = std::move(*value);
  return llvm::Error::success();
}

template <auto kField>
llvm::Error ReadIntsField(Scanner& scanner, Attributes& attributes) {
  return Store(ReadInts(scanner), attributes.*kField);
}
template <auto kField>
void WriteIntsField(const Attributes& attributes, llvm::raw_ostream& os) {
  WriteInts(attributes.*kField, os);
}

template <auto kField>
llvm::Error ReadIntField(Scanner& scanner, Attributes& attributes) {
  return Store(scanner.Integer("a number"), attributes.*kField);
}
template <auto kField>
void WriteIntField(const Attributes& attributes, llvm::raw_ostream& os) {
  os << attributes.*kField;
}

template <auto kField>
llvm::Error ReadBoolField(Scanner& scanner, Attributes& attributes) {
  if (scanner.ConsumeWord("true")) {
    attributes.*kField = true;
  } else if (scanner.ConsumeWord("false")) {
    attributes.*kField = false;
  } else {
    return scanner.FailHere("expected true or false, found " + scanner.Found());
  }
  return llvm::Error::success();
}
template <auto kField>
void WriteBoolField(const Attributes& attributes, llvm::raw_ostream& os) {
  os << (attributes.*kField ? "true" : "false");
}

template <auto kField>
llvm::Error ReadWordField(Scanner& scanner, Attributes& attributes) {
  const llvm::StringRef word = scanner.Identifier();
  if (word.empty()) return scanner.FailHere("expected a word, found " + scanner.Found());
  attributes.*kField = word.str();
  return llvm::Error::success();
}
template <auto kField>
void WriteWordField(const Attributes& attributes, llvm::raw_ostream& os) {
  os << attributes.*kField;
}

llvm::Error ReadTarget(Scanner& scanner, Attributes& attributes) {
  return Store(scanner.String(), attributes.custom_call_target);
}
void WriteTarget(const Attributes& attributes, llvm::raw_ostream& os) {
  PrintString(attributes.custom_call_target, os);
}

llvm::Error ReadIotaDimension(Scanner& scanner, Attributes& attributes) {
  llvm::Expected<int64_t> dim = scanner.Integer("a dimension");
  if (!dim) return dim.takeError();
  attributes.dimensions = {*dim};
  return llvm::Error::success();
}
void WriteIotaDimension(const Attributes& attributes, llvm::raw_ostream& os) {
  os << attributes.dimensions[0];
}

llvm::Error ReadSlice(Scanner& scanner, Attributes& attributes) {
  return Store(ParseSliceDimensions(scanner), attributes.slice);
}
void WriteSlice(const Attributes& attributes, llvm::raw_ostream& os) {
  PrintSliceDimensions(attributes.slice, os);
}

llvm::Error ReadPadding(Scanner& scanner, Attributes& attributes) {
  return Store(ParsePadding(scanner), attributes.padding);
}
void WritePadding(const Attributes& attributes, llvm::raw_ostream& os) {
  PrintPadding(attributes.padding, os);
}

llvm::Error ReadWindow(Scanner& scanner, Attributes& attributes) {
  return Store(ParseWindow(scanner), attributes.window);
}
void WriteWindow(const Attributes& attributes, llvm::raw_ostream& os) {
  PrintWindow(attributes.window, os);
}

llvm::Error ReadDimLabels(Scanner& scanner, Attributes& attributes) {
  const size_t begin = scanner.pos();
  llvm::Expected<ConvDimensionNumbers> numbers = ParseDimLabels(scanner);
  if (numbers) {
    attributes.dim_labels = std::move(*numbers);
    return llvm::Error::success();
  }
  // '?' marks a dimension that the convolution leaves open; only text can express that.
  scanner.set_pos(begin);
  llvm::Expected<llvm::StringRef> raw = scanner.RawValue();
  if (!raw || !raw->contains('?')) {
    if (!raw) llvm::consumeError(raw.takeError());
    return numbers.takeError();
  }
  llvm::consumeError(numbers.takeError());
  attributes.extra.emplace_back("dim_labels", raw->str());
  return llvm::Error::success();
}
void WriteDimLabels(const Attributes& attributes, llvm::raw_ostream& os) {
  PrintDimLabels(*attributes.dim_labels, os);
}

// "{{0,1},{2,3}}". The other forms ("[2,2]<=[4]", "{}") stay text.
llvm::Error ReadReplicaGroups(Scanner& scanner, Attributes& attributes) {
  scanner.SkipSpace();
  const size_t begin = scanner.pos();
  if (scanner.Consume('{') && scanner.Peek() == '{') {
    std::vector<Ints> groups;
    do {
      llvm::Expected<Ints> group = ReadInts(scanner);
      if (!group) return group.takeError();
      groups.push_back(std::move(*group));
    } while (scanner.Consume(','));
    if (llvm::Error error = scanner.Expect('}', "behind the replica groups")) return error;
    attributes.replica_groups = std::move(groups);
    return llvm::Error::success();
  }
  scanner.set_pos(begin);
  llvm::Expected<llvm::StringRef> raw = scanner.RawValue();
  if (!raw) return raw.takeError();
  attributes.extra.emplace_back("replica_groups", raw->str());
  return llvm::Error::success();
}
void WriteReplicaGroups(const Attributes& attributes, llvm::raw_ostream& os) {
  os << "{";
  llvm::ListSeparator separator(",");
  for (const Ints& group : attributes.replica_groups) {
    os << separator;
    WriteInts(group, os);
  }
  os << "}";
}

// "order=TOTAL", newer text for "type=TOTALORDER"; the other order is the default.
llvm::Error ReadOrder(Scanner& scanner, Attributes& attributes) {
  scanner.SkipSpace();
  const size_t begin = scanner.pos();
  const std::string found = scanner.Found();
  const llvm::StringRef order = scanner.Identifier();
  if (order != "TOTAL" && order != "PARTIAL")
    return scanner.Fail(begin, "expected order=TOTAL or PARTIAL, found " + found);
  if (order == "TOTAL") attributes.comparison_type = "TOTALORDER";
  return llvm::Error::success();
}

template <auto kField>
bool IsSet(const Attributes& attributes) {
  static const Attributes kDefault;
  return attributes.*kField != kDefault.*kField;
}

using Reader = llvm::Error (*)(Scanner&, Attributes&);
using Writer = void (*)(const Attributes&, llvm::raw_ostream&);

constexpr Opcode kAny = Opcode::kUnknown;

struct Field {
  llvm::StringLiteral key;
  Opcode only;  // the opcode whose attribute this is, or kAny
  Reader read;
  Writer write;
  bool (*is_set)(const Attributes&);
};

template <auto kField>
constexpr Field IntsField(llvm::StringLiteral key) {
  return {key, kAny, ReadIntsField<kField>, WriteIntsField<kField>, IsSet<kField>};
}
template <auto kField>
constexpr Field IntField(llvm::StringLiteral key, Opcode only = kAny) {
  return {key, only, ReadIntField<kField>, WriteIntField<kField>, IsSet<kField>};
}
template <auto kField>
constexpr Field BoolField(llvm::StringLiteral key) {
  return {key, kAny, ReadBoolField<kField>, WriteBoolField<kField>, IsSet<kField>};
}
template <auto kField>
constexpr Field WordField(llvm::StringLiteral key, Opcode only) {
  return {key, only, ReadWordField<kField>, WriteWordField<kField>, IsSet<kField>};
}

using A = Attributes;

// In the order in which they print.
constexpr Field kFields[] = {
    {"iota_dimension", Opcode::kIota, ReadIotaDimension, WriteIotaDimension, IsSet<&A::dimensions>},
    IntsField<&A::dimensions>("dimensions"),
    {"slice", Opcode::kSlice, ReadSlice, WriteSlice, IsSet<&A::slice>},
    IntsField<&A::dynamic_slice_sizes>("dynamic_slice_sizes"),
    {"padding", Opcode::kPad, ReadPadding, WritePadding, IsSet<&A::padding>},
    {"window", kAny, ReadWindow, WriteWindow, IsSet<&A::window>},
    {"dim_labels", kAny, ReadDimLabels, WriteDimLabels, IsSet<&A::dim_labels>},
    IntField<&A::feature_group_count>("feature_group_count"),
    IntField<&A::batch_group_count>("batch_group_count"),
    IntsField<&A::lhs_batch>("lhs_batch_dims"),
    IntsField<&A::lhs_contracting>("lhs_contracting_dims"),
    IntsField<&A::rhs_batch>("rhs_batch_dims"),
    IntsField<&A::rhs_contracting>("rhs_contracting_dims"),
    IntsField<&A::offset_dims>("offset_dims"),
    IntsField<&A::collapsed_slice_dims>("collapsed_slice_dims"),
    IntsField<&A::start_index_map>("start_index_map"),
    IntsField<&A::operand_batching_dims>("operand_batching_dims"),
    IntsField<&A::start_indices_batching_dims>("start_indices_batching_dims"),
    IntsField<&A::update_window_dims>("update_window_dims"),
    IntsField<&A::inserted_window_dims>("inserted_window_dims"),
    IntsField<&A::scatter_dims_to_operand_dims>("scatter_dims_to_operand_dims"),
    IntsField<&A::input_batching_dims>("input_batching_dims"),
    IntsField<&A::scatter_indices_batching_dims>("scatter_indices_batching_dims"),
    IntField<&A::index_vector_dim>("index_vector_dim"),
    IntsField<&A::slice_sizes>("slice_sizes"),
    BoolField<&A::indices_are_sorted>("indices_are_sorted"),
    BoolField<&A::unique_indices>("unique_indices"),
    BoolField<&A::is_stable>("is_stable"),
    BoolField<&A::is_reverse>("is_reverse"),
    IntField<&A::num_carries>("num_carries"),
    WordField<&A::comparison_direction>("direction", Opcode::kCompare),
    WordField<&A::comparison_type>("type", Opcode::kCompare),
    {"order", Opcode::kCompare, ReadOrder, nullptr, [](const Attributes&) { return false; }},
    IntField<&A::exponent_bits>("exponent_bits"),
    IntField<&A::mantissa_bits>("mantissa_bits"),
    IntField<&A::tuple_index>("index", Opcode::kGetTupleElement),
    WordField<&A::fusion_kind>("kind", Opcode::kFusion),
    {"custom_call_target", kAny, ReadTarget, WriteTarget, IsSet<&A::custom_call_target>},
    {"replica_groups", kAny, ReadReplicaGroups, WriteReplicaGroups, IsSet<&A::replica_groups>},
};

// Whether the attribute is there however empty it is. Words, labels and the dimension of an iota
// have no empty text.
bool AlwaysShown(Opcode opcode, llvm::StringRef key) {
  return NeedsAttribute(opcode, key) && key != "iota_dimension" && key != "kind" &&
         key != "direction" && key != "dim_labels";
}

// `iota_dimension` and `dimensions` share a field; of the two, iota has the former.
bool Has(Opcode opcode, const Field& field) {
  if (field.only != kAny) return field.only == opcode;
  return opcode != Opcode::kIota || field.key != "dimensions";
}

}  // namespace

llvm::Error ParseAttribute(Scanner& scanner, llvm::StringRef key, Opcode opcode,
                           Attributes& attributes) {
  for (const Field& field : kFields) {
    if (field.key == key && Has(opcode, field)) return field.read(scanner, attributes);
  }
  scanner.SkipSpace();
  const size_t begin = scanner.pos();
  size_t end = begin;
  do {
    llvm::Expected<llvm::StringRef> raw = scanner.RawValue();
    if (!raw) return raw.takeError();
    end = scanner.pos();
    // A blank may stand between a shape and its value: "literal=s32[2]{0} {1, 2}".
  } while (scanner.Peek() == '{' || scanner.Peek() == '(');
  scanner.set_pos(end);
  attributes.extra.emplace_back(key.str(), scanner.Since(begin).str());
  return llvm::Error::success();
}

void PrintAttributes(const Attributes& attributes, Opcode opcode, llvm::raw_ostream& os) {
  for (const Field& field : kFields) {
    if (!Has(opcode, field)) continue;
    if (!field.is_set(attributes) && !AlwaysShown(opcode, field.key)) continue;
    os << ", " << field.key << "=";
    field.write(attributes, os);
  }
  for (const auto& [key, value] : attributes.extra) os << ", " << key << "=" << value;
}

void PrintString(llvm::StringRef value, llvm::raw_ostream& os) {
  os << '"';
  for (const char c : value) {
    const auto code = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      os << '\\' << c;
    } else if (code < 0x20 || code == 0x7F) {
      os << '\\' << static_cast<char>('0' + code / 64) << static_cast<char>('0' + code / 8 % 8)
         << static_cast<char>('0' + code % 8);
    } else {
      os << c;
    }
  }
  os << '"';
}

}  // namespace affirm::hlo
