"""The page of softmax.hlo: elements, tiles, proofs, the graph, the kernel, keys and screen readers."""

try:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    pass  # page.py says what is missing

from page_case import CORPUS, SESSION, PageCase, explore


class SoftmaxTest(PageCase):
    def setUp(self):
        super().setUp()
        self.open(explore("softmax", CORPUS / "softmax.hlo"))

    def test_01_the_verdict_stands_at_the_top(self):
        self.assertIn("affirmed", self.text("#verdict .badge"))
        self.assertIn("18 of 18 instructions", self.text("#verdict"))
        self.assertEqual(self.text("#panel-maps h2"), "softmax")

    def test_02_an_element_lights_up_the_row_that_it_reads(self):
        output, operand = self.grids()
        self.click_cell(output, 100, 90)
        index = output.get_attribute("data-active").split(",")
        self.assertEqual(index[0], "0")
        self.assertEqual(self.count(output, "chosen"), 1)
        self.assertEqual(self.count(operand), 125)
        self.assertIn("reads 125 elements of p0", self.text("#reads"))
        # 125 cells of 3 x 3 pixels, without the lines between them.
        self.assertGreaterEqual(self.pixels(operand, "lit"), 125 * 4)
        self.assertEqual(self.pixels(output, "lit"), 0)

    def test_03_arrow_keys_move_the_element(self):
        output, operand = self.grids()
        self.first(output, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(output.get_attribute("data-active"), "0,1,2")
        self.assertEqual(self.count(operand), 125)
        ActionChains(SESSION.browser).send_keys(Keys.PAGE_DOWN, Keys.END).perform()
        self.assertEqual(output.get_attribute("data-active"), "1,1,124")
        self.assertIn("[1, 1, 124]", self.text("#reads"))

    def test_04_shift_and_arrows_choose_a_tile(self):
        output, operand = self.grids()
        self.first(output)
        ActionChains(SESSION.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
        self.assertEqual(self.count(output, "chosen"), 6)
        self.assertEqual(self.count(operand), 3 * 125)
        self.assertIn("Tile [0, 0:3, 0:2]", self.text("#reads"))

    def test_05_shift_and_click_choose_a_tile(self):
        output, operand = self.grids()
        self.click_cell(output, 31, 46)
        self.click_cell(output, 60, 76, shift=True)
        self.assertGreater(self.count(output, "chosen"), 50)
        self.assertEqual(self.count(operand) % 125, 0)
        self.assertGreater(self.count(operand), 125)

    def test_06_an_operand_element_shows_where_it_goes(self):
        output, operand = self.grids()
        self.first(operand, Keys.ARROW_RIGHT)
        self.assertEqual(self.count(output), 125)
        self.assertEqual(self.count(operand, "chosen"), 1)
        self.assertIn("of p0 goes into 125 elements of softmax", self.text("#reads"))

    def test_07_maps_have_their_proofs(self):
        text = self.text("#panel-maps")
        self.assertIn("(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], s0 in [0, 124]", text)
        self.assertIn("Input to output", text)
        self.assertGreaterEqual(text.count("✓ proved"), 3)  # of the head, and of both directions
        self.assertIn("exact", text)

    def test_08_a_fusion_opens_its_computation(self):
        self.click("#panel-maps .links button")
        self.assertEqual(Select(SESSION.browser.find_element(By.ID, "computation")).first_selected_option.text, "fused_softmax")
        self.assertEqual(self.text("#panel-maps h2"), "out")
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, ".node")), 10)

    def test_09_a_click_on_a_node_shows_its_maps(self):
        Select(SESSION.browser.find_element(By.ID, "computation")).select_by_visible_text("fused_softmax")
        self.choose("row_max")
        self.assertEqual(self.text("#panel-maps h2"), "row_max")
        self.assertIn("(d0, d1)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], s0 in [0, 124]", self.text("#panel-maps"))
        self.assertEqual(SESSION.browser.find_element(By.CSS_SELECTOR, ".node.selected").get_attribute("aria-pressed"), "true")
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, ".node.related")), 3)

    def test_10_arrow_keys_walk_the_graph(self):
        Select(SESSION.browser.find_element(By.ID, "computation")).select_by_visible_text("fused_softmax")
        node = SESSION.browser.find_element(By.CSS_SELECTOR, ".node.selected")
        self.press(node, Keys.ARROW_UP)
        first = self.text("#panel-maps h2")
        self.assertIn(first, ("exp", "row_sum_everywhere"))
        ActionChains(SESSION.browser).send_keys(Keys.ARROW_DOWN).perform()
        self.assertIn(self.text("#panel-maps h2"), ("out", "row_sum"))

    def test_11_an_instruction_is_found_by_its_name(self):
        find = SESSION.browser.find_element(By.ID, "find")
        find.send_keys("row_sum", Keys.ENTER)
        self.assertEqual(self.text("#panel-maps h2"), "row_sum")

    def test_12_the_result_lights_up_what_is_read_on_the_way(self):
        self.open(explore("softmax", CORPUS / "softmax.hlo"), "row_max")
        for button in SESSION.browser.find_elements(By.CSS_SELECTOR, "#panel-maps .arrays button"):
            if "the result out" in button.text:
                button.click()
                break
        output, here = self.grids()
        self.press(output, Keys.HOME)
        self.assertEqual(self.count(here), 1)
        self.assertIn("of out reads 1 element of row_max", self.text("#reads"))

    def test_13_a_simplification_is_shown_step_by_step(self):
        page = explore("chained", CORPUS / "chained_reshapes.hlo", "--no-check")
        self.open(page)
        name = SESSION.browser.execute_script("""
            for (const computation of JSON.parse(document.getElementById("data").textContent).modules[0].computations)
              for (const of of computation.compositions)
                for (const op of computation.instructions)
                  if (of[op.id]?.some((c) => c.steps.length > 2)) return op.name;""")
        self.open(page, name)
        self.click("#tab-steps")
        step = SESSION.browser.find_element(By.CSS_SELECTOR, "#panel-steps .step")
        first = step.text
        self.assertIn("⇒", first)
        SESSION.browser.find_element(By.CSS_SELECTOR, '[aria-label="Step: next"]').click()
        self.assertNotEqual(step.text, first)
        self.assertIn("step 2 of", self.text("#panel-steps .step-text"))
        self.press(SESSION.browser.find_element(By.CSS_SELECTOR, '#panel-steps input[type="range"]'), Keys.ARROW_LEFT)
        self.assertEqual(step.text, first)
        self.assertIn("✓ replayed", self.text("#panel-steps"))
        self.screenshot("simplification")

    def test_14_the_text_view_lists_the_instructions(self):
        self.click("#view-text")
        self.assertFalse(SESSION.browser.find_element(By.ID, "graph").is_displayed())
        lines = SESSION.browser.find_elements(By.CSS_SELECTOR, "#text button")
        self.assertEqual(len(lines), 2)
        lines[0].click()
        self.assertEqual(self.text("#panel-maps h2"), "p0")
        self.assertEqual(lines[0].get_attribute("aria-pressed"), "true")

    def test_15_dark_and_light(self):
        style = "return getComputedStyle(document.body).backgroundColor"
        light = SESSION.browser.execute_script(style)
        self.click("#theme")
        dark = SESSION.browser.execute_script(style)
        self.assertNotEqual(light, dark)
        self.assertLess(sum(map(int, dark.strip("rgb()").split(","))), 150)
        self.screenshot("softmax-dark")
        self.click("#theme")
        self.assertEqual(SESSION.browser.execute_script(style), light)
        SESSION.browser.execute_script("localStorage.clear()")
        SESSION.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.open(explore("softmax", CORPUS / "softmax.hlo"))
        self.assertEqual(SESSION.browser.execute_script(style), dark)

    def test_16_what_a_screen_reader_gets(self):
        output, operand = self.grids()
        self.first(output, Keys.ARROW_RIGHT)
        self.assertEqual(output.get_attribute("role"), "grid")
        self.assertEqual((output.get_attribute("aria-rowcount"), output.get_attribute("aria-colcount")), ("65", "125"))
        cell = SESSION.browser.find_element(By.ID, output.get_attribute("aria-activedescendant"))
        self.assertEqual((cell.get_attribute("role"), cell.get_attribute("aria-colindex")), ("gridcell", "2"))
        self.assertEqual(cell.get_attribute("textContent"), "[0, 0, 1], chosen")
        self.assertIn("reads 125 elements", self.text("#status"))
        self.assertEqual(SESSION.browser.find_element(By.ID, "status").get_attribute("aria-live"), "polite")
        # Clickable elements have names, and ids are of one element.
        without = SESSION.browser.execute_script("""
            return [...document.querySelectorAll("button, input, select, [role=button], [role=grid], [role=tab], [role=img]")]
              .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim())).map((e) => e.outerHTML);""")
        self.assertEqual(without, [])
        self.assertTrue(SESSION.browser.execute_script(
            "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return new Set(ids).size === ids.length"))

    def test_17_tabs_answer_to_arrow_keys(self):
        tab = SESSION.browser.find_element(By.ID, "tab-maps")
        self.press(tab, Keys.ARROW_RIGHT)
        self.assertEqual(SESSION.browser.find_element(By.ID, "tab-steps").get_attribute("aria-selected"), "true")
        self.assertTrue(SESSION.browser.find_element(By.ID, "panel-steps").is_displayed())
        self.assertFalse(SESSION.browser.find_element(By.ID, "panel-maps").is_displayed())

    def test_18_a_warp_shows_its_sectors(self):
        self.click("#tab-kernel")
        status = SESSION.browser.find_element(By.ID, "warp-text")
        self.assertEqual((status.get_attribute("data-lanes"), status.get_attribute("data-units")), ("32", "4"))
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, "#warp .sector")), 4)
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, "#warp .lane.runs")), 32)
        self.assertEqual(self.count(SESSION.browser.find_element(By.CSS_SELECTOR, "#warp .grid")), 32)
        # The second row begins inside a sector.
        self.click('.heat td[data-group="0"][data-warp="1"]')
        status = SESSION.browser.find_element(By.ID, "warp-text")
        self.assertEqual((status.get_attribute("data-units"), status.get_attribute("data-ideal")), ("5", "4"))
        self.assertIn("cost-1", SESSION.browser.find_element(By.CSS_SELECTOR, ".heat td.chosen").get_attribute("class"))
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, ".claims .badge.ok")), 7)

    def test_19_the_guard_masks_the_edge(self):
        self.click("#tab-kernel")
        # Rows have 125 elements: of the last 32 places three lie outside, and the last block has two rows only.
        self.click('.heat td[data-group="3"][data-warp="0"]')
        status = SESSION.browser.find_element(By.ID, "warp-text")
        self.assertEqual((status.get_attribute("data-lanes"), status.get_attribute("data-masked")), ("29", "3"))
        self.assertIn("masks lanes 29 to 31", status.text)
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, "#warp .lane.masked")), 3)
        self.assertIn("guard", self.text("#warp"))
        self.press(SESSION.browser.find_element(By.CSS_SELECTOR, 'input[aria-label="Block"]'), Keys.END)
        self.assertIn("block 16 of 17", self.text("#panel-kernel"))
        idle = SESSION.browser.find_elements(By.CSS_SELECTOR, '.heat td[data-group="3"].cost-none')
        self.assertEqual(len(idle), 6)

    def test_20_arrow_keys_walk_the_accesses(self):
        self.click("#tab-kernel")
        self.press(SESSION.browser.find_element(By.CSS_SELECTOR, ".heat td.chosen"), Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        chosen = SESSION.browser.find_element(By.CSS_SELECTOR, ".heat td.chosen")
        self.assertEqual((chosen.get_attribute("data-group"), chosen.get_attribute("data-warp")), ("1", "1"))
        self.assertEqual(SESSION.browser.switch_to.active_element, chosen)

    def test_21_screenshots(self):
        output = self.grids()[0]
        self.first(output, *[Keys.ARROW_DOWN] * 20)
        self.screenshot("softmax")
        self.click("#tab-kernel")
        self.click('.heat td[data-group="3"][data-warp="1"]')
        self.screenshot("softmax-kernel")
