# Writes OUTPUT, a C++ source that holds FILES as text: FUNCTION of NAMESPACE, which HEADER declares, answers an array
# of TYPE, {name, text}, in the order of the files.
set(text "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\nnamespace {\nconstexpr ${TYPE} kFiles[] = {\n")
foreach(path ${FILES})
  get_filename_component(name ${path} NAME)
  file(READ ${path} content)
  string(APPEND text "{\"${name}\", R\"EMBEDDED(${content})EMBEDDED\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n\nllvm::ArrayRef<${TYPE}> ${FUNCTION}() { return kFiles; }\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
