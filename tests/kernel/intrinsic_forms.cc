// Forms of LLVM's intrinsics, derived from LLVM's own tables of their signatures.
#include <optional>

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/kernel/instruction_forms.h"

namespace affirm::kernel {
namespace {

using Types = std::vector<llvm::Type*>;

std::string Text(const llvm::Type* type) {
  std::string text;
  llvm::raw_string_ostream(text) << *type;
  return text;
}

// How many types the name of the intrinsic has; nullopt where the signature has others than
// scalars, vectors, and those.
std::optional<unsigned> OverloadsOf(llvm::Intrinsic::ID id) {
  using Entry = llvm::Intrinsic::IITDescriptor;
  llvm::SmallVector<Entry, 8> table;
  llvm::Intrinsic::getIntrinsicInfoTableEntries(id, table);
  unsigned count = 0;
  for (const Entry& entry : table) {
    switch (entry.Kind) {
      case Entry::Argument:
        count = std::max(count, entry.getArgumentNumber() + 1);
        break;
      case Entry::Void:
      case Entry::Half:
      case Entry::BFloat:
      case Entry::Float:
      case Entry::Double:
      case Entry::Integer:
      case Entry::Vector:
      case Entry::SameVecWidthArgument:
        break;
      default:
        return std::nullopt;
    }
  }
  return count;
}

// A type that one element of an array, or a vector of them, has in the kernels of forms.
bool IsOperand(llvm::Type* type) {
  llvm::Type* scalar = type->getScalarType();
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type);
      vector && vector->getElementCount() != llvm::ElementCount::getFixed(2)) {
    return false;
  }
  if (scalar->isHalfTy() || scalar->isBFloatTy() || scalar->isFloatTy() || scalar->isDoubleTy())
    return true;
  return scalar->isIntegerTy(1) || scalar->isIntegerTy(8) || scalar->isIntegerTy(16) ||
         scalar->isIntegerTy(32) || scalar->isIntegerTy(64);
}

// Results of libraries differ in the last bits, and fmuladd rounds once or twice.
bool IsExact(llvm::StringRef name) {
  for (llvm::StringRef function :
       {"sin", "cos", "tan", "exp", "log", "pow", "asin", "acos", "atan", "fmuladd", "rsqrt", "erf",
        "div.full", "ldexp", "cbrt", "fma", "sincos"}) {
    if (name.contains(function)) return name.contains("llvm.fma.") || name.contains("expect");
  }
  return true;
}

std::optional<Form> FormAt(llvm::Module& module, llvm::Intrinsic::ID id, const Types& overloads,
                           const std::string& immediate_bit) {
  llvm::FunctionType* type = llvm::Intrinsic::getType(module.getContext(), id, overloads);
  if (type->isVarArg()) return std::nullopt;
  llvm::SmallVector<llvm::Type*, 4> found;
  if (!llvm::Intrinsic::getIntrinsicSignature(id, type, found) ||
      found != llvm::SmallVector<llvm::Type*, 4>(overloads.begin(), overloads.end())) {
    return std::nullopt;
  }
  llvm::Function* function = llvm::Intrinsic::getOrInsertDeclaration(&module, id, overloads);
  llvm::Type* result = type->getReturnType();
  if (!result->isVoidTy() && !IsOperand(result)) return std::nullopt;
  Form form;
  form.name = function->getName().str() + " " + Text(type) + " " + immediate_bit;
  std::vector<std::string> arguments;
  for (const llvm::Argument& argument : function->args()) {
    const std::string of = Text(argument.getType());
    if (argument.hasAttribute(llvm::Attribute::ImmArg)) {
      if (!argument.getType()->isIntegerTy()) return std::nullopt;
      arguments.push_back(of + " " + (of == "i1" ? immediate_bit : "0"));
      continue;
    }
    if (!IsOperand(argument.getType())) return std::nullopt;
    arguments.push_back(of + " %x" + std::to_string(form.operands.size()));
    form.operands.push_back(of);
  }
  const std::string call = "call " + Text(result) + " @" + function->getName().str() + "(" +
                           llvm::join(arguments, ", ") + ")";
  form.result = result->isVoidTy() ? "i32" : Text(result);
  form.text = result->isVoidTy() ? call + "\n%r = add i32 %k, 0" : "%r = " + call;
  llvm::raw_string_ostream(form.outside) << *function;
  // Attributes of the declaration are a group that the text alone does not have.
  form.outside = form.outside.substr(0, form.outside.find(" #"));
  form.is_portable = !llvm::Intrinsic::isTargetIntrinsic(id);
  form.is_exact = IsExact(function->getName());
  return form;
}

}  // namespace

std::vector<Form> FormsOfIntrinsic(unsigned number) {
  const auto id = static_cast<llvm::Intrinsic::ID>(number);
  const llvm::StringRef base = llvm::Intrinsic::getBaseName(id);
  if (llvm::Intrinsic::isTargetIntrinsic(id) && !base.starts_with("llvm.nvvm.")) return {};
  llvm::LLVMContext context;
  llvm::Module module("forms", context);
  const Types scalars = {llvm::Type::getInt1Ty(context),   llvm::Type::getInt8Ty(context),
                         llvm::Type::getInt16Ty(context),  llvm::Type::getInt32Ty(context),
                         llvm::Type::getInt64Ty(context),  llvm::Type::getHalfTy(context),
                         llvm::Type::getBFloatTy(context), llvm::Type::getFloatTy(context),
                         llvm::Type::getDoubleTy(context)};
  Types types = scalars;
  for (llvm::Type* scalar : {scalars[0], scalars[1], scalars[3], scalars[7]})
    types.push_back(llvm::FixedVectorType::get(scalar, 2));
  std::vector<Types> all;
  const std::optional<unsigned> overloads = OverloadsOf(id);
  if (overloads == 0) all.push_back({});
  for (llvm::Type* one : types) {
    if (overloads == 1) all.push_back({one});
    if (overloads != 2) continue;
    for (llvm::Type* other : types) {
      if (one->isVectorTy() == other->isVectorTy()) all.push_back({one, other});
    }
  }
  std::vector<Form> forms;
  for (const Types& at : all) {
    auto form = FormAt(module, id, at, "false");
    if (!form) continue;
    forms.push_back(*form);
    if (llvm::StringRef(form->text).contains("i1 false"))
      forms.push_back(*FormAt(module, id, at, "true"));
  }
  return forms;
}

std::vector<Form> FormsOfInlinePtx() {
  std::vector<Form> forms;
  auto add = [&](const std::string& ptx, const std::string& constraints,
                 const std::vector<std::string>& operands, const std::string& result,
                 const std::string& arguments, const std::string& before = "") {
    forms.push_back({ptx + " in " + llvm::join(operands, ", "), operands, result,
                     before + "%r = call " + result + " asm sideeffect \"" + ptx + "\", \"" +
                         constraints + "\"(" + arguments + ")",
                     "", false});
  };
  const std::vector<std::pair<std::string, std::string>> registers = {
      {"i16", "h"},    {"i32", "r"},  {"i64", "l"},        {"float", "f"},
      {"double", "d"}, {"half", "h"}, {"<2 x half>", "r"}, {"i8", "c"}};
  const std::string global =
      "%q = addrspacecast ptr %in0 to ptr addrspace(1)\n%p = getelementptr i8, ptr addrspace(1) "
      "%q, "
      "i32 0\n";
  for (const auto& [type, letter] : registers) {
    for (const std::string width : {"b16", "u32", "b64", "f32"}) {
      add("mov." + width + " $0, $1;", "=" + letter + "," + letter, {type}, type, type + " %x0");
      add("mov." + width + " $0, 0x7;", "=" + letter, {}, type, "");
      add("@$2 mov." + width + " $0, $1;", "=" + letter + "," + letter + ",b,0", {type, "i1", type},
          type, type + " %x0, i1 %x1, " + type + " %x2");
      add("@!$2 mov." + width + " $0, $1;", "=" + letter + "," + letter + ",b", {type, "i1"}, type,
          type + " %x0, i1 %x1");
    }
    for (const std::string width : {"b8", "b16", "u32", "s16", "b64"}) {
      add("ld.global." + width + " { $0 }, [ $1 + 8 ];", "=" + letter + ",l", {"i64"}, type,
          "ptr addrspace(1) %p", global);
      add("mov.u32 $0, 0x3; @$2 ld.global." + width + " { $0 }, [ $1 + 0 ];",
          "=&" + letter + ",l,b", {"i64", "i1"}, type, "ptr addrspace(1) %p, i1 %x1", global);
    }
  }
  add("cvt.rna.tf32.f32 $0, $1;", "=r,r", {"i32"}, "i32", "i32 %x0");
  add("cvt.rna.tf32.f32 $0, $1;", "=r,f", {"float"}, "i32", "float %x0");
  return forms;
}

std::vector<Form> WithUnspecifiedOperands(const Form& form) {
  std::vector<Form> forms;
  for (size_t k = 0; k < form.operands.size(); ++k) {
    const std::string& type = form.operands[k];
    const std::string name = "%x" + std::to_string(k), other = "%u" + std::to_string(k);
    auto add = [&](const std::string& what, const std::string& makes) {
      Form with = form;
      with.name += ", operand " + std::to_string(k) + " " + what;
      // The operand's name is replaced wherever it is read.
      std::string text;
      for (size_t at = 0; at < form.text.size();) {
        const bool here = form.text.compare(at, name.size(), name) == 0 &&
                          !llvm::isAlnum(form.text.c_str()[at + name.size()]);
        text += here ? other : std::string(1, form.text[at]);
        at += here ? name.size() : 1;
      }
      with.text = makes + "\n" + text;
      forms.push_back(std::move(with));
    };
    add("undef", other + " = select i1 true, " + type + " undef, " + type + " undef");
    add("poison", other + " = select i1 true, " + type + " poison, " + type + " poison");
    add("frozen", other + " = freeze " + type + " poison");
    forms.back().is_strict = false;
    const bool is_integer = type.size() > 1 && type[0] == 'i' && type != "i1";
    if (is_integer) add("shifted", other + " = shl " + type + " " + name + ", " + name);
    if (type == "i1") {
      add("shifted", "%z = zext i1 %x" + std::to_string(k) +
                         " to i8\n%s = mul i8 %z, 8\n%h = shl i8 1, %s\n" + other +
                         " = trunc i8 %h to i1");
    }
    if (type == "float") {
      add("shifted", "%z = bitcast float " + name + " to i32\n%h = shl i32 %z, %z\n" + other +
                         " = bitcast i32 %h to float");
    }
  }
  return forms;
}

}  // namespace affirm::kernel
