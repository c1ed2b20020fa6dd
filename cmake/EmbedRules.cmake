# Writes OUTPUT, a C++ source that holds the rule FILES as text.
set(text "#include \"core/simplify/rule_table.h\"\n\nnamespace affirm {\nnamespace {\nconstexpr RuleFile kFiles[] = {\n")
foreach(path ${FILES})
  get_filename_component(name ${path} NAME)
  file(READ ${path} content)
  string(APPEND text "{\"${name}\", R\"RULES(${content})RULES\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n\nllvm::ArrayRef<RuleFile> BuiltinRuleFiles() { return kFiles; }\n\n}  // namespace affirm\n")
file(WRITE ${OUTPUT} "${text}")
