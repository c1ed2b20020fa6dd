#!/usr/bin/env python3
"""Which files a function reaches: an estimate of its link closure, from the sources alone.

    reached = Sources(root, names).reach([("verify/decide/decider.h", "Decide")])

A file is a header or a translation unit of the project. From a function that a header declares, the closure takes the
files that define it. From a file, it takes every project header that the file includes, directly or not, and every
file that defines a function or variable which (a) one of these headers declares and (b) the file mentions by its last
name. This is a linker's rule for object files, with names in the place of symbols.

It takes too much where a name is mentioned and not meant: overloads and methods of one name are not told apart, and
what a file mentions counts as called. It takes too little only where a function is reached without its name: constructors,
destructors, operators and virtual functions are, so that these count as mentioned wherever the name of their class is
(operators outside of classes: wherever their header is included). Names that macros paste together are not seen.
`trusted_base.py --objects` compares it with compiled objects.
"""

import pathlib
import re

# Sources are as clang-format leaves them, and are read as tokens: names, numbers and punctuation.
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|->|::|&&|\|\||==|!=|<=>|<=|>=|<<|[^\s\w]")
LITERAL = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
NAME = re.compile(r"[A-Za-z_]\w*$")
NO_FUNCTION = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "alignas", "noexcept", "static_assert", "operator",
               "explicit", "requires", "throw", "catch", "new", "delete", "defined"}
CLASS_KEYS = {"class", "struct", "union"}


class File:
    """What a source file declares, defines and mentions. Functions and variables are triples (namespace, class, name)."""

    def __init__(self, text, is_header):
        self.is_header = is_header
        self.includes = INCLUDE.findall(text)
        text = LITERAL.sub(lambda m: " " if m.group(0).startswith("/") else " 0 ", text)
        text = DIRECTIVE.sub("", text)
        self.declared = set()
        self.defined = set()
        self.mentioned = set()    # names in initializers, and in the bodies of a translation unit
        self.inline = []          # (name, names in the body) of the functions that a header defines
        self.special = set()      # declared operators and virtual functions, which are reached without their names
        tokens = TOKEN.findall(text)
        self.words = {t for t in tokens if NAME.match(t)}
        self._scan(tokens)

    def _scan(self, tokens):
        scopes = []      # (kind, name): "namespace", "anonymous", "class", "other"
        statement = []
        i, size = 0, len(tokens)
        while i < size:
            token = tokens[i]
            if token == "{":
                kind, name = self._scope_of(statement)
                if kind:
                    scopes.append((kind, name))
                    statement = []
                else:
                    end = self._closing(tokens, i)
                    body = {t for t in tokens[i + 1:end] if NAME.match(t)}
                    # `= {...}`, `x{...}` and default arguments go on to the semicolon; a body ends its statement.
                    if statement.count("(") == statement.count(")") and self._is_function(statement):
                        self._end(statement, scopes, body)
                        statement = []
                    else:
                        self.mentioned |= body
                        statement += ["{", "}"]
                    i = end
            elif token == "}":
                if scopes:
                    scopes.pop()
                statement = []
            elif token == ";":
                self._end(statement, scopes, None)
                statement = []
            elif token == ":" and len(statement) == 1 and statement[0] in ("public", "private", "protected"):
                statement = []
            else:
                statement.append(token)
            i += 1

    @staticmethod
    def _closing(tokens, i):
        depth = 0
        for j in range(i, len(tokens)):
            if tokens[j] == "{":
                depth += 1
            elif tokens[j] == "}":
                depth -= 1
                if depth == 0:
                    return j
        return len(tokens)

    @staticmethod
    def _scope_of(statement):
        """The scope that a brace behind these tokens opens; (None, "") of a body or an initializer."""
        if statement.count("(") != statement.count(")"):  # a default argument
            return None, ""
        if "namespace" in statement:
            name = "".join(statement[statement.index("namespace") + 1:])
            return ("namespace", name) if name else ("anonymous", "")
        if "enum" in statement:
            return "other", ""
        if statement[:1] == ["extern"] and len(statement) == 2:
            return "other", ""
        words = statement
        if words[:2] == ["template", "<"]:
            depth, k = 0, 1
            while k < len(words):
                depth += (words[k] == "<") - (words[k] == ">")
                k += 1
                if depth == 0:
                    break
            words = words[k:]
            while words[:1] == ["requires"]:
                words = words[1:]
        for key in CLASS_KEYS:
            if key in words[:2] and "(" not in words and "=" not in words:
                rest = words[words.index(key) + 1:]
                name = []
                for t in rest:
                    if t in (":", "final", "<"):
                        break
                    name.append(t)
                return "class", "".join(name)
        return None, ""

    @staticmethod
    def _is_function(statement):
        if "(" not in statement:
            return False
        first = statement.index("(")
        return "=" not in statement[:first] or "operator" in statement[:first]

    @staticmethod
    def _declarators(statement):
        """(qualifiers, name) of what a statement declares as a function: names before a parenthesis outside of others."""
        found, depth, angle = [], 0, 0
        for k, token in enumerate(statement):
            if token == "(":
                if depth == 0 and angle == 0 and k > 0:
                    name = statement[k - 1]
                    j = k - 1
                    if "operator" in statement[max(0, k - 3):k]:
                        j = len(statement[:k]) - 1 - statement[:k][::-1].index("operator")
                        name = "".join(statement[j:k])  # "operator=="; "operator" of the call operator
                    if NAME.match(name) and name not in NO_FUNCTION or name.startswith("operator"):
                        if j > 0 and statement[j - 1] == "~":
                            name, j = "~" + name, j - 1
                        qualifiers = []
                        while j > 1 and statement[j - 1] == "::" and NAME.match(statement[j - 2]):
                            qualifiers.insert(0, statement[j - 2])
                            j -= 2
                        found.append((qualifiers, name))
                depth += 1
            elif token == ")":
                depth -= 1
            elif token == "<" and depth == 0 and k > 0 and NAME.match(statement[k - 1]):
                angle += 1
            elif token == ">" and depth == 0 and angle > 0:
                angle -= 1
        return found[:1]

    def _end(self, statement, scopes, body):
        """Takes a declaration, or the definition of a function with the names of its body."""
        if not statement or statement[0] in ("using", "typedef", "static_assert", "friend") and "(" not in statement:
            return
        namespace = "::".join(n for k, n in scopes if k == "namespace")
        classes = [n for k, n in scopes if k == "class"]
        hidden = any(k == "anonymous" for k, _ in scopes)
        in_class = bool(classes)
        functions = self._declarators(statement)
        if functions and "=" in statement[:statement.index("(")] and "operator" not in statement:
            functions = []
        if functions:
            qualifiers, name = functions[0]
            # The names behind the declarator: default arguments, constructor initializers.
            names = {t for t in statement[statement.index("("):] if NAME.match(t)} | (body or set())
            if self.is_header:
                self.inline.append((name, names))
            else:
                self.mentioned |= names
            owner = ".".join(classes + qualifiers)
            key = (namespace, owner, name)
            is_virtual = "virtual" in statement or "override" in statement
            is_default = statement[-2:] in (["=", "default"], ["=", "delete"])
            if body is not None:
                if not hidden and not in_class and not (statement[0] == "static" and not qualifiers):
                    self.defined.add(key)
            elif not is_default:
                self.declared.add(key)
                if is_virtual and statement[-2:] != ["=", "0"] or name.startswith("operator"):
                    self.special.add(key)
            return
        # A variable: the name before "=", "[", "{" or the end.
        end = next((k for k, t in enumerate(statement) if t in ("=", "[", "{", "(")), len(statement))
        if end == 0 or not NAME.match(statement[end - 1]):
            return
        self.mentioned.update(t for t in statement[end:] if NAME.match(t))
        qualifiers, j = [], end - 1
        while j > 1 and statement[j - 1] == "::" and NAME.match(statement[j - 2]):
            qualifiers.insert(0, statement[j - 2])
            j -= 2
        name = statement[end - 1]
        if in_class or statement[0] == "extern":
            if statement[0] in ("static", "extern") and "constexpr" not in statement:
                self.declared.add((namespace, ".".join(classes), name))
        elif qualifiers or (not hidden and statement[0] not in ("static", "class", "struct", "enum", "using")):
            self.defined.add((namespace, ".".join(qualifiers), name))


class Sources:
    """The files of a project: `names`, paths relative to `root`. `changed` has other texts for some of them."""

    def __init__(self, root, names, changed=None):
        self.root = pathlib.Path(root)
        self.names = set(names)
        self.changed = changed or {}
        self.files = {n: File(self.text(n), n.endswith(".h")) for n in names if n.endswith((".cc", ".h"))}
        self._index()

    def with_changed(self, changed):
        """The same with other texts for some files; the rest is not read again."""
        other = Sources(self.root, [], {**self.changed, **changed})
        other.names = self.names | set(changed)
        other.files = {**self.files, **{n: File(text, n.endswith(".h")) for n, text in changed.items()}}
        other._index()
        return other

    def text(self, name):
        return self.changed[name] if name in self.changed else (self.root / name).read_text()

    def _index(self):
        self._closures, self._asked = {}, {}
        declaring = {}
        for name, file in self.files.items():
            for key in file.declared:
                declaring.setdefault(key, set()).add(name)
        # (header, what it declares): the translation units that define it. Of several headers that declare overloads of a
        # name, a unit defines those of the header of its own name or folder.
        self.definers = {}
        for name, file in self.files.items():
            if not name.endswith(".cc"):
                continue
            for key in file.defined:
                headers = declaring.get(key, set()) & self.headers(name)
                for near in (lambda h: h[:-2] == name[:-3], lambda h: pathlib.PurePath(h).parent == pathlib.PurePath(name).parent):
                    headers = set(filter(near, headers)) or headers
                for header in headers:
                    self.definers.setdefault((header, key), set()).add(name)

    def headers(self, name):
        """The files of the project that a file includes, directly or not."""
        if name not in self._closures:
            seen, todo = set(), [name]
            while todo:
                file = self.files.get(todo.pop())
                for included in file.includes if file else ():
                    if included in self.names and included not in seen:
                        seen.add(included)
                        todo.append(included)
            self._closures[name] = seen
        return self._closures[name]

    def definers_of(self, header, name):
        """The translation units that define what the header declares under a name, whatever the class."""
        found = set()
        for key in self.files[header].declared:
            if key[2] == name:
                found |= self.definers.get((header, key), set())
        return found

    def _asked_by(self, name):
        """The translation units that one needs beside itself."""
        if name in self._asked:
            return self._asked[name]
        headers = [h for h in self.headers(name) if h in self.files]
        file, needed = self.files[name], set()
        mentioned = set(file.mentioned).union(*(self.files[h].mentioned for h in headers))
        # An inline function counts where it is mentioned.
        inline = [f for h in headers for f in self.files[h].inline]
        while True:
            left = [f for f in inline if f[0] not in mentioned and not f[0].startswith("operator")]
            for called, names in inline:
                if called in mentioned or called.startswith("operator"):
                    mentioned |= names
            if len(left) == len(inline):
                break
            inline = left
        words = file.words | mentioned
        for header in headers:
            for key in self.files[header].declared:
                _, owner, called = key
                of_class = owner.split(".")[-1] if owner else ""
                is_special = key in self.files[header].special or called.lstrip("~") == of_class
                if called in mentioned or (is_special and (not of_class or of_class in words)):
                    needed |= self.definers.get((header, key), set())
        self._asked[name] = needed
        return needed

    def reach(self, entries, stop=lambda name: False):
        """The files that the entries reach, each with one that asked for it (None for an entry). An entry is a header and the
        name of a function that it declares, or a file and None. A file for which `stop` is true is left out."""
        reached, todo = {}, []

        def add(name, by=None):
            if name not in reached and not stop(name):
                reached[name] = by
                if name in self.files:
                    todo.append(name)

        for name, function in entries:
            if function is None:
                add(name)
                continue
            units = self.definers_of(name, function)
            if not units:
                raise ValueError(f"{name} declares no function {function} that a file defines")
            add(name)
            for unit in sorted(units):
                add(unit, name)
        while todo:
            name = todo.pop()
            if name.endswith(".h"):
                continue
            for header in sorted(self.headers(name)):
                add(header, name)
            for unit in sorted(self._asked_by(name)):
                add(unit, name)
        return reached
