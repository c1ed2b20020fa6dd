# Installs BUILD into a fresh prefix below SCRATCH, builds CONSUMER against it and runs it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
endfunction()

set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${prefix} ${SCRATCH}/consumer)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
# No header may lead back to the sources or to the build folder.
run(${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${SCRATCH}/consumer -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
run(${SCRATCH}/consumer/consumer)
run(${prefix}/bin/affirm --help)
foreach(file share/man/man1/affirm.1 share/bash-completion/completions/affirm share/zsh/site-functions/_affirm
        share/fish/vendor_completions.d/affirm.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
# Nothing is left of what was installed.
run(${CMAKE_COMMAND} -DMANIFEST=${BUILD}/install_manifest.txt -P ${SOURCES}/cmake/uninstall.cmake)
if(EXISTS ${prefix})
  file(GLOB_RECURSE rest ${prefix}/*)
  message(FATAL_ERROR "uninstall leaves ${prefix}: ${rest}")
endif()
