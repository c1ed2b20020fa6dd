"""Scopes of the graph, the text of kernels, rulers and tooltips, and the element that a panel opens with."""

try:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    pass  # page.py says what is missing

import large_module
from page_case import CORPUS, SESSION, TRANSPOSED, PageCase, explore, refuted_map

# Paths of which one begins as another one does, and characters of any kind.
SCOPED = r"""HloModule scoped
ENTRY e {
  p = f32[4] parameter(0), metadata={op_name="args[0]"}
  a = f32[4] negate(p), metadata={op_type="x" op_name="jit(f)/layer_1/neg" source_file="f.py"}
  b = f32[4] abs(a), metadata={op_name="jit(f)/layer_1/inner/abs"}
  c = f32[4] exponential(b), metadata={op_name="jit(f)/layer_1/inner/exp"}
  d = f32[4] negate(c), metadata={op_name="jit(f)/layer_10/neg"}
  f = f32[4] abs(d), metadata={op_name="jit(f)/layer_10/abs"}
  g = f32[4] negate(f), metadata={op_name="jit(f)/layer_1"}
  x = f32[4] negate(g), metadata={op_name="jit(f)//neg"}
  y = f32[4] negate(x), metadata={op_name="jit(f)//abs"}
  h = f32[4] abs(y), metadata={op_name="jit(f)/<b>\"ü #\"(x/y)/abs"}
  i = f32[4] negate(h), metadata={op_name="jit(f)/<b>\"ü #\"(x/y)/neg"}
  ROOT r = f32[4] add(i, a), metadata={op_name="jit(f)/add"}
}
"""

EDGE = """HloModule edge
ENTRY e {
  p = f32[2,2] parameter(0)
  z = f32[] constant(3.5)
  v = f32[4] constant({1, 2.5, -3, 4})
  w = f32[99,99] pad(p, z), padding=95_2x95_2
  ROOT t = (f32[99,99], f32[4]) tuple(w, v)
}
"""

NOTHING = """HloModule nothing
ENTRY e {
  c = f32[] constant(2)
  ROOT i = f32[3,5] iota(), iota_dimension=1
}
"""


class GraphPageTest(PageCase):
    def scopes(self):
        return [(node.get_attribute("data-scope"), node.get_attribute("aria-label")) for node in SESSION.browser.find_elements(By.CSS_SELECTOR, ".node.scope")]

    def nodes(self):
        return len(SESSION.browser.find_elements(By.CSS_SELECTOR, ".node"))

    def open_text(self, name, text, *options, at=""):
        (SESSION.folder / (name + ".hlo")).write_text(text)
        page = explore(name, name + ".hlo", *options, folder=SESSION.folder)
        self.open(page, at)
        return page

    def hover(self, element, x, y):
        """Moves the pointer over a place of the element's drawing."""
        canvas = element.find_element(By.TAG_NAME, "canvas")
        SESSION.browser.execute_async_script("arguments[0].scrollIntoView({block: 'center'}); requestAnimationFrame(() => requestAnimationFrame(arguments[1]))", canvas)
        size = canvas.size
        ActionChains(SESSION.browser).move_to_element_with_offset(canvas, round(x - size["width"] / 2), round(y - size["height"] / 2)).perform()

    def tip(self):
        return SESSION.browser.execute_script("const tip = document.getElementById('tip'); return tip && !tip.hidden ? tip.innerText : null")

    def test_60_scopes_collapse_to_nodes(self):
        self.open_text("scoped", SCOPED)
        whole = self.nodes()
        self.assertEqual(self.scopes(), [])
        self.click("#scopes-collapse")
        self.assertEqual(self.scopes(), [
            ("jit(f)/layer_1", "scope layer_1, 3 instructions, proved, collapsed"), ("jit(f)/layer_10", "scope layer_10, 2 instructions, proved, collapsed"),
            ('jit(f)/<b>"ü #"(x/y)', 'scope <b>"ü #"(x/y), 2 instructions, proved, collapsed')])
        self.assertEqual(self.nodes(), 3 + 5)  # g is called as the scope and does not stand in it; a part without a name is none
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, ".edges path")), 8)
        self.click("#scopes-expand")
        self.assertEqual((self.scopes(), self.nodes()), ([], whole))
        self.assertFalse(SESSION.browser.find_element(By.ID, "scopes-expand").is_enabled())

    def test_61_a_scope_is_expanded_and_collapsed_again(self):
        self.open_text("scoped", SCOPED)
        self.click("#scopes-collapse")
        ActionChains(SESSION.browser).move_to_element(SESSION.browser.find_element(By.CSS_SELECTOR, '[data-scope="jit(f)/layer_1"] rect')).click().perform()
        self.assertEqual([path for path, _ in self.scopes()][:2], ["jit(f)/layer_1/inner", "jit(f)/layer_10"])
        self.choose("a")
        self.assertEqual(self.text("#scope-of"), "Collapse layer_1")
        self.press(SESSION.browser.find_element(By.ID, "scope-of"), Keys.ENTER)
        self.assertEqual(SESSION.browser.switch_to.active_element.get_attribute("data-scope"), "jit(f)/layer_1")
        self.assertEqual([path for path, _ in self.scopes()][:2], ["jit(f)/layer_1", "jit(f)/layer_10"])
        self.assertFalse(SESSION.browser.find_element(By.ID, "scope-of").is_displayed())
        # The scope of the chosen instruction is marked.
        self.assertIn("selected", SESSION.browser.find_element(By.CSS_SELECTOR, '[data-scope="jit(f)/layer_1"]').get_attribute("class"))

    def test_62_the_keyboard_walks_over_scopes_and_opens_them(self):
        self.open_text("scoped", SCOPED)
        self.click("#scopes-collapse")
        self.press(SESSION.browser.find_element(By.CSS_SELECTOR, ".node.selected"), Keys.ARROW_UP)
        focused = SESSION.browser.switch_to.active_element
        self.assertIn(focused.get_attribute("data-scope"), ("jit(f)/layer_1", 'jit(f)/<b>"ü #"(x/y)'))
        self.assertEqual(focused.get_attribute("aria-expanded"), "false")
        path = focused.get_attribute("data-scope")
        ActionChains(SESSION.browser).send_keys(Keys.ENTER).perform()
        self.assertNotIn(path, [one for one, _ in self.scopes()])
        self.assertTrue(SESSION.browser.switch_to.active_element.get_attribute("data-id"))

    def test_63_a_scope_has_the_worst_verdict_of_its_members(self):
        (SESSION.folder / "transposed.hlo").write_text(large_module.text(106, scopes=True))
        self.open(refuted_map("refuted_scope", "turned_1", "reversed"))
        self.click("#scopes-collapse")
        self.assertEqual([label.split(", ", 1)[1] for _, label in self.scopes()],
                         [f"25 instructions, {state}, collapsed" for state in ("proved", "refuted", "proved", "proved")])
        node = SESSION.browser.find_element(By.CSS_SELECTOR, '[data-scope="model/block_1"]')
        self.assertIn("refuted", node.get_attribute("class").split())
        self.assertIn("selected", node.get_attribute("class").split())
        self.screenshot("scopes", "explore-scopes")

    def test_64_a_graph_without_scopes_has_no_buttons_for_them(self):
        self.open(explore("softmax", CORPUS / "softmax.hlo"))
        self.assertFalse(SESSION.browser.find_element(By.ID, "scopes").is_displayed())

    def test_65_1200_instructions_collapse(self):
        (SESSION.folder / "scopes_1200.hlo").write_text(large_module.text(1200, scopes=True))
        page = explore("scopes_1200", SESSION.folder / "scopes_1200.hlo", "--no-check")
        size = page.stat().st_size
        self.open(page)
        shown = SESSION.browser.execute_script("return performance.getEntriesByName('affirm-shown')[0].startTime")
        took = SESSION.browser.execute_script("const from = performance.now(); document.getElementById('scopes-collapse').click(); return performance.now() - from")
        print(f"  1,200 instructions: {size / 1e6:.2f} MB, shown after {shown / 1000:.2f} s on the clock, collapsed in {took / 1000:.2f} s", flush=True)
        self.assertLess(size, 6_000_000)
        self.assertEqual(len(self.scopes()), 47)
        self.assertLess(self.nodes(), 80)
        find = SESSION.browser.find_element(By.ID, "find")
        find.send_keys("weights_20", Keys.ENTER)
        self.assertEqual(SESSION.browser.find_element(By.CSS_SELECTOR, ".node.selected").get_attribute("data-scope"), "model/block_20")

    def test_66_a_line_of_llvm_ir_and_its_access_choose_each_other(self):
        self.open(explore("softmax", CORPUS / "softmax.hlo"))
        self.click("#tab-kernel")
        groups = SESSION.browser.execute_script("return JSON.parse(document.getElementById('data').textContent).modules[0].kernels[0].groups")
        current = '#llvm [aria-current="true"]'
        for number, group in enumerate(groups):
            self.click(f'.heat td[data-group="{number}"][data-warp="0"]')
            line = SESSION.browser.find_element(By.CSS_SELECTOR, current)
            self.assertEqual(line.get_attribute("data-line"), str(group["line"]))
            self.assertEqual(line.find_element(By.TAG_NAME, "code").text.strip(), group["text"])
            inside = SESSION.browser.execute_script("const a = arguments[0].getBoundingClientRect(), b = document.querySelector('.llvm').getBoundingClientRect(); return a.top >= b.top && a.bottom <= b.bottom", line)
            self.assertTrue(inside)
        accesses = SESSION.browser.find_elements(By.CSS_SELECTOR, "#llvm button")
        self.assertEqual([int(line.get_attribute("data-line")) for line in accesses], sorted({group["line"] for group in groups}))
        self.press(accesses[0], Keys.ENTER)
        chosen = SESSION.browser.find_element(By.CSS_SELECTOR, ".heat td.chosen")
        self.assertEqual(str(groups[int(chosen.get_attribute("data-group"))]["line"]), accesses[0].get_attribute("data-line"))
        self.assertTrue(SESSION.browser.find_elements(By.CSS_SELECTOR, "#llvm .ir code")[0].text.startswith("define "))
        self.screenshot("kernel-source", "explore-kernel", "#llvm")

    def test_67_a_kernel_leads_to_its_instructions(self):
        self.open(explore("softmax", CORPUS / "softmax.hlo"))
        self.click("#tab-kernel")
        next(link for link in SESSION.browser.find_elements(By.CSS_SELECTOR, "#computes .link") if link.text == "row_max").click()
        self.assertEqual(self.text("#panel-maps h2"), "row_max")
        SESSION.browser.back()
        self.assertTrue(SESSION.browser.find_element(By.ID, "panel-kernel").is_displayed())

    def test_68_arrays_have_rulers(self):
        self.open(explore("softmax", CORPUS / "softmax.hlo"))
        output = self.grids()[0]
        rows, columns = (output.get_attribute("data-" + name).split() for name in ("rows", "columns"))
        self.assertEqual(rows[:2], ["0", "5"])
        self.assertEqual((columns[0], len(columns) > 2), ("0", True))
        # Digits of the columns are above the cells, those of the rows beside them, and clicks fall below.
        ink = SESSION.browser.execute_script("""
            const canvas = arguments[0].querySelector('canvas'), {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const ink = (left, right, top, bottom) => {
              let count = 0;
              for (let y = top; y < bottom; ++y) for (let x = left; x < right; ++x) count += data[4 * (y * canvas.width + x) + 3] > 60;
              return count;
            };
            return [ink(20, canvas.width, 0, 11), ink(0, 16, 40, canvas.height)];""", output)
        self.assertGreater(ink[0], 60)
        self.assertGreater(ink[1], 60)
        (SESSION.folder / "runtime_values.hlo").write_text("HloModule m\nENTRY e {\n  p = f32[5000] parameter(0)\n  ROOT n = f32[5000] negate(p)\n}\n")
        self.open(explore("vector", SESSION.folder / "runtime_values.hlo", "--no-check"))
        output = self.grids()[0]
        self.first(output, Keys.END)
        # A vector in lines of 32, of which a part is shown: the first index of a line, and what is added.
        starts = [int(text) for text in output.get_attribute("data-rows").split()]
        self.assertTrue(all((start - starts[0]) % 32 == 0 for start in starts) and starts[-1] > 4900, starts)
        self.assertEqual(output.get_attribute("data-columns").split()[0], "+0")

    def test_69_a_tooltip_says_index_state_and_verdict(self):
        (SESSION.folder / "transposed.hlo").write_text(TRANSPOSED)
        self.open(explore("transposed", SESSION.folder / "transposed.hlo"), "instruction=t&element=2,3")
        output, operand = self.grids()[:2]
        self.assertIsNone(self.tip())
        place = SESSION.browser.execute_script("const c = arguments[0].querySelector('canvas').getBoundingClientRect(); return [c.width, c.height]", operand)
        seen = set()
        for y in range(20, round(place[1]) - 2, 20):
            for x in range(24, round(place[0]) - 2, 20):
                self.hover(operand, x, y)
                seen.add(self.tip())
        self.assertIn("[3, 2]\nlit\nmap proved", seen)
        self.assertIn("[0, 0]\nmap proved", seen)
        self.hover(operand, 60, 60)
        self.assertIsNotNone(self.tip())
        ActionChains(SESSION.browser).send_keys(Keys.ESCAPE).perform()
        self.assertIsNone(self.tip())

    def test_70_a_tooltip_says_a_value_that_is_known(self):
        self.open_text("edge", EDGE, "--no-check", at="instruction=t")
        vector = next(grid for grid in self.grids() if grid.get_attribute("aria-label").startswith("v,"))
        self.hover(vector, 30, 22)
        self.assertTrue(self.tip().startswith("[1] = 2.5"), self.tip())

    def test_71_a_panel_opens_with_an_element_that_reads(self):
        self.open_text("edge", EDGE, "--no-check", at="instruction=w")
        # A pad with a wide edge has four elements that read p.
        output, operand, value = self.grids()
        self.assertIn(output.get_attribute("data-active").split(",")[0], ("95", "96"))
        self.assertEqual(self.count(operand), 1)
        self.assertIn("reads 1 element of p", self.text("#reads"))

    def test_72_a_panel_opens_with_the_refuted_element(self):
        (SESSION.folder / "transposed.hlo").write_text(TRANSPOSED)
        self.open(refuted_map("refuted_map", "t", "reversed"), "instruction=t&tab=maps")
        refuted = SESSION.browser.execute_script("return JSON.parse(document.getElementById('data').textContent).modules[0].refutations[0].from")
        active = [int(i) for i in self.grids()[0].get_attribute("data-active").split(",")]
        self.assertEqual(active[0] * refuted["dims"][1] + active[1], refuted["element"])

    def test_73_a_module_without_parameters_opens(self):
        self.open_text("nothing", NOTHING)
        self.assertEqual(self.text("#panel-maps h2"), "i")
        self.assertIn("It has no operands", self.text("#panel-maps"))
        self.click("#tab-kernel")
        self.assertIn("store", self.text("#llvm"))
