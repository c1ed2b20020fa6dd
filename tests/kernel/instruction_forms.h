// Forms of LLVM's instructions and intrinsics, each as the body of a small kernel.
//
// A form is text that computes %r of operands %x0, %x1, ... of its types. The kernel loads operand
// j of block %k from element %k of the array %in<j>, and stores %r to element %k of %out.
#ifndef AFFIRM_TESTS_KERNEL_INSTRUCTION_FORMS_H_
#define AFFIRM_TESTS_KERNEL_INSTRUCTION_FORMS_H_

#include <string>
#include <vector>

namespace affirm::kernel {

struct Form {
  std::string name;                   // for messages
  std::vector<std::string> operands;  // LLVM types
  std::string result;                 // LLVM type
  std::string text;
  std::string outside = {};  // declarations and other functions
  bool is_portable = true;   // the host may execute it
  bool is_exact = true;      // else results within a small distance are the same
  // Whether what the emulator reports is undefined in LLVM. It also reports frozen values that
  // decide or are stored, and poison that is stored where nothing reads it.
  bool is_strict = true;
};

// The forms of an opcode; none for opcodes that RefusedForms or tests of their own cover.
std::vector<Form> FormsOf(unsigned opcode);

// Kernels with an instruction that has no form as terms: (opcode, the function's body, outside).
struct RefusedForm {
  unsigned opcode;
  std::string body, outside = {};
};
std::vector<RefusedForm> RefusedForms();

// Opcodes that no text of a kernel has.
std::vector<unsigned> OpcodesWithoutText();

// Calls of the intrinsic at types that its signature allows, for all immediate arguments of one
// bit.
std::vector<Form> FormsOfIntrinsic(unsigned id);

// Inline PTX (verify/kernel/inline_ptx.h) in registers of each type.
std::vector<Form> FormsOfInlinePtx();

// The same form with one operand replaced: by poison, undef, a frozen poison, or an integer shifted
// by itself, which is poison where it is the width or more.
std::vector<Form> WithUnspecifiedOperands(const Form& form);

}  // namespace affirm::kernel

#endif  // AFFIRM_TESTS_KERNEL_INSTRUCTION_FORMS_H_
