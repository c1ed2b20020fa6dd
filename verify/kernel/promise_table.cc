#include "verify/kernel/promise_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"

namespace affirm::kernel {

namespace {

using llvm::Attribute;
using llvm::LLVMContext;
using enum Treatment;

constexpr PromiseRow<Attribute::AttrKind> kAttributeRows[] = {
    // Promises about values.
    {Attribute::Alignment, kObligation, "the address is a multiple of it"},
    {Attribute::Dereferenceable, kObligation,
     "so many bytes lie behind the address, in one memory"},
    {Attribute::DereferenceableOrNull, kObligation, "as dereferenceable"},
    {Attribute::NonNull, kObligation, "the address is in a memory that has bytes"},
    {Attribute::NoUndef, kObligation, "no part of the value is undef or poison"},
    {Attribute::Range, kObligation, "the integer is in the range"},
    {Attribute::NoFPClass, kObligation, "nothing proves it yet"},
    {Attribute::NoAlias, kObligation, "what changes is reached through one argument (LangRef)"},
    {Attribute::Captures, kText, "no address is stored, returned, compared or made an integer"},
    {Attribute::ReadNone, kText, "nothing is accessed through the argument"},
    {Attribute::ReadOnly, kText, "nothing is written through the argument"},
    {Attribute::WriteOnly, kText, "nothing is read through the argument"},
    {Attribute::Returned, kText, "each return returns the argument"},
    {Attribute::Initializes, kUnsupported,
     "which bytes are written before they are read is not followed"},
    {Attribute::Writable, kUnsupported, "writes that the compiler adds are not followed"},
    {Attribute::DeadOnReturn, kUnsupported, "what is read after a return is not followed"},
    {Attribute::DeadOnUnwind, kModel, "nothing unwinds"},
    // How values are handed over: call and function must agree.
    {Attribute::SExt, kText, "the call and the function say the same"},
    {Attribute::ZExt, kText, "the call and the function say the same"},
    {Attribute::NoExt, kText, "the call and the function say the same"},
    {Attribute::InReg, kText, "the call and the function say the same"},
    {Attribute::ElementType, kIrrelevant, "a type for an intrinsic, which LLVM's verifier checks"},
    {Attribute::ImmArg, kIrrelevant, "LLVM's verifier checks it"},
    {Attribute::ByVal, kUnsupported, "an argument in memory"},
    {Attribute::ByRef, kUnsupported, "an argument in memory"},
    {Attribute::StructRet, kUnsupported, "a result in memory"},
    {Attribute::InAlloca, kUnsupported, "an argument in memory"},
    {Attribute::Preallocated, kUnsupported, "an argument in memory"},
    {Attribute::Nest, kUnsupported, "a register of its own"},
    {Attribute::SwiftAsync, kUnsupported, "a register of its own"},
    {Attribute::SwiftError, kUnsupported, "a register of its own"},
    {Attribute::SwiftSelf, kUnsupported, "a register of its own"},
    {Attribute::StackAlignment, kUnsupported, "of parameters it changes how they are handed over"},
    // Allocation functions.
    {Attribute::AllocAlign, kUnsupported, "functions that allocate are not lifted"},
    {Attribute::AllocKind, kUnsupported, "functions that allocate are not lifted"},
    {Attribute::AllocSize, kUnsupported, "functions that allocate are not lifted"},
    {Attribute::AllocatedPointer, kUnsupported, "functions that allocate are not lifted"},
    // Effects of functions.
    {Attribute::Memory, kText, "the effects of the text are among those that it allows"},
    {Attribute::NoRecurse, kText, "the function does not call itself"},
    {Attribute::NoSync, kText, "no barrier, atomic or volatile access is reached"},
    {Attribute::NoCallback, kText, "no function of the module is called"},
    {Attribute::Speculatable, kText, "mathematical functions and LLVM's own"},
    {Attribute::NoCreateUndefOrPoison, kText, "mathematical functions and LLVM's own"},
    {Attribute::NoReturn, kObligation, "a call that returns breaks it"},
    {Attribute::WillReturn, kModel, "what is lifted ends: loops are finite, and nothing traps"},
    {Attribute::MustProgress, kModel, "what is lifted ends"},
    {Attribute::NoUnwind, kModel, "nothing that is lifted unwinds"},
    {Attribute::NoFree, kModel, "nothing that is lifted frees memory"},
    {Attribute::Convergent, kModel,
     "it forbids; its absence is looked at in lift/open_promises.cc"},
    {Attribute::NoDivergenceSource, kUnsupported,
     "which values differ between lanes is not followed"},
    {Attribute::Naked, kUnsupported, "arguments must not be used"},
    {Attribute::PresplitCoroutine, kUnsupported, "coroutines are not lifted"},
    {Attribute::CoroDestroyOnlyWhenComplete, kUnsupported, "coroutines are not lifted"},
    {Attribute::CoroElideSafe, kUnsupported, "coroutines are not lifted"},
    {Attribute::Builtin, kUnsupported, "a function of the module would be one of the library's"},
    // Attributes that forbid a transformation, or asks for one that changes no value.
    {Attribute::AlwaysInline, kIrrelevant, "where code stands"},
    {Attribute::InlineHint, kIrrelevant, "where code stands"},
    {Attribute::NoInline, kIrrelevant, "where code stands"},
    {Attribute::Cold, kIrrelevant, "how often it is executed"},
    {Attribute::Hot, kIrrelevant, "how often it is executed"},
    {Attribute::MinSize, kIrrelevant, "size of code"},
    {Attribute::OptimizeForSize, kIrrelevant, "size of code"},
    {Attribute::OptimizeNone, kIrrelevant, "it forbids"},
    {Attribute::OptimizeForDebugging, kIrrelevant, "it forbids"},
    {Attribute::OptForFuzzing, kIrrelevant, "it forbids"},
    {Attribute::NoBuiltin, kIrrelevant, "it forbids"},
    {Attribute::NoDuplicate, kIrrelevant, "it forbids"},
    {Attribute::NoMerge, kIrrelevant, "it forbids"},
    {Attribute::NoImplicitFloat, kIrrelevant, "it forbids"},
    {Attribute::NoRedZone, kIrrelevant, "it forbids"},
    {Attribute::NullPointerIsValid, kIrrelevant, "it allows accesses that are not lifted"},
    {Attribute::ReturnsTwice, kIrrelevant, "it forbids"},
    {Attribute::StrictFP, kIrrelevant, "it forbids"},
    {Attribute::JumpTable, kIrrelevant, "how functions are called"},
    {Attribute::NonLazyBind, kIrrelevant, "how functions are called"},
    {Attribute::FnRetThunkExtern, kIrrelevant, "how functions return"},
    {Attribute::HybridPatchable, kIrrelevant, "how functions are called"},
    {Attribute::VScaleRange, kIrrelevant, "scalable vectors are not lifted"},
    {Attribute::UWTable, kIrrelevant, "tables for debuggers"},
    {Attribute::NoProfile, kIrrelevant, "instrumentation"},
    {Attribute::SkipProfile, kIrrelevant, "instrumentation"},
    {Attribute::NoCfCheck, kIrrelevant, "instrumentation"},
    {Attribute::NoSanitizeBounds, kIrrelevant, "instrumentation"},
    {Attribute::NoSanitizeCoverage, kIrrelevant, "instrumentation"},
    {Attribute::DisableSanitizerInstrumentation, kIrrelevant, "instrumentation"},
    {Attribute::SafeStack, kIrrelevant, "instrumentation"},
    {Attribute::ShadowCallStack, kIrrelevant, "instrumentation"},
    {Attribute::SpeculativeLoadHardening, kIrrelevant, "instrumentation"},
    {Attribute::StackProtect, kIrrelevant, "instrumentation"},
    {Attribute::StackProtectReq, kIrrelevant, "instrumentation"},
    {Attribute::StackProtectStrong, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeAddress, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeAllocToken, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeHWAddress, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeMemTag, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeMemory, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeNumericalStability, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeRealtime, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeRealtimeBlocking, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeThread, kIrrelevant, "instrumentation"},
    {Attribute::SanitizeType, kIrrelevant, "instrumentation"},
};

constexpr PromiseRow<unsigned> kMetadataRows[] = {
    {LLVMContext::MD_range, kObligation, "the integer is in the range"},
    {LLVMContext::MD_noundef, kObligation, "no part of the value is undef or poison"},
    {LLVMContext::MD_invariant_load, kObligation, "nobody writes the memory that is loaded"},
    {LLVMContext::MD_tbaa, kObligation, "accesses that differ by type are of different bytes"},
    {LLVMContext::MD_alias_scope, kObligation, "accesses that noalias excludes are of other bytes"},
    {LLVMContext::MD_noalias, kObligation, "accesses of the scopes are of other bytes"},
    {LLVMContext::MD_fpmath, kModel,
     "the result is approximate: no proof takes its value for exact"},
    {LLVMContext::MD_loop, kText, "each of its properties has a row"},
    {LLVMContext::MD_nonnull, kObligation, "the pointer that is loaded is not null"},
    {LLVMContext::MD_dereferenceable, kObligation, "the bytes from the pointer on are in memory"},
    {LLVMContext::MD_dereferenceable_or_null, kObligation, "as dereferenceable, or null"},
    {LLVMContext::MD_align, kObligation, "the pointer that is loaded is aligned"},
    {LLVMContext::MD_captures, kUnsupported, "where a stored pointer goes is not followed"},
    {LLVMContext::MD_invariant_group, kUnsupported, "objects with dynamic types"},
    {LLVMContext::MD_tbaa_struct, kUnsupported, "which bytes a copy leaves out is not followed"},
    {LLVMContext::MD_mem_parallel_loop_access, kUnsupported, "dependences between iterations"},
    {LLVMContext::MD_access_group, kUnsupported, "dependences between iterations"},
    {LLVMContext::MD_absolute_symbol, kUnsupported, "numbers of addresses"},
    {LLVMContext::MD_callees, kUnsupported, "indirect calls are not lifted"},
    {LLVMContext::MD_callee_type, kUnsupported, "indirect calls are not lifted"},
    {LLVMContext::MD_callback, kUnsupported, "functions that call back are not lifted"},
    {LLVMContext::MD_coro_outside_frame, kUnsupported, "coroutines are not lifted"},
    {LLVMContext::MD_mmra, kUnsupported, "it relaxes the order of accesses"},
    {LLVMContext::MD_noalias_addrspace, kUnsupported, "address spaces of atomics are not followed"},
    {LLVMContext::MD_nofree, kModel, "nothing that is lifted frees memory"},
    {LLVMContext::MD_nontemporal, kIrrelevant, "which cache holds the bytes"},
    {LLVMContext::MD_dbg, kIrrelevant, "debug information"},
    {LLVMContext::MD_DIAssignID, kIrrelevant, "debug information"},
    {LLVMContext::MD_prof, kIrrelevant, "how often code is executed"},
    {LLVMContext::MD_unpredictable, kIrrelevant, "how often code is executed"},
    {LLVMContext::MD_irr_loop, kIrrelevant, "how often code is executed"},
    {LLVMContext::MD_memprof, kIrrelevant, "profiles"},
    {LLVMContext::MD_callsite, kIrrelevant, "profiles"},
    {LLVMContext::MD_annotation, kIrrelevant, "remarks"},
    {LLVMContext::MD_section_prefix, kIrrelevant, "where code and data lie"},
    {LLVMContext::MD_associated, kIrrelevant, "which sections are kept"},
    {LLVMContext::MD_exclude, kIrrelevant, "which sections are kept"},
    {LLVMContext::MD_implicit_ref, kIrrelevant, "which sections are kept"},
    {LLVMContext::MD_pcsections, kIrrelevant, "addresses of code"},
    {LLVMContext::MD_type, kIrrelevant, "checks of indirect calls"},
    {LLVMContext::MD_vcall_visibility, kIrrelevant, "checks of indirect calls"},
    {LLVMContext::MD_kcfi_type, kIrrelevant, "checks of indirect calls"},
    {LLVMContext::MD_func_sanitize, kIrrelevant, "instrumentation"},
    {LLVMContext::MD_nosanitize, kIrrelevant, "instrumentation"},
    {LLVMContext::MD_alloc_token, kIrrelevant, "instrumentation"},
    {LLVMContext::MD_make_implicit, kIrrelevant, "how a comparison with null is compiled"},
    {LLVMContext::MD_preserve_access_index, kIrrelevant, "relocations of BPF"},
};

// The call must name the convention of the function.
constexpr PromiseRow<llvm::CallingConv::ID> kCallingConventionRows[] = {
    {llvm::CallingConv::C, kText, "the call and the function say the same"},
    {llvm::CallingConv::Fast, kText, "the call and the function say the same"},
    {llvm::CallingConv::Cold, kText, "the call and the function say the same"},
    {llvm::CallingConv::PTX_Device, kText, "the call and the function say the same"},
    {llvm::CallingConv::PTX_Kernel, kText, "kernels alone, which nothing calls"},
    {llvm::CallingConv::AMDGPU_KERNEL, kText, "kernels alone, which nothing calls"},
    {llvm::CallingConv::GHC, kUnsupported, ""},
    {llvm::CallingConv::HiPE, kUnsupported, ""},
    {llvm::CallingConv::AnyReg, kUnsupported, ""},
    {llvm::CallingConv::PreserveMost, kUnsupported, ""},
    {llvm::CallingConv::PreserveAll, kUnsupported, ""},
    {llvm::CallingConv::Swift, kUnsupported, ""},
    {llvm::CallingConv::CXX_FAST_TLS, kUnsupported, ""},
    {llvm::CallingConv::Tail, kUnsupported, ""},
    {llvm::CallingConv::CFGuard_Check, kUnsupported, ""},
    {llvm::CallingConv::SwiftTail, kUnsupported, ""},
    {llvm::CallingConv::PreserveNone, kUnsupported, ""},
    {llvm::CallingConv::X86_StdCall, kUnsupported, ""},
    {llvm::CallingConv::X86_FastCall, kUnsupported, ""},
    {llvm::CallingConv::ARM_APCS, kUnsupported, ""},
    {llvm::CallingConv::ARM_AAPCS, kUnsupported, ""},
    {llvm::CallingConv::ARM_AAPCS_VFP, kUnsupported, ""},
    {llvm::CallingConv::MSP430_INTR, kUnsupported, ""},
    {llvm::CallingConv::X86_ThisCall, kUnsupported, ""},
    {llvm::CallingConv::SPIR_FUNC, kUnsupported, ""},
    {llvm::CallingConv::SPIR_KERNEL, kUnsupported, ""},
    {llvm::CallingConv::Intel_OCL_BI, kUnsupported, ""},
    {llvm::CallingConv::X86_64_SysV, kUnsupported, ""},
    {llvm::CallingConv::Win64, kUnsupported, ""},
    {llvm::CallingConv::X86_VectorCall, kUnsupported, ""},
    {llvm::CallingConv::DUMMY_HHVM, kUnsupported, ""},
    {llvm::CallingConv::DUMMY_HHVM_C, kUnsupported, ""},
    {llvm::CallingConv::X86_INTR, kUnsupported, ""},
    {llvm::CallingConv::AVR_INTR, kUnsupported, ""},
    {llvm::CallingConv::AVR_SIGNAL, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_VS, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_GS, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_PS, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_CS, kUnsupported, ""},
    {llvm::CallingConv::X86_RegCall, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_HS, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_LS, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_ES, kUnsupported, ""},
    {llvm::CallingConv::AArch64_VectorCall, kUnsupported, ""},
    {llvm::CallingConv::AArch64_SVE_VectorCall, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_Gfx, kUnsupported, ""},
    {llvm::CallingConv::M68k_INTR, kUnsupported, ""},
    {llvm::CallingConv::AArch64_SME_ABI_Support_Routines_PreserveMost_From_X0, kUnsupported, ""},
    {llvm::CallingConv::AArch64_SME_ABI_Support_Routines_PreserveMost_From_X1, kUnsupported, ""},
    {llvm::CallingConv::AArch64_SME_ABI_Support_Routines_PreserveMost_From_X2, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_CS_Chain, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_CS_ChainPreserve, kUnsupported, ""},
    {llvm::CallingConv::M68k_RTD, kUnsupported, ""},
    {llvm::CallingConv::GRAAL, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VectorCall, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_32, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_64, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_128, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_256, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_512, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_1024, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_2048, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_4096, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_8192, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_16384, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_32768, kUnsupported, ""},
    {llvm::CallingConv::RISCV_VLSCall_65536, kUnsupported, ""},
    {llvm::CallingConv::AMDGPU_Gfx_WholeWave, kUnsupported, ""},
    {llvm::CallingConv::CHERIoT_CompartmentCall, kUnsupported, ""},
    {llvm::CallingConv::CHERIoT_CompartmentCallee, kUnsupported, ""},
    {llvm::CallingConv::CHERIoT_LibraryCall, kUnsupported, ""},
};

constexpr PromiseRow<llvm::StringLiteral> kOperandBundleRows[] = {
    {"deopt", kUnsupported, ""},
    {"funclet", kUnsupported, ""},
    {"gc-transition", kUnsupported, ""},
    {"cfguardtarget", kUnsupported, ""},
    {"preallocated", kUnsupported, ""},
    {"gc-live", kUnsupported, ""},
    {"clang.arc.attachedcall", kUnsupported, ""},
    {"ptrauth", kUnsupported, ""},
    {"kcfi", kUnsupported, ""},
    {"convergencectrl", kUnsupported, ""},
    {"align", kUnsupported, "an assumption about an address"},
    {"deactivation-symbol", kUnsupported, ""},
};

constexpr PromiseRow<llvm::StringLiteral> kFlagRows[] = {
    {"nsw", kObligation, "no signed wrap"},
    {"nuw", kObligation, "no unsigned wrap"},
    {"exact", kObligation, "nothing remains"},
    {"disjoint", kObligation, "no common bit"},
    {"nneg", kObligation, "not negative"},
    {"samesign", kObligation, "both are negative, or none is"},
    {"inbounds", kObligation, "the address is in its memory"},
    {"nusw", kObligation, "the address is in its memory"},
    {"inrange", kUnsupported, "addresses that are taken of a constant one"},
    {"nnan", kObligation, "nothing proves it yet"},
    {"ninf", kObligation, "nothing proves it yet"},
    {"nsz", kModel, "the sum is one in some order, the result of another operation approximate"},
    {"reassoc", kModel, "the sum is one in some order, the result of another one approximate"},
    {"contract", kModel, "the sum of a product is one in some order"},
    {"arcp", kModel, "the quotient is approximate"},
    {"afn", kModel, "the function is approximate"},
    {"volatile", kIrrelevant, "it forbids"},
    {"tail", kObligation, "the function does not access memory of the caller"},
    {"musttail", kObligation, "the function does not access memory of the caller"},
    {"notail", kIrrelevant, "it forbids"},
    {"sideeffect", kText, "inline PTX that accesses memory has it"},
    {"alignstack", kIrrelevant, "where the stack begins"},
    {"inteldialect", kUnsupported, ""},
    {"unwind", kUnsupported, ""},
};

constexpr PromiseRow<llvm::StringLiteral> kStringRows[] = {
    // Attributes.
    {"nvvm.reqntid", kText, "held against the launch (promises.h)"},
    {"nvvm.maxntid", kText, "held against the launch"},
    {"nvvm.cluster_dim", kText, "held against the launch"},
    {"amdgpu-flat-work-group-size", kText, "held against the launch"},
    {"nvvm.kernel", kModel, "the kernel is known"},
    {"nvvm.maxnreg", kIrrelevant, "registers"},
    {"nvvm.minctasm", kIrrelevant, "how many blocks run at once"},
    {"nvvm.maxclusterrank", kIrrelevant, "launches have no clusters"},
    {"amdgpu-waves-per-eu", kIrrelevant, "how many blocks run at once"},
    {"amdgpu-no-agpr", kIrrelevant, "registers"},
    {"amdgpu-agpr-alloc", kIrrelevant, "registers"},
    {"amdgpu-no-cluster-id-x", kText, "nothing that is called reads it"},
    {"amdgpu-no-cluster-id-y", kText, "nothing that is called reads it"},
    {"amdgpu-no-cluster-id-z", kText, "nothing that is called reads it"},
    {"amdgpu-no-completion-action", kText, "nothing that is called reads it"},
    {"amdgpu-no-default-queue", kText, "nothing that is called reads it"},
    {"amdgpu-no-dispatch-id", kText, "nothing that is called reads it"},
    {"amdgpu-no-dispatch-ptr", kText, "nothing that is called reads it"},
    {"amdgpu-no-flat-scratch-init", kText, "nothing that is called reads it"},
    {"amdgpu-no-heap-ptr", kText, "nothing that is called reads it"},
    {"amdgpu-no-hostcall-ptr", kText, "nothing that is called reads it"},
    {"amdgpu-no-implicitarg-ptr", kText, "nothing that is called reads it"},
    {"amdgpu-no-lds-kernel-id", kText, "nothing that is called reads it"},
    {"amdgpu-no-multigrid-sync-arg", kText, "nothing that is called reads it"},
    {"amdgpu-no-queue-ptr", kText, "nothing that is called reads it"},
    {"amdgpu-no-workgroup-id-x", kText, "nothing that is called reads it"},
    {"amdgpu-no-workgroup-id-y", kText, "nothing that is called reads it"},
    {"amdgpu-no-workgroup-id-z", kText, "nothing that is called reads it"},
    {"amdgpu-no-workitem-id-x", kText, "nothing that is called reads it"},
    {"amdgpu-no-workitem-id-y", kText, "nothing that is called reads it"},
    {"amdgpu-no-workitem-id-z", kText, "nothing that is called reads it"},
    {"uniform-work-group-size", kModel, "blocks of a launch have one size"},
    {"denormal-fp-math", kText, "denormals are kept, or nothing computes with floats"},
    {"denormal-fp-math-f32", kText, "denormals are kept, or nothing computes with floats"},
    {"no-nans-fp-math", kText, "false"},
    {"no-infs-fp-math", kText, "false"},
    {"no-signed-zeros-fp-math", kText, "false"},
    {"unsafe-fp-math", kText, "false"},
    {"approx-func-fp-math", kText, "false"},
    {"less-precise-fpmad", kText, "false"},
    {"frame-pointer", kIrrelevant, "the stack"},
    {"no-frame-pointer-elim", kIrrelevant, "the stack"},
    {"stack-protector-buffer-size", kIrrelevant, "the stack"},
    {"no-trapping-math", kIrrelevant, "nothing that is lifted sees floating-point exceptions"},
    {"prefer-vector-width", kIrrelevant, "which instructions are taken"},
    {"min-legal-vector-width", kIrrelevant, "which instructions are taken"},
    {"target-cpu", kIrrelevant, "which instructions are taken"},
    {"tune-cpu", kIrrelevant, "which instructions are taken"},
    {"target-features", kIrrelevant, "which instructions are taken"},
    {"no-builtins", kIrrelevant, "it forbids"},
    {"disable-tail-calls", kIrrelevant, "it forbids"},
    // Metadata of instructions and functions.
    {"amdgpu.noclobber", kObligation, "nobody writes the memory that is loaded"},
    {"amdgpu.no.fine.grained.memory", kModel, "buffers are ordinary memory of the device"},
    {"amdgpu.no.remote.memory", kModel, "buffers are ordinary memory of the device"},
    {"amdgpu.ignore.denormal.mode", kUnsupported, "an atomic sum may flush denormals"},
    {"reqd_work_group_size", kText, "held against the launch"},
    {"max_work_group_size", kText, "held against the launch"},
    // Properties of loops.
    {"llvm.loop.mustprogress", kModel, "what is lifted ends"},
    {"llvm.loop.unroll.disable", kIrrelevant, "how often code stands there"},
    {"llvm.loop.unroll.enable", kIrrelevant, "how often code stands there"},
    {"llvm.loop.unroll.full", kIrrelevant, "how often code stands there"},
    {"llvm.loop.unroll.count", kIrrelevant, "how often code stands there"},
    {"llvm.loop.unroll.runtime.disable", kIrrelevant, "how often code stands there"},
    {"llvm.loop.peeled.count", kIrrelevant, "how often code stands there"},
    {"llvm.loop.isvectorized", kIrrelevant, "it forbids"},
    {"llvm.loop.vectorize.enable", kText, "false: it forbids. True, it licenses another order"},
    {"llvm.loop.interleave.count", kText, "1: it forbids"},
    {"llvm.loop.vectorize.width", kText, "1: it forbids"},
    // Named metadata.
    {"llvm.module.flags", kText, "each flag has a row"},
    {"llvm.ident", kIrrelevant, "names of compilers"},
    {"llvm.dbg.cu", kIrrelevant, "debug information"},
    {"llvm.errno.tbaa", kModel, "errno lies in no buffer and no variable of the module"},
    {"nvvmir.version", kIrrelevant, "names of versions"},
    {"opencl.ocl.version", kIrrelevant, "names of versions"},
    {"xla_cpu_memory_region_name", kIrrelevant, "names of code"},
    {"nvvm.annotations", kText, "each key has a row"},
    // A key of annotations; LLVM's reader makes attributes of the others.
    {"kernel", kModel, "the kernel is known"},
    // Module flags.
    {"Debug Info Version", kIrrelevant, "debug information"},
    {"Dwarf Version", kIrrelevant, "debug information"},
    {"PIC Level", kIrrelevant, "where code lies"},
    {"PIE Level", kIrrelevant, "where code lies"},
    {"uwtable", kIrrelevant, "tables for debuggers"},
    {"wchar_size", kIrrelevant, "C's types"},
    {"SDK Version", kIrrelevant, "names of versions"},
    {"ThinLTO", kIrrelevant, "how modules are linked"},
    {"EnableSplitLTOUnit", kIrrelevant, "how modules are linked"},
    {"xla_dylib_index", kIrrelevant, "how modules are linked"},
    {"xla_backend_extra_options", kIrrelevant, "names of options"},
    {"amdhsa_code_object_version", kIrrelevant, "names of versions"},
    {"amdgpu_printf_kind", kIrrelevant, "nothing prints"},
    {"nvvm-reflect-ftz", kText, "0: functions of libdevice keep denormals"},
};

template <typename Key, size_t kSize>
Treatment FindTreatment(const PromiseRow<Key> (&rows)[kSize], const Key& key) {
  const auto* row = llvm::find_if(rows, [&](const auto& r) { return r.key == key; });
  return row == std::end(rows) ? kUnsupported : row->treatment;
}

}  // namespace

llvm::StringRef Name(Treatment treatment) {
  switch (treatment) {
    case kIrrelevant:
      return "irrelevant";
    case kModel:
      return "held by the model";
    case kText:
      return "held by the text";
    case kObligation:
      return "an obligation";
    case kUnsupported:
      return "unsupported";
  }
  return "";
}

llvm::ArrayRef<PromiseRow<Attribute::AttrKind>> AttributeTable() { return kAttributeRows; }
llvm::ArrayRef<PromiseRow<unsigned>> MetadataTable() { return kMetadataRows; }
llvm::ArrayRef<PromiseRow<llvm::CallingConv::ID>> CallingConventionTable() {
  return kCallingConventionRows;
}
llvm::ArrayRef<PromiseRow<llvm::StringLiteral>> OperandBundleTable() { return kOperandBundleRows; }
llvm::ArrayRef<PromiseRow<llvm::StringLiteral>> FlagTable() { return kFlagRows; }
llvm::ArrayRef<PromiseRow<llvm::StringLiteral>> StringTable() { return kStringRows; }

Treatment TreatmentOf(llvm::Attribute attribute) {
  if (attribute.isStringAttribute()) return TreatmentOfString(attribute.getKindAsString());
  return FindTreatment(kAttributeRows, attribute.getKindAsEnum());
}

Treatment TreatmentOfMetadata(unsigned kind, llvm::StringRef name) {
  constexpr unsigned kFixed = std::size(kMetadataRows);
  return kind < kFixed ? FindTreatment(kMetadataRows, kind) : TreatmentOfString(name);
}

Treatment TreatmentOf(llvm::CallingConv::ID convention) {
  return FindTreatment(kCallingConventionRows, convention);
}

Treatment TreatmentOfString(llvm::StringRef name) {
  const auto* row =
      llvm::find_if(kStringRows, [&](const auto& r) { return llvm::StringRef(r.key) == name; });
  return row == std::end(kStringRows) ? kUnsupported : row->treatment;
}

}  // namespace affirm::kernel
