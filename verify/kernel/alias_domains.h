// Domains of alias scopes as LLVM 22 has them, from the form of newer versions.
//
//   !0 = distinct !{!0, i1 false, !"f"}  ->  !0 = distinct !{!0, !"f"}
#ifndef AFFIRM_VERIFY_KERNEL_ALIAS_DOMAINS_H_
#define AFFIRM_VERIFY_KERNEL_ALIAS_DOMAINS_H_

#include "llvm/IR/Module.h"

namespace affirm::kernel {

// LangRef of LLVM 23, "noalias and alias.scope Metadata": the second entry of a domain is an i1.
// Where it is true, an instruction with scopes of the domain is noalias with all other scopes of
// the domain; these are added to its list. Domains of any other form stay as they are, for the
// verifier of LLVM. Requires a parsed module; it need not be verified.
void RewriteAliasDomains(llvm::Module& module);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_ALIAS_DOMAINS_H_
