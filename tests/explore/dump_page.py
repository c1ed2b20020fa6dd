"""The page of a dump: modules with their verdicts, and the HLO before and after a pass."""

try:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    pass  # page.py says what is missing

from page_case import ROOT, SESSION, PageCase, explore

SAME = "HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT t = f32[4] negate(p)\n}\n"
STRANGE = "m0 \"'<b>&#ü=%41"  # the name of a module


def corpus(name):
    return (ROOT / "corpus" / "equivalence" / f"slice_of_slice.{name}.hlo").read_text()


def files_of(module, texts):
    """The HLO files of a module: passes a, b, ... of the pipeline `s` give the texts one after the other."""
    names = [f"{module}.0000.s.after_pipeline-start.before_a.txt"]
    names += [f"{module}.{k:04}.s.after_{chr(96 + k)}.before_{chr(97 + k)}.txt" for k in range(1, len(texts))]
    return dict(zip(names, texts))


def dump(name, files, *options, status):
    folder = SESSION.folder / name
    folder.mkdir(exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(text)
    return explore("dump_" + name, name, *options, status=status, folder=SESSION.folder)


def long_module(lines, step=0):
    """A chain of that many instructions, of which every `step`th is another one."""
    text = ["HloModule long", "", "ENTRY e {", "  n0 = f32[2] parameter(0)"]
    for k in range(1, lines):
        opcode = "negate" if step and k % step == 1 else "abs"
        text.append(f"  {'ROOT ' if k == lines - 1 else ''}n{k} = f32[2] {opcode}(n{k - 1}), metadata={{op_name=\"{'long/' * 40}n{k}\"}}")
    return "\n".join(text + ["}"]) + "\n"


def three_modules():
    return dump("three", {**files_of(STRANGE, [SAME, SAME, SAME]), **files_of("m1", [corpus("before"), corpus("fixed"), corpus("fixed"), corpus("after")]),
                          **files_of("m2", [SAME, SAME])}, status=1)


class DumpPageTest(PageCase):
    def rows(self, selector):
        return SESSION.browser.find_elements(By.CSS_SELECTOR, "#panel-passes .diff tbody " + selector)

    def test_50_a_dump_opens_at_the_refuted_module(self):
        self.open(three_modules())
        options = Select(SESSION.browser.find_element(By.ID, "module"))
        self.assertEqual([option.text for option in options.options], [f"? {STRANGE} (unknown)", "✗ m1 (refuted)", "? m2 (unknown)"])
        self.assertEqual(options.first_selected_option.text, "✗ m1 (refuted)")
        self.assertEqual(self.text("#whole .badge"), "✗ refuted")
        self.assertIn("the dump, 1 of 3 modules refuted", self.text("#whole"))
        self.assertEqual(SESSION.browser.find_element(By.ID, "tab-wrong").get_attribute("aria-selected"), "true")

    def test_51_the_verdict_of_the_whole_stays_beside_another_module(self):
        page = three_modules()
        self.open(page)
        Select(SESSION.browser.find_element(By.ID, "module")).select_by_index(0)
        badges = [badge.text for badge in SESSION.browser.find_elements(By.CSS_SELECTOR, "#verdict .badge")]
        self.assertEqual(badges, ["✗ refuted", "? unknown"])
        # A name of any characters is in the address, and back leads to the module before.
        fragment = SESSION.browser.execute_script("return location.hash")
        self.assertTrue(fragment.startswith("#module=0:m0%20%22"), fragment)
        self.open(page, fragment[1:])
        self.assertEqual(SESSION.browser.execute_script("return location.hash"), fragment)
        self.assertEqual(Select(SESSION.browser.find_element(By.ID, "module")).first_selected_option.text, f"? {STRANGE} (unknown)")
        Select(SESSION.browser.find_element(By.ID, "module")).select_by_index(2)
        SESSION.browser.back()
        WebDriverWait(SESSION.browser, 20).until(lambda b: Select(b.find_element(By.ID, "module")).first_selected_option.text.startswith("? m0"))
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, "body b, header i")), 0)

    def test_52_a_pass_is_shown_line_by_line(self):
        self.open(three_modules())
        self.click("#panel-wrong .refutation > .link")
        self.assertEqual(SESSION.browser.find_element(By.ID, "tab-passes").get_attribute("aria-selected"), "true")
        buttons = SESSION.browser.find_elements(By.CSS_SELECTOR, "#panel-passes [data-pass]")
        self.assertEqual([(button.get_attribute("data-pass"), button.get_attribute("aria-pressed")) for button in buttons], [("0", "false"), ("2", "true")])
        self.assertIn("refuted", buttons[1].text)
        self.assertIn("1 more pass changes nothing", self.text("#panel-passes"))
        # The rows have the lines of the files, at the same numbers.
        before, after = corpus("fixed").splitlines(), corpus("after").splitlines()
        changed = 0
        for row in self.rows("tr"):
            cells = row.find_elements(By.TAG_NAME, "td")
            if len(cells) == 1:
                continue
            numbers, texts = [cells[0].text, cells[2].text], [cell.find_elements(By.TAG_NAME, "code") for cell in (cells[1], cells[3])]
            for number, code, lines in zip(numbers, texts, (before, after)):
                self.assertEqual(bool(number), bool(code))
                if number:
                    self.assertEqual(code[0].get_attribute("textContent"), lines[int(number) - 1])
            changed += row.get_attribute("class") == "changed"
            self.assertEqual(row.get_attribute("class") == "changed", not (numbers[0] and numbers[1] and before[int(numbers[0]) - 1] == after[int(numbers[1]) - 1]))
        self.assertGreater(changed, 0)
        marks = self.rows("mark")
        self.assertGreater(len(marks), 0)
        self.assertIn("removed: ", self.rows(".removed")[0].get_attribute("textContent"))
        self.screenshot("pass", "explore-pass")

    def test_53_the_chosen_pass_is_in_the_address(self):
        page = three_modules()
        self.open(page, "tab=passes")
        self.assertIn("refuted", self.text("#panel-passes .head"))
        self.click('#panel-passes [data-pass="0"]')
        WebDriverWait(SESSION.browser, 20).until(lambda b: "pass=0" in b.current_url)
        self.assertNotIn("refuted", self.text("#panel-passes .head"))
        SESSION.browser.back()
        WebDriverWait(SESSION.browser, 20).until(lambda b: "pass=" not in b.current_url)
        self.assertIn("refuted", self.text("#panel-passes .head"))
        self.open(page, "tab=passes&pass=0")
        self.assertEqual(SESSION.browser.find_element(By.CSS_SELECTOR, '[data-pass="0"]').get_attribute("aria-pressed"), "true")
        for number in ("7", "-1", "x", ""):
            self.open(page, "tab=passes&pass=" + number)
            self.assertEqual(SESSION.browser.find_element(By.CSS_SELECTOR, '[data-pass="2"]').get_attribute("aria-pressed"), "true", number)

    def test_54_passes_that_change_nothing_have_no_rows(self):
        self.open(dump("same", files_of("m", [SAME, SAME, SAME]), status=2))
        self.click("#tab-passes")
        self.assertIn("None of 2 passes changes the HLO.", self.text("#panel-passes"))
        self.assertEqual(self.rows("tr"), [])

    def test_55_texts_of_20000_lines_are_shown_in_part(self):
        page = dump("long", files_of("m", [long_module(1200), long_module(1200, 7)]), "--no-check", status=0)
        self.open(page)
        self.assertFalse(SESSION.browser.find_element(By.ID, "tab-passes").is_displayed())  # nothing was compared
        # A text that is no module has no verdict, but lines.
        many = "\n".join(f"line {k}" for k in range(20_000))
        texts = [SAME, SAME + many + "\n", SAME + many.replace("line 1", "row 1") + "\n", SAME]
        page = dump("many_lines", files_of("m", texts), status=2)
        self.assertLess(page.stat().st_size, 1_500_000)
        self.open(page, "tab=passes&pass=1")
        self.assertIn("20,005 lines before, 20,005 after", self.text("#panel-passes .diff caption"))
        self.assertIn("11,111 lines removed, 11,111 lines added", self.text("#panel-passes .diff caption"))
        self.assertIn("rows with changes are left out", self.text("#panel-passes .note"))
        self.assertLessEqual(len(self.rows("tr")), 402)

    def test_56_the_changes_of_a_pass_are_walked(self):
        lines = [f"// {k}" for k in range(60)]
        other = [line + " changed" if k in (5, 30, 31, 50) else line for k, line in enumerate(lines)]
        self.open(dump("walked", files_of("m", [SAME + "\n".join(text) + "\n" for text in (lines, other)]), status=2), "tab=passes")
        self.assertIn("change 1 of 3", self.text("#panel-passes .step-text"))
        self.press(SESSION.browser.find_element(By.CSS_SELECTOR, '#panel-passes input[type="range"]'), Keys.ARROW_RIGHT)
        current = self.rows('[aria-current="true"]')
        self.assertEqual([row.find_element(By.TAG_NAME, "td").text for row in current], ["36", "37"])
        self.assertEqual(self.rows(".equal-lines")[0].text, "7 equal lines")
        self.assertEqual([mark.text for mark in self.rows("mark")][0].strip(), "changed")
