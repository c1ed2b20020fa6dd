"""Pages of other modules: shared memory, reductions, runtime values, refutations, a thousand instructions."""

import re
import shutil

try:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    pass  # page.py says what is missing

import large_module
from page_case import CORPUS, ROOT, SESSION, TRANSPOSED, PageCase, explore, refuted_map

RUNTIME = """HloModule runtime
ENTRY e {
  p = f32[8,6] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  ROOT s = f32[2,6] dynamic-slice(p, i, j), dynamic_slice_sizes={2,6}
}
"""

RANKS = """HloModule ranks
ENTRY e {
  p = f32[2,3,4,5,6] parameter(0)
  t = f32[6,5,4,3,2] transpose(p), dimensions={4,3,2,1,0}
  ROOT n = f32[6,5,4,3,2] negate(t)
}
"""


def wrong_kernel(name):
    """A wrong kernel of tests/kernel/wrong as files: HLO, LLVM IR, launch."""
    source = ROOT / "tests" / "kernel" / "wrong" / (name + ".ll")
    shutil.copy(source, SESSION.folder)
    lines = source.read_text().splitlines()
    files = {".hlo": ";hlo ", ".json": ";launch "}
    for ending, mark in files.items():
        (SESSION.folder / (name + ending)).write_text("\n".join(line[len(mark):] for line in lines if line.startswith(mark)) + "\n")
    return [name + ".hlo", "--kernel", name + ".ll", "--launch", name + ".json"]


class OtherModulesTest(PageCase):
    def test_22_banks_of_shared_memory(self):
        self.open(explore("transpose", CORPUS / "transpose.hlo"))
        output, operand = self.grids()
        self.first(output, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(output.get_attribute("data-active"), "0,0,0,2")
        self.assertEqual(operand.get_attribute("data-lit"), "1")
        self.assertEqual(SESSION.browser.execute_script("return document.querySelectorAll('#panel-maps .pagers input').length > 0"), True)
        self.screenshot("transpose")
        self.click("#tab-kernel")
        rows = SESSION.browser.find_elements(By.CSS_SELECTOR, ".heat tbody tr")
        shared = [k for k, row in enumerate(rows) if "shared memory" in row.text]
        self.assertEqual(len(shared), 2)
        self.click(f'.heat td[data-group="{shared[1]}"][data-warp="0"]')
        status = SESSION.browser.find_element(By.ID, "warp-text")
        self.assertIn("wavefront", status.text)
        self.assertEqual(status.get_attribute("data-units"), status.get_attribute("data-ideal"))
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, ".banks rect")), 32)
        self.screenshot("transpose-kernel")

    def test_23_a_reduction(self):
        self.open(explore("row_reduction", CORPUS / "row_reduction.hlo"))
        output = self.grids()[0]
        self.press(output, Keys.HOME, Keys.ARROW_RIGHT)
        self.assertEqual([self.count(grid) for grid in self.grids()[1:]], [1500, 1])
        self.screenshot("reduction")
        self.click("#tab-kernel")
        self.assertIn("row reduction emitter", self.text("#panel-kernel"))
        # The warps put their sums into shared memory, and the first one adds these.
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, '.heat td[data-group="3"].cost-none')), 7)
        SESSION.browser.find_element(By.CSS_SELECTOR, '[aria-label="Execution: next"]').click()
        self.assertIn("execution 2 of 5", self.text("#warp"))
        self.screenshot("reduction-kernel")

    def test_24_runtime_values(self):
        (SESSION.folder / "runtime.hlo").write_text(RUNTIME)
        self.open(explore("runtime", SESSION.folder / "runtime.hlo", "--no-check"))
        output, operand = self.grids()[:2]
        self.first(output)
        self.assertEqual((self.count(operand), self.count(operand, "may")), (0, 7))
        number = SESSION.browser.find_element(By.CSS_SELECTOR, ".runtime input")
        number.send_keys("4", Keys.TAB)
        self.assertEqual((self.count(operand), self.count(operand, "may")), (1, 0))
        self.assertIn("reads 1 element of p", self.text("#reads"))

    def test_25_more_than_four_dimensions_are_sliced(self):
        (SESSION.folder / "ranks.hlo").write_text(RANKS)
        self.open(explore("ranks", SESSION.folder / "ranks.hlo", "--no-check"), "t")
        output, operand = self.grids()[:2]
        self.first(output, Keys.PAGE_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        self.assertEqual(output.get_attribute("data-active"), "0,0,1,1,1")
        self.assertEqual(self.count(operand), 1)
        SESSION.browser.find_element(By.CSS_SELECTOR, '#panel-maps [aria-label="dimension 0: behind"]').click()
        self.assertIn("dimension 0: 1 of 6", self.text("#panel-maps"))

    def test_26_a_refuted_kernel_shows_both_values(self):
        self.open(explore("refuted", *wrong_kernel("slice_without_stride"), status=1, folder=SESSION.folder))
        self.assertIn("refuted", self.text("#verdict .badge"))
        self.assertEqual(self.text("#tab-wrong"), "Refuted (1)")
        self.assertIn("affirm validate --hlo", self.text("#replay"))
        expected, actual = (self.text(f".against .{kind} strong") for kind in ("expected", "actual"))
        self.assertNotEqual(float(expected), float(actual))
        right, wrong = self.grids("#panel-wrong")
        self.assertGreater(self.count(wrong, "wrong"), 40)
        self.assertEqual(self.count(right, "right"), self.count(wrong, "wrong"))
        self.assertGreater(self.pixels(wrong, "wrong"), 1000)
        self.screenshot("refuted")

    def test_27_a_refutation_leads_to_its_thread(self):
        self.open(explore("outside", *wrong_kernel("loads_past_the_end"), status=1, folder=SESSION.folder))
        self.assertIn("bounds", self.text("#panel-wrong"))
        self.assertEqual(self.text(".against .actual strong"), "64")
        self.click("#panel-wrong .refutation > .link")
        self.assertEqual(SESSION.browser.find_element(By.ID, "tab-kernel").get_attribute("aria-selected"), "true")
        self.assertIn("block 1, warp 0", self.text("#warp h3"))
        self.assertIn("1 outside of the array", self.text("#warp"))
        # Lines are those of the file that was given.
        line = SESSION.browser.find_element(By.CSS_SELECTOR, '#llvm [aria-current="true"]')
        source = (SESSION.folder / "loads_past_the_end.ll").read_text().splitlines()
        self.assertEqual(line.find_element(By.TAG_NAME, "code").get_attribute("textContent"), source[int(line.get_attribute("data-line")) - 1].rstrip())
        self.assertIn("load", line.text)

    def test_27a_a_refuted_map_is_drawn_beside_what_is_read(self):
        (SESSION.folder / "transposed.hlo").write_text(TRANSPOSED)
        self.open(refuted_map("refuted_map", "t", "reversed"))
        self.assertEqual(self.text("#tab-wrong"), "Refuted (1)")
        self.assertIn("refuted", self.text("#verdict .badge"))
        self.assertEqual((self.text(".refutation h3"), self.text(".refutation .maps dd")),
                         ("✗ refuted map 't' reads 'p'", "(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 7]"))
        source, expected, actual = self.grids("#panel-wrong")
        row, column = map(int, re.search(r"\[(\d+), (\d+)\] of t", self.text("#panel-wrong .facts")).groups())
        self.assertNotEqual(row, column)
        # The analysis would have it read [row, column] of p, which a transpose does not.
        self.assertEqual([self.text(f".against .{kind} strong") for kind in ("expected", "actual")],
                         [f"[{column}, {row}]", f"[{row}, {column}]"])
        self.assertEqual([self.count(grid, mark) for grid, mark in ((source, "chosen"), (expected, "right"), (actual, "wrong"))], [1, 1, 1])
        self.assertGreater(self.pixels(expected, "right"), 50)
        self.assertGreater(self.pixels(actual, "wrong"), 50)
        self.screenshot("refuted-map")
        self.click("#panel-wrong .refutation > .link")
        self.assertEqual(self.text("#panel-maps h2"), "t")
        self.assertIn("refuted", self.text("#panel-maps .head"))

    def test_27b_a_map_that_leads_out_of_the_array(self):
        (SESSION.folder / "transposed.hlo").write_text(TRANSPOSED)
        self.open(refuted_map("shifted_map", "n", "shifted"))
        expected = self.text(".against .expected strong")
        self.assertNotEqual(expected, self.text(".against .actual strong"))
        self.assertEqual(self.count(self.grids("#panel-wrong")[1], "right"), 1)

    def test_28_a_thousand_instructions(self):
        (SESSION.folder / "large.hlo").write_text(large_module.text())
        page = explore("large", SESSION.folder / "large.hlo", "--no-check")
        size = page.stat().st_size
        SESSION.browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        self.open(page)
        shown = SESSION.browser.execute_script("return performance.getEntriesByName('affirm-shown')[0].startTime")
        metrics = {m["name"]: m["value"] for m in SESSION.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
        SESSION.browser.execute_cdp_cmd("Performance.disable", {})
        print(f"  1,000 instructions: {size / 1e6:.2f} MB, shown after {shown / 1000:.2f} s on the clock, "
              f"{metrics['TaskDuration']:.2f} s of processor time", flush=True)
        self.assertLess(size, 5_000_000)
        self.assertEqual(len(SESSION.browser.find_elements(By.CSS_SELECTOR, ".node")) >= 1000, True)
        find = SESSION.browser.find_element(By.ID, "find")
        find.send_keys("weights_20", Keys.ENTER)
        self.assertEqual(self.text("#panel-maps h2"), "weights_20")
        self.screenshot("large")
