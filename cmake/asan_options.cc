// Options of AddressSanitizer for every program of a sanitized build.
//
// LLVM's arena allocator marks what it has not handed out as poisoned where it is compiled with
// AddressSanitizer, and takes the mark away when it hands it out. Debian's libraries of LLVM are
// not compiled so: they hand out of an arena that our code has marked, and use what is still
// poisoned.
extern "C" const char* __asan_default_options();  // declared by the runtime alone
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }
