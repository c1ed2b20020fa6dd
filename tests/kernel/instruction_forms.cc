#include "tests/kernel/instruction_forms.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::kernel {
namespace {

using Op = llvm::Instruction;
using Strings = std::vector<std::string>;

const Strings kIntegers = {"i1", "i8", "i16", "i32", "i64"};
const Strings kFloats = {"half", "bfloat", "float", "double"};

bool IsFloat(llvm::StringRef type) {
  return llvm::is_contained(kFloats, type) ||
         (type.contains(" x ") &&
          llvm::is_contained(kFloats, type.split(" x ").second.drop_back()));
}

unsigned WidthOf(llvm::StringRef type) {
  unsigned width = 0;
  if (type.consume_front("i") && !type.getAsInteger(10, width)) return width;
  return type == "double" ? 64 : type == "float" ? 32 : 16;
}

std::string Vector(const std::string& element) { return "<2 x " + element + ">"; }

void AddBinary(std::vector<Form>& forms, const std::string& instruction, const Strings& types) {
  for (const std::string& type : types) {
    forms.push_back({instruction + " " + type,
                     {type, type},
                     type,
                     "%r = " + instruction + " " + type + " %x0, %x1"});
  }
}

std::vector<Form> Binary(unsigned opcode) {
  const std::string name = Op::getOpcodeName(opcode);
  Strings flags = {""};
  switch (opcode) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Shl:
      flags = {"", " nsw", " nuw", " nuw nsw"};
      break;
    case Op::UDiv:
    case Op::SDiv:
    case Op::LShr:
    case Op::AShr:
      flags = {"", " exact"};
      break;
    case Op::Or:
      flags = {"", " disjoint"};
      break;
    default:
      break;
  }
  std::vector<Form> forms;
  for (const std::string& flag : flags) {
    if (llvm::StringRef(name).starts_with("f")) {
      AddBinary(forms, name + flag, kFloats);
      AddBinary(forms, name + flag, {Vector("float"), Vector("half")});
    } else {
      AddBinary(forms, name + flag, kIntegers);
      AddBinary(forms, name + flag, {Vector("i32"), Vector("i8"), Vector("i1")});
      // Integers that no array holds.
      forms.push_back({name + flag + " i7",
                       {"i8", "i8"},
                       "i8",
                       "%a = trunc i8 %x0 to i7\n%b = trunc i8 %x1 to i7\n%c = " + name + flag +
                           " i7 %a, %b\n%r = sext i7 %c to i8"});
      forms.push_back(
          {name + flag + " i128",
           {"i64", "i64"},
           "i64",
           "%a = zext i64 %x0 to i128\n%h = shl i128 %a, 64\n%b = zext i64 %x1 to i128\n"
           "%c = " +
               name + flag +
               " i128 %h, %b\n%d = lshr i128 %c, 64\n"
               "%r = trunc i128 %d to i64"});
      forms.push_back({name + flag + " i32 by itself",
                       {"i32"},
                       "i32",
                       "%r = " + name + flag + " i32 %x0, %x0"});
    }
    // A divisor of 3 that may be poison; the quotient is unused.
    if (name.ends_with("div") || name.ends_with("rem")) {
      for (const std::string type : {"i8", "i32", "i64"}) {
        if (name[0] == 'f') break;
        const std::string of = " = " + name + flag + " " + type;
        forms.push_back({name + flag + " " + type + " by what may be poison",
                         {type},
                         type,
                         "%h = shl " + type + " %x0, %x0\n%z = and " + type + " %h, 0\n%d = or " +
                             type + " %z, 3\n%q" + of + " 6, %d\n%r = xor " + type + " %x0, 0"});
      }
    }
    // With numbers on one side.
    for (const std::string& type : llvm::StringRef(name).starts_with("f") ? kFloats : kIntegers) {
      const std::string number = IsFloat(type) ? "-2.0" : type == "i1" ? "true" : "-3";
      forms.push_back({name + flag + " " + type + " number on the right",
                       {type},
                       type,
                       "%r = " + name + flag + " " + type + " %x0, " + number});
      forms.push_back({name + flag + " " + type + " number on the left",
                       {type},
                       type,
                       "%r = " + name + flag + " " + type + " " + number + ", %x0"});
      if (IsFloat(type) || type == "i1") continue;
      forms.push_back({name + flag + " " + type + " by 3",
                       {type},
                       type,
                       "%r = " + name + flag + " " + type + " %x0, 3"});
    }
  }
  return forms;
}

std::vector<Form> Casts(unsigned opcode) {
  const std::string name = Op::getOpcodeName(opcode);
  std::vector<Form> forms;
  auto add = [&](const std::string& flags, const std::string& from, const std::string& to) {
    const std::string text = name + flags + " " + from;
    forms.push_back({text + " to " + to, {from}, to, "%r = " + text + " %x0 to " + to});
  };
  auto add_with_vector = [&](const std::string& flags, const std::string& from,
                             const std::string& to) {
    add(flags, from, to);
    add(flags, Vector(from), Vector(to));
  };
  for (const std::string& from : kIntegers) {
    for (const std::string& to : kIntegers) {
      if (opcode == Op::Trunc && WidthOf(from) > WidthOf(to)) {
        for (const char* flag : {"", " nsw", " nuw", " nuw nsw"}) add_with_vector(flag, from, to);
      }
      if (opcode == Op::SExt && WidthOf(from) < WidthOf(to)) add_with_vector("", from, to);
      if (opcode == Op::ZExt && WidthOf(from) < WidthOf(to)) {
        add_with_vector("", from, to);
        add(" nneg", from, to);
      }
    }
    for (const std::string& number : kFloats) {
      if (opcode == Op::SIToFP) add_with_vector("", from, number);
      if (opcode == Op::UIToFP) add_with_vector("", from, number);
      if (opcode == Op::UIToFP) add(" nneg", from, number);
      if (opcode == Op::FPToSI || opcode == Op::FPToUI) add_with_vector("", number, from);
    }
  }
  const std::vector<std::pair<std::string, std::string>> wider = {{"half", "float"},
                                                                  {"half", "double"},
                                                                  {"bfloat", "float"},
                                                                  {"bfloat", "double"},
                                                                  {"float", "double"}};
  for (const auto& [narrow, wide] : wider) {
    if (opcode == Op::FPExt) add_with_vector("", narrow, wide);
    if (opcode == Op::FPTrunc) add_with_vector("", wide, narrow);
  }
  if (opcode == Op::BitCast) {
    const std::vector<std::pair<std::string, std::string>> same = {{"float", "i32"},
                                                                   {"double", "i64"},
                                                                   {"half", "i16"},
                                                                   {"bfloat", "i16"},
                                                                   {"half", "bfloat"},
                                                                   {"i32", "<2 x i16>"},
                                                                   {"i64", "<2 x float>"},
                                                                   {"<2 x half>", "i32"},
                                                                   {"<2 x i8>", "half"},
                                                                   {"i16", "<2 x i8>"},
                                                                   {"<2 x i32>", "<2 x float>"},
                                                                   {"double", "<2 x i32>"}};
    for (const auto& [a, b] : same) {
      add("", a, b);
      add("", b, a);
    }
  }
  return forms;
}

std::vector<Form> Comparisons(bool of_floats) {
  std::vector<Form> forms;
  const auto first =
      of_floats ? llvm::CmpInst::FIRST_FCMP_PREDICATE : llvm::CmpInst::FIRST_ICMP_PREDICATE;
  const auto last =
      of_floats ? llvm::CmpInst::LAST_FCMP_PREDICATE : llvm::CmpInst::LAST_ICMP_PREDICATE;
  for (unsigned p = first; p <= last; ++p) {
    const std::string name =
        llvm::CmpInst::getPredicateName(static_cast<llvm::CmpInst::Predicate>(p)).str();
    for (const std::string& flag : of_floats ? Strings{""} : Strings{"", "samesign "}) {
      for (const std::string& type : of_floats ? kFloats : kIntegers) {
        const std::string text = (of_floats ? "fcmp " : "icmp ") + flag + name + " ";
        forms.push_back({text + type, {type, type}, "i1", "%r = " + text + type + " %x0, %x1"});
        const std::string number = of_floats ? "1.0" : type == "i1" ? "true" : "5";
        forms.push_back({text + type + " with a number",
                         {type},
                         "i1",
                         "%r = " + text + type + " %x0, " + number});
      }
      const std::string type = Vector(of_floats ? "float" : "i16");
      const std::string text = (of_floats ? "fcmp " : "icmp ") + flag + name + " " + type;
      forms.push_back({text, {type, type}, Vector("i1"), "%r = " + text + " %x0, %x1"});
    }
  }
  return forms;
}

std::vector<Form> Selects() {
  std::vector<Form> forms;
  Strings types = kIntegers;
  types.insert(types.end(), kFloats.begin(), kFloats.end());
  types.insert(types.end(), {Vector("i32"), Vector("float"), Vector("i1")});
  for (const std::string& type : types) {
    forms.push_back({"select " + type,
                     {"i1", type, type},
                     type,
                     "%r = select i1 %x0, " + type + " %x1, " + type + " %x2"});
    forms.push_back({"select " + type + " poison in an arm",
                     {"i1", type},
                     type,
                     "%r = select i1 %x0, " + type + " %x1, " + type + " poison"});
    if (llvm::StringRef(type).starts_with("<")) {
      forms.push_back({"select by elements " + type,
                       {Vector("i1"), type, type},
                       type,
                       "%r = select <2 x i1> %x0, " + type + " %x1, " + type + " %x2"});
    }
  }
  forms.push_back({"select an aggregate",
                   {"i1", "i32", "float"},
                   "i32",
                   "%a = insertvalue {i32, float} {i32 7, float 1.0}, i32 %x1, 0\n"
                   "%b = insertvalue {i32, float} {i32 3, float 0.0}, float %x2, 1\n"
                   "%c = select i1 %x0, {i32, float} %a, {i32, float} %b\n"
                   "%d = extractvalue {i32, float} %c, 0\n%e = extractvalue {i32, float} %c, 1\n"
                   "%f = bitcast float %e to i32\n%r = add i32 %d, %f"});
  forms.push_back({"select a pointer",
                   {"i1", "i32"},
                   "i32",
                   "%q = getelementptr i32, ptr %in1, i32 1\n%p = select i1 %x0, ptr %in1, ptr %q\n"
                   "%r = load i32, ptr %p"});
  forms.push_back({"select of 128 bits",
                   {"i1", "i64", "i64"},
                   "i64",
                   "%a = zext i64 %x1 to i128\n%b = zext i64 %x2 to i128\n%h = shl i128 %b, 64\n"
                   "%c = select i1 %x0, i128 %a, i128 %h\n%d = lshr i128 %c, 64\n"
                   "%r = trunc i128 %d to i64"});
  for (const char* predicate : {"ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"}) {
    for (const std::string& type : kIntegers) {
      forms.push_back({std::string("extremum by ") + predicate + " " + type,
                       {type, type},
                       type,
                       std::string("%c = icmp ") + predicate + " " + type +
                           " %x0, %x1\n%r = select i1 %c, " + type + " %x0, " + type + " %x1"});
    }
  }
  return forms;
}

std::vector<Form> Addresses() {
  std::vector<Form> forms;
  for (const std::string type : {"i1", "i8", "i16", "i32", "i64", "i128"}) {
    const bool wide = type == "i128";
    for (const std::string flag : {"", "inbounds ", "nuw ", "nusw "}) {
      forms.push_back({"getelementptr " + flag + type,
                       {wide ? "i64" : type, "i32"},
                       "i32",
                       std::string(wide ? "%i = zext i64 %x0 to i128\n" : "") +
                           "%m = getelementptr i32, ptr %in1, i32 4\n%p = getelementptr " + flag +
                           "i32, ptr %m, " + type + (wide ? " %i" : " %x0") +
                           "\n%r = load i32, ptr %p"});
    }
    if (wide) continue;
    forms.push_back(
        {"getelementptr of a member, " + type,
         {type, "i32"},
         "i32",
         "%m = getelementptr i32, ptr %in1, i32 4\n%p = getelementptr {i32, [2 x i32]}, "
         "ptr %m, i32 0, i32 1, " +
             type + " %x0\n%r = load i32, ptr %p"});
  }
  return forms;
}

std::vector<Form> OfVectors(unsigned opcode) {
  std::vector<Form> forms;
  for (const std::string element : {"i1", "i8", "i32", "half", "float", "double"}) {
    const std::string type = Vector(element);
    for (const std::string index : {"i1 true", "i8 1", "i32 0", "i64 1"}) {
      if (opcode == Op::ExtractElement) {
        forms.push_back({"extractelement " + type + " at " + index,
                         {type},
                         element,
                         "%r = extractelement " + type + " %x0, " + index});
      } else if (opcode == Op::InsertElement) {
        forms.push_back({"insertelement " + type + " at " + index,
                         {type, element},
                         type,
                         "%r = insertelement " + type + " %x0, " + element + " %x1, " + index});
      }
    }
    if (opcode == Op::ShuffleVector) {
      for (const std::string mask : {"i32 0, i32 2", "i32 3, i32 1", "i32 1, i32 1"}) {
        forms.push_back(
            {"shufflevector " + type + " " + mask,
             {type, type},
             type,
             "%r = shufflevector " + type + " %x0, " + type + " %x1, <2 x i32> <" + mask + ">"});
      }
      forms.push_back({"shufflevector with poison " + type,
                       {type, type},
                       element,
                       "%v = shufflevector " + type + " %x0, " + type +
                           " %x1, <2 x i32> <i32 poison, i32 1>\n%r = extractelement " + type +
                           " %v, i32 1"});
    }
  }
  return forms;
}

std::vector<Form> ControlFlow(unsigned opcode) {
  const std::string ends =
      "one:\nbr label %join\ntwo:\nbr label %join\nother:\nbr label %join\n"
      "join:\n%r = phi i32 [1, %one], [2, %two], [3, %other]";
  std::vector<Form> forms;
  if (opcode == Op::Br) {
    forms.push_back({"br",
                     {"i1"},
                     "i32",
                     "br i1 %x0, label %one, label %two\none:\nbr label %join\ntwo:\n"
                     "br label %join\njoin:\n%r = phi i32 [1, %one], [2, %two]"});
    forms.push_back({"br to one block",
                     {"i1"},
                     "i32",
                     "br i1 %x0, label %one, label %one\none:\n%r = add i32 %k, 5"});
  }
  if (opcode == Op::Switch) {
    for (const std::string& type : kIntegers) {
      const std::string one = type == "i1" ? "true" : "5", two = type == "i1" ? "false" : "-1";
      const std::string head = "switch " + type + " %x0, label %other [";
      forms.push_back({"switch of two cases " + type,
                       {type},
                       "i32",
                       head + type + " " + one + ", label %one " + type + " " + two +
                           ", label %two]\n" + ends});
      forms.push_back({"switch of one case " + type,
                       {type},
                       "i32",
                       head + type + " " + one +
                           ", label %one]\none:\nbr label %join\nother:\n"
                           "br label %join\njoin:\n%r = phi i32 [1, %one], [3, %other]"});
      forms.push_back(
          {"switch without cases " + type, {type}, "i32", head + "]\nother:\n%r = add i32 %k, 3"});
      forms.push_back({"switch of cases with one block " + type,
                       {type},
                       "i32",
                       head + type + " " + one + ", label %other " + type + " " + two +
                           ", label %other]\nother:\n%r = add i32 %k, 3"});
      // The comparison decides which case it is.
      forms.push_back({"switch on a number " + type,
                       {"i32"},
                       "i32",
                       "switch " + type + " " + two + ", label %other [" + type + " " + one +
                           ", label %one " + type + " " + two + ", label %two]\n" + ends});
    }
    forms.push_back({"switch i128",
                     {"i64"},
                     "i32",
                     "%w = zext i64 %x0 to i128\nswitch i128 %w, label %other [i128 5, label %one "
                     "i128 6, label %two]\n" +
                         ends});
  }
  if (opcode == Op::PHI) {
    for (const std::string type : {"i1", "i8", "i64", "float", "<2 x float>", "<2 x i1>"}) {
      forms.push_back({"phi " + std::string(type),
                       {"i1", type, type},
                       type,
                       "br i1 %x0, label %one, label %two\none:\nbr label %join\ntwo:\n"
                       "br label %join\njoin:\n%r = phi " +
                           std::string(type) + " [%x1, %one], [%x2, %two]"});
    }
    // A counter after its loop, which may run no time.
    for (const std::string step : {"1", "3", "-1"}) {
      forms.push_back({"a counter after its loop by " + step,
                       {"i8"},
                       "i32",
                       "%n = sext i8 %x0 to i32\nbr label %head\nhead:\n"
                       "%i = phi i32 [-20, %0], [%next, %body]\n%more = icmp " +
                           std::string(step == "-1" ? "sgt" : "slt") + " i32 %i, " +
                           (step == "-1" ? "-300" : "%n") +
                           "\nbr i1 %more, label %body, label %exit\nbody:\n%next = add i32 %i, " +
                           step + "\nbr label %head\nexit:\n%r = add i32 %i, 0"});
    }
  }
  if (opcode == Op::Call) {
    for (const std::string type : {"i1", "i32", "float", "<2 x i32>"}) {
      forms.push_back({"call that takes a defined " + type + " and drops it",
                       {type},
                       "i32",
                       "call void @f(" + type + " %x0)\n%r = add i32 %k, 0",
                       "define internal void @f(" + type + " noundef %x) {\nret void\n}"});
    }
  }
  if (opcode == Op::Ret || opcode == Op::Call) {
    for (const std::string type : {"i1", "i32", "float", "<2 x i32>"}) {
      const std::string range = type == "i1" || type == "i32" ? "range(" + type + " 0, -1) " : "";
      for (const std::string& attributes : {std::string(), std::string("noundef "), range}) {
        forms.push_back({"call of " + attributes + type,
                         {type},
                         type,
                         "%r = call " + type + " @f(" + type + " %x0)",
                         "define internal " + attributes + type + " @f(" + type + " " + attributes +
                             "%x) {\nret " + type + " %x\n}"});
      }
    }
  }
  return forms;
}

std::vector<Form> Memory(unsigned opcode) {
  Strings types = {"i8", "i16", "i32", "i64", "half", "bfloat", "float", "double"};
  types.insert(types.end(), {Vector("i8"), Vector("float"), "{i8, float}", "[2 x i16]"});
  std::vector<Form> forms;
  for (const std::string& type : types) {
    const bool is_aggregate = type[0] == '{' || type[0] == '[';
    if (opcode == Op::Alloca && !is_aggregate) {
      forms.push_back({"alloca " + type,
                       {type},
                       type,
                       "%p = alloca " + type + "\nstore " + type + " %x0, ptr %p\n%r = load " +
                           type + ", ptr %p"});
    }
    if (opcode == Op::Load && is_aggregate) {
      forms.push_back({"load " + type,
                       {"i64"},
                       "i8",
                       "%p = alloca i64\nstore i64 %x0, ptr %p\n%v = load " + type +
                           ", ptr %p\n%w = extractvalue " + type + " %v, 0\n%r = trunc i16 " +
                           (type[0] == '{' ? "0" : "%w") + " to i8"});
    }
    if (opcode == Op::Load && !is_aggregate && type[0] != '<') {
      forms.push_back({"load the low part " + type,
                       {"i64"},
                       type,
                       "%p = alloca i64\nstore i64 %x0, ptr %p\n%r = load " + type + ", ptr %p"});
      forms.push_back({"load what nobody stored " + type,
                       {"i64"},
                       type,
                       "%p = alloca i64\n%r = load " + type + ", ptr %p"});
    }
    if (opcode == Op::Store && !is_aggregate && type[0] != '<') {
      forms.push_back({"store a part " + type,
                       {type, "i64"},
                       "i64",
                       "%p = alloca i64\nstore i64 %x1, ptr %p\nstore " + type +
                           " %x0, ptr %p\n%r = load i64, ptr %p"});
      forms.back().is_strict = false;
    }
  }
  return forms;
}

}  // namespace

std::vector<Form> FormsOf(unsigned opcode) {
  if (Op::isBinaryOp(opcode)) return Binary(opcode);
  switch (opcode) {
    case Op::FNeg: {
      std::vector<Form> forms;
      for (const std::string& type : kFloats)
        forms.push_back({"fneg " + type, {type}, type, "%r = fneg " + type + " %x0"});
      forms.push_back(
          {"fneg <2 x float>", {Vector("float")}, Vector("float"), "%r = fneg <2 x float> %x0"});
      return forms;
    }
    case Op::ICmp:
    case Op::FCmp:
      return Comparisons(opcode == Op::FCmp);
    case Op::Select:
      return Selects();
    case Op::Freeze: {
      std::vector<Form> forms;
      for (const std::string type : {"i1", "i8", "i32", "i64", "float", "<2 x i32>"})
        forms.push_back({"freeze " + std::string(type),
                         {type},
                         type,
                         "%r = freeze " + std::string(type) + " %x0"});
      return forms;
    }
    case Op::GetElementPtr:
      return Addresses();
    case Op::ExtractElement:
    case Op::InsertElement:
    case Op::ShuffleVector:
      return OfVectors(opcode);
    case Op::ExtractValue:
    case Op::InsertValue:
      return {{"insertvalue and extractvalue",
               {"i32", "half", "i1"},
               "i1",
               "%a = insertvalue {i32, [2 x half], i1} poison, i32 %x0, 0\n"
               "%b = insertvalue {i32, [2 x half], i1} %a, half %x1, 1, 1\n"
               "%c = insertvalue {i32, [2 x half], i1} %b, i1 %x2, 2\n"
               "%r = extractvalue {i32, [2 x half], i1} %c, 2"},
              {"an element of a large array",
               {"i8"},
               "i8",
               "%a = insertvalue [5000 x i8] zeroinitializer, i8 %x0, 4999\n"
               "%r = extractvalue [5000 x i8] %a, 4999"},
              {"an element of a large unspecified array",
               {"i8"},
               "i8",
               "%a = insertvalue [5000 x i8] poison, i8 %x0, 4999\n"
               "%r = extractvalue [5000 x i8] %a, 4999"}};
    case Op::Br:
    case Op::Switch:
    case Op::PHI:
    case Op::Ret:
    case Op::Call:
      return ControlFlow(opcode);
    case Op::Alloca:
    case Op::Load:
    case Op::Store:
      return Memory(opcode);
    case Op::AddrSpaceCast:
      return {{"addrspacecast",
               {"i32"},
               "i32",
               "%p = addrspacecast ptr %in0 to ptr addrspace(1)\n%q = getelementptr i32, ptr "
               "addrspace(1) %p, i32 %k\n%r = load i32, ptr addrspace(1) %q",
               "",
               false}};
    case Op::Fence:
      return {{"fence", {"i32"}, "i32", "fence seq_cst\n%r = add i32 %x0, 0"}};
    case Op::Unreachable:
      return {{"unreachable",
               {"i1"},
               "i32",
               "br i1 %x0, label %one, label %two\none:\nunreachable\ntwo:\n%r = add i32 %k, 5"}};
    default:
      return Op::isCast(opcode) ? Casts(opcode) : std::vector<Form>{};
  }
}

std::vector<RefusedForm> RefusedForms() {
  const std::string personality = "declare void @g()\ndeclare i32 @pers(...)\n";
  return {
      {Op::Invoke,
       "invoke void @g() to label %a unwind label %b\na:\nret void\nb:\n"
       "%lp = landingpad { ptr, i32 } cleanup\nret void",
       personality},
      {Op::LandingPad,
       "invoke void @llvm.donothing() to label %a unwind label %b\na:\nret void\n"
       "b:\n%lp = landingpad { ptr, i32 } cleanup\nret void",
       personality + "declare void @llvm.donothing()\n"},
      {Op::Resume,
       "invoke void @g() to label %a unwind label %b\na:\nret void\nb:\n"
       "%lp = landingpad { ptr, i32 } cleanup\nresume { ptr, i32 } %lp",
       personality},
      {Op::CallBr,
       "callbr void asm \"\", \"!i\"() to label %a [label %b]\na:\nret void\nb:\n"
       "ret void"},
      {Op::IndirectBr, "indirectbr ptr blockaddress(@k, %a), [label %a]\na:\nret void"},
      {Op::PtrToInt, "%i = ptrtoint ptr %in0 to i64\nret void"},
      {Op::PtrToAddr, "%i = ptrtoaddr ptr %in0 to i64\nret void"},
      {Op::IntToPtr, "%p = inttoptr i64 16 to ptr\nret void"},
      {Op::VAArg, "%v = va_arg ptr %in0, i32\nret void"},
      {Op::AtomicCmpXchg, "%v = cmpxchg ptr %in0, i32 0, i32 1 seq_cst seq_cst\nret void"},
      {Op::AtomicRMW, "%v = atomicrmw nand ptr %in0, i32 1 seq_cst\nret void"},
  };
}

std::vector<unsigned> OpcodesWithoutText() {
  // Windows' exceptions need a personality that no GPU has; user opcodes belong to passes.
  return {Op::CleanupRet, Op::CatchRet, Op::CatchSwitch, Op::CleanupPad,
          Op::CatchPad,   Op::UserOp1,  Op::UserOp2};
}

}  // namespace affirm::kernel
