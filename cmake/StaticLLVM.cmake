# AFFIRM_STATIC_LLVM: LLVM_ARCHIVES and MLIR_ARCHIVES, what a program links in the place of libLLVM.so and libMLIR.so.
#
# The imported targets of Debian's LLVM link the shared library behind each archive, so the archives are named by their files.
# Code generators are those of the targets that emit/ knows and of the host; a new target (LLVMInitialize...) adds its component here.
execute_process(COMMAND ${LLVM_CONFIG_PROGRAM} --link-static --libfiles asmparser core irreader linker ipo orcjit passes target native nvptx amdgpu
                OUTPUT_VARIABLE archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(archives UNIX_COMMAND "${archives}")
# LLVM's own compression. Debian's LLVM depends on both libraries, not on the packages that have a libzstd.so.
find_library(ZLIB_FOR_LLVM NAMES z libz.so.1 REQUIRED)
find_library(ZSTD_FOR_LLVM NAMES zstd libzstd.so.1 REQUIRED)
list(JOIN archives "," archives)
set(LLVM_ARCHIVES "$<LINK_GROUP:RESCAN,${archives}>" ${ZLIB_FOR_LLVM} ${ZSTD_FOR_LLVM})

# All archives of MLIR: of each, a program gets the objects that it needs.
get_property(libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
set(archives)
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND archives $<TARGET_FILE:${library}>)
  endif()
endforeach()
list(JOIN archives "," archives)
set(MLIR_ARCHIVES "$<LINK_GROUP:RESCAN,${archives}>")

# LLVM's functions have sections of their own; those that nothing reaches are left out, and so are the names of the others.
add_link_options(-Wl,--gc-sections -Wl,--strip-all)
