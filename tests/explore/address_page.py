"""The view as the fragment of the page's address: copied, gone back to, and wrong."""

try:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    pass  # page.py says what is missing

import large_module
from page_case import CORPUS, SESSION, PageCase, explore

SCALAR = """HloModule scalar
ENTRY e {
  p = f32[] parameter(0)
  n = f32[] negate(p)
  ROOT b = f32[3] broadcast(n), dimensions={}
}
"""

EMPTY = """HloModule empty
ENTRY e {
  p = f32[0,3] parameter(0)
  t = f32[3,0] transpose(p), dimensions={1,0}
  ROOT n = f32[3,0] negate(t)
}
"""


class AddressTest(PageCase):
    def setUp(self):
        super().setUp()
        self.page = explore("softmax", CORPUS / "softmax.hlo")
        self.open(self.page)

    def address(self):
        return SESSION.browser.execute_script("return location.hash")

    def choose_parameter(self):
        """Clicks the node of p0 in the entry."""
        node = SESSION.browser.find_element(By.CSS_SELECTOR, '.node[aria-label^="p0,"] rect')
        ActionChains(SESSION.browser).move_to_element(node).click().perform()

    def wait_for(self, part):
        WebDriverWait(SESSION.browser, 20).until(lambda b: part in self.address(), f"{part} in {self.address()}")

    def go_to(self, fragment):
        """As a reader who types it."""
        SESSION.browser.execute_script("location.hash = arguments[0]", fragment)
        WebDriverWait(SESSION.browser, 20).until(lambda b: self.address() != "#" + fragment or fragment == "" or "=" in fragment)

    def open_again(self):
        """Opens the address in another window."""
        url = SESSION.browser.current_url
        SESSION.browser.get("about:blank")
        SESSION.browser.get(url)
        self.wait_until_shown()
        self.assertEqual(SESSION.browser.current_url, url)

    def back(self, steps=-1):
        before = SESSION.browser.current_url
        SESSION.browser.execute_script("history.go(arguments[0])", steps)
        WebDriverWait(SESSION.browser, 20).until(lambda b: b.current_url != before)

    def shown_tab(self):
        return SESSION.browser.find_element(By.CSS_SELECTOR, '#tabs [aria-selected="true"]').get_attribute("id")

    def test_40_a_copied_address_opens_the_same_element(self):
        self.assertEqual(self.address(), "")  # what the page opens with
        Select(SESSION.browser.find_element(By.ID, "computation")).select_by_visible_text("fused_softmax")
        self.choose("row_max")
        self.wait_for("#instruction=row_max")
        output, operand = self.grids()[:2]
        self.first(output, Keys.ARROW_DOWN, *[Keys.ARROW_RIGHT] * 3)
        self.wait_for("element=1,3")
        reads = self.text("#reads")
        self.open_again()
        self.assertEqual(self.text("#panel-maps h2"), "row_max")
        self.assertEqual(self.grids()[0].get_attribute("data-active"), "1,3")
        self.assertEqual(self.text("#reads"), reads)

    def test_41_the_address_has_tiles_and_elements_of_operands(self):
        output, operand = self.grids()
        self.first(operand, Keys.ARROW_RIGHT)
        ActionChains(SESSION.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
        self.wait_for("operand=0&element=0,0,1:0,1,2")
        reads = self.text("#reads")
        self.assertIn("Tile [0, 0:2, 1:3] of p0 goes into", reads)
        self.open_again()
        self.assertEqual(self.text("#reads"), reads)
        self.assertEqual(self.count(self.grids()[1], "chosen"), 4)

    def test_42_back_and_forward_walk_through_the_steps(self):
        output = self.grids()[0]
        self.first(output, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.click("#tab-kernel")  # before the element is written
        self.wait_for("tab=kernel")
        self.choose_parameter()
        self.assertEqual(self.shown_tab(), "tab-kernel")
        self.back()
        self.assertEqual(SESSION.browser.find_element(By.CSS_SELECTOR, ".node.selected").get_attribute("data-id"), str(self.number("softmax")))
        self.assertEqual(self.shown_tab(), "tab-kernel")
        self.back()
        self.assertEqual(self.shown_tab(), "tab-maps")
        self.assertEqual(self.grids()[0].get_attribute("data-active"), "0,0,2")
        self.back(2)
        self.assertEqual((self.shown_tab(), self.address()), ("tab-kernel", "#computation=main&instruction=p0&tab=kernel"))

    def test_43_wrong_fragments_are_ignored(self):
        self.choose_parameter()
        self.wait_for("#computation=main&instruction=p0")
        for fragment in ("nonsense", "instruction=nonsense", "tab=nonsense", "module=9:x", "%", "%ff", "=", "&", "a=b&c", "__proto__=1", "instruction=%E0%A4%A",
                         "details", "constructor", "tab=passes", "toString=1"):
            self.go_to(fragment)
            WebDriverWait(SESSION.browser, 20).until(lambda b: self.address() == "#computation=main&instruction=p0", fragment)
            self.assertEqual(self.text("#panel-maps h2"), "p0", fragment)
        # Parts that are known are shown.
        for element in ("9,9", "0,0,999", "-1,0,0", "1e3,0,0", "0,0,0:0", "0,1,0:0,0,0", "", "a", "0,0,0:1,1,1:1,1,1", "9" * 400):
            self.open(self.page, "instruction=softmax&tab=nonsense&operand=7&between=x&result=99&element=" + element)
            self.assertEqual((self.text("#panel-maps h2"), self.address()), ("softmax", ""), element)
        for fragment in ("tab=kernel&kernel=5&access=99&block=99&warp=99", "tab=kernel&access=-1&block=x"):
            self.open(self.page, fragment)
            self.assertEqual(self.shown_tab(), "tab-kernel")
        # As pages of before had it.
        self.open(self.page, "row_max")
        self.assertEqual((self.text("#panel-maps h2"), self.address()), ("row_max", "#instruction=row_max"))

    def test_44_the_address_has_the_access_of_a_kernel(self):
        self.click("#tab-kernel")
        self.press(SESSION.browser.find_element(By.CSS_SELECTOR, 'input[aria-label="Block"]'), Keys.END)
        self.click('.heat td[data-group="2"][data-warp="1"]')
        self.wait_for("#tab=kernel&access=2&block=16&warp=1")
        said = self.text("#warp")
        self.open_again()
        self.assertEqual(self.text("#warp"), said)
        self.assertIn("block 16, warp 1", self.text("#warp h3"))

    def test_45_an_element_of_a_scalar_has_an_address(self):
        (SESSION.folder / "scalar.hlo").write_text(SCALAR)
        page = explore("scalar", SESSION.folder / "scalar.hlo", "--no-check")
        self.open(page, "instruction=n&between=result&element=2")
        self.assertIn("Element [2] of b reads 1 element of n", self.text("#reads"))
        self.open(page, "instruction=n&operand=0&element=")
        self.assertIn("Element [] of p goes into 1 element of n", self.text("#reads"))
        self.assertEqual(self.address(), "#instruction=n&operand=0&element=")
        # An array without elements has none to choose.
        (SESSION.folder / "empty.hlo").write_text(EMPTY)
        page = explore("empty", SESSION.folder / "empty.hlo", "--no-check")
        for fragment in ("", "element=0,0", "between=operands&element=", "instruction=n&between=result&operand=0"):
            self.open(page, fragment)
            self.assertEqual((self.text("#panel-maps h2"), self.address()), ("n", ""), fragment)

    def test_46_a_key_that_is_held_down_is_few_steps(self):
        (SESSION.folder / "large.hlo").write_text(large_module.text())
        self.open(explore("large", SESSION.folder / "large.hlo", "--no-check"))
        steps, chosen = SESSION.browser.execute_script("""
            const pushState = history.pushState.bind(history), chosen = new Set();
            let steps = 0;
            history.pushState = (...state) => { ++steps; pushState(...state); };
            for (let k = 0; k < 100; ++k) {
              const node = document.querySelector(".node.selected");
              node.focus();
              node.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowUp", bubbles: true}));
              chosen.add(node.dataset.id);
            }
            return [steps, chosen.size];""")
        self.assertGreater(chosen, 55)
        self.assertEqual(steps, 50)
        self.wait_for("instruction=" + self.text("#panel-maps h2"))
