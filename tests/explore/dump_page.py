"""The page of a dump: modules with their verdicts."""

try:
    from selenium.webdriver.common.by import By
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


def three_modules():
    return dump("three", {**files_of(STRANGE, [SAME, SAME, SAME]), **files_of("m1", [corpus("before"), corpus("fixed"), corpus("fixed"), corpus("after")]),
                          **files_of("m2", [SAME, SAME])}, status=1)


class DumpPageTest(PageCase):
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
