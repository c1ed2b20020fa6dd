#!/usr/bin/env python3
"""The page of `affirm explore` in headless Chromium: what is clicked and typed, and what is then to be seen.

  page.py --affirm build/tools/affirm --write-points build/tests/explore/write_points \\
          --write-refuted-map build/tests/explore/write_refuted_map --screenshots build/screenshots

Skipped (status 77) where there is no Chromium, no driver or no selenium, but not in CI.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    webdriver = None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import large_module

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path("corpus/hlo")  # of ROOT, where affirm runs
ARGS = None
FOLDER = None  # of the pages
BROWSER = None

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


TRANSPOSED = """HloModule transposed
ENTRY e {
  p = f32[8,6] parameter(0)
  t = f32[6,8] transpose(p), dimensions={1,0}
  ROOT n = f32[6,8] negate(t)
}
"""


def open_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1500,980",
                   "--hide-scrollbars", "--force-device-scale-factor=1"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    browser.set_script_timeout(300)
    browser.set_page_load_timeout(300)
    return browser


def wrong_kernel(name):
    """A wrong kernel of tests/kernel/wrong as files: HLO, LLVM IR, launch."""
    source = ROOT / "tests" / "kernel" / "wrong" / (name + ".ll")
    shutil.copy(source, FOLDER)
    lines = source.read_text().splitlines()
    files = {".hlo": ";hlo ", ".json": ";launch "}
    for ending, mark in files.items():
        (FOLDER / (name + ending)).write_text("\n".join(line[len(mark):] for line in lines if line.startswith(mark)) + "\n")
    return [name + ".hlo", "--kernel", name + ".ll", "--launch", name + ".json"]


def explore(name, *arguments, status=0, folder=ROOT):
    """The page of a module as a URL; made once, by affirm in that folder."""
    file = FOLDER / (name + ".html")
    if not file.exists():
        run = subprocess.run([ARGS.affirm, "explore", *map(str, arguments), "-o", str(file)], cwd=folder, text=True, capture_output=True)
        assert run.returncode == status, f"status {run.returncode}: {run.stdout}{run.stderr}"
    return file


def refuted_map(name, instruction, how):
    """The page of transposed.hlo with a map that is wrong."""
    file = FOLDER / (name + ".html")
    run = subprocess.run([ARGS.write_refuted_map, "transposed.hlo", instruction, how], cwd=FOLDER, capture_output=True)
    assert run.returncode == 1, (run.returncode, run.stderr)
    file.write_bytes(run.stdout)
    return file


class Served:
    """`affirm explore --serve`, in FOLDER, until it is interrupted."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([ARGS.affirm, "explore", *map(str, arguments), "--serve"], cwd=FOLDER, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.line = self.process.stdout.readline()
        self.port = int(re.match(r"http://127\.0\.0\.1:(\d+)/: ", self.line).group(1))
        self.url = f"http://127.0.0.1:{self.port}/"

    def get(self, path="/", method="GET", host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


class PageTest(unittest.TestCase):
    def setUp(self):
        BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})

    def open(self, file, at=""):
        BROWSER.get("about:blank")
        BROWSER.get(file.as_uri() + ("#" + at if at else ""))
        self.wait_until_shown()

    def wait_until_shown(self):
        WebDriverWait(BROWSER, 120).until(lambda b: b.execute_script("return document.documentElement.dataset.ready") == "true")

    def tearDown(self):
        said = [entry["message"] for entry in BROWSER.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(said, [])

    # What a reader does.
    def click(self, css):
        BROWSER.find_element(By.CSS_SELECTOR, css).click()

    def choose(self, name):
        """Clicks the node of an instruction."""
        number = self.number(name)
        ActionChains(BROWSER).move_to_element(BROWSER.find_element(By.CSS_SELECTOR, f'.node[data-id="{number}"] rect')).click().perform()

    def press(self, element, *keys):
        BROWSER.execute_script("arguments[0].focus()", element)
        ActionChains(BROWSER).send_keys(*keys).perform()

    def first(self, grid, *keys):
        """Goes to the first element of a grid, and from there as the keys say."""
        BROWSER.execute_script("arguments[0].focus()", grid)
        ActionChains(BROWSER).key_down(Keys.CONTROL).send_keys(Keys.HOME).key_up(Keys.CONTROL).send_keys(*keys).perform()

    def click_cell(self, grid, column, row, shift=False):
        """Clicks a cell of a panel by its place in the drawing."""
        width, height = BROWSER.execute_script(
            "const c = arguments[0].querySelector('canvas').getBoundingClientRect(); return [c.width, c.height]", grid)
        chain = ActionChains(BROWSER).move_to_element_with_offset(grid.find_element(By.TAG_NAME, "canvas"),
                                                                  round(column - width / 2), round(row - height / 2))
        if shift:
            chain = chain.key_down(Keys.SHIFT)
        chain = chain.click()
        if shift:
            chain = chain.key_up(Keys.SHIFT)
        chain.perform()

    # What is to be seen.
    def number(self, name):
        data = json.loads(BROWSER.execute_script("return document.getElementById('data').textContent"))
        ids = [op["id"] for computation in data["modules"][0]["computations"] for op in computation["instructions"] if op["name"] == name]
        return ids[0]

    def text(self, css):
        return BROWSER.find_element(By.CSS_SELECTOR, css).text

    def grids(self, panel="#panel-maps"):
        return BROWSER.find_elements(By.CSS_SELECTOR, panel + " .grid")

    def count(self, grid, mark="lit"):
        return int(grid.get_attribute("data-" + mark))

    def pixels(self, grid, color):
        """How many pixels of the drawing have a color of the page."""
        return BROWSER.execute_script("""
            const canvas = arguments[0].querySelector('canvas');
            const probe = document.createElement('span');
            probe.style.color = JSON.parse(canvas.dataset.colors)[arguments[1]];
            document.body.append(probe);
            const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
            probe.remove();
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let k = 0; k < data.length; k += 4) count += data[k] === r && data[k + 1] === g && data[k + 2] === b;
            return count;""", grid, color)

    def screenshot(self, name):
        BROWSER.execute_script("document.activeElement?.blur?.()")
        BROWSER.save_screenshot(str(ARGS.screenshots / (name + ".png")))


class EvaluationTest(PageTest):
    """The programs of the page say of maps and kernels what affirm says."""

    def test_maps_have_the_values_that_affirm_computes(self):
        run = subprocess.run([ARGS.write_points, str(ARGS.seed), "1500"], text=True, capture_output=True, check=True)
        cases = json.loads(run.stdout)
        self.open(explore("iota", CORPUS / "iota.hlo", "--no-check"))
        wrong = BROWSER.execute_script("""
            const {maps, points, images} = JSON.parse(arguments[0]), wrong = [];
            const integer = (x) => typeof x === "string" ? BigInt(x) : x;
            const same = (a, b) => a === null || b === null ? a === b : a.length === b.length && a.every((x, k) => String(x) === String(b[k]));
            for (const p of points) {
              const map = maps[p.map];
              const at = {dims: p.dims.map(integer), ranges: p.ranges.map(integer), runtime: p.runtime.map(integer)};
              const inside = Maps.inDomain(map, at), results = Maps.results(map, at);
              if (inside !== p.inside || !same(results, p.results)) wrong.push(`${map.text} at ${JSON.stringify(p)}: ${inside}, ${results}`);
            }
            for (const image of images) {
              const found = new Set();
              const all = Maps.image(maps[image.map], image.dims.map(integer), [], 1 << 17, (r) => found.add(r.join()));
              const expected = new Set(image.results.map((r) => r.join()));
              if (!all || found.size !== expected.size || [...found].some((r) => !expected.has(r)))
                wrong.push(`${maps[image.map].text} from ${image.dims}: ${[...found]} instead of ${[...expected]}`);
            }
            return wrong;""", run.stdout)
        self.assertEqual(wrong[:5], [])
        large = sum(isinstance(x, str) for p in cases["points"] for x in p["results"] or [])
        without = sum(p["results"] is None for p in cases["points"])
        print(f"  {len(cases['maps'])} maps, {len(cases['points'])} points ({without} without a value), {large} integers beyond 53 bits, "
              f"{len(cases['images'])} sets", flush=True)
        self.assertGreater(len(cases["points"]), 8000)
        self.assertGreater(len(cases["images"]), 400)
        self.assertGreater(large, 20)
        self.assertGreater(without, 20)

    def test_kernels_cost_what_affirm_counts(self):
        compared = 0
        for name in ("softmax", "transpose", "row_reduction", "column_reduction", "concatenate_odd", "pad_interior", "gather_rows",
                     "vectors_padded", "transpose_021", "reduce_to_scalar"):
            self.open(explore("counts_" + name, CORPUS / (name + ".hlo"), "--no-check"))
            wrong, number = BROWSER.execute_script("""
                const wrong = [], data = JSON.parse(document.getElementById("data").textContent);
                let number = 0;
                for (const kernel of data.modules[0].kernels) {
                  if (!kernel.cases) continue;
                  const blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
                  if (kernel.blocks_counted !== blocks) continue;
                  kernel.groups.forEach((group, g) => {
                    const c = group.count;
                    if (c.unknown) return;
                    const sum = Accesses.totals(kernel, g, [0, blocks]);
                    const said = [c.accesses, group.shared ? c.wavefronts : c.sectors, group.shared ? c.ideal_wavefronts : c.ideal_sectors, group.shared ? c.max_wavefronts : c.max_sectors];
                    ++number;
                    if ([sum.accesses, sum.units, sum.ideal, sum.most].join() !== said.join())
                      wrong.push(`${kernel.name} line ${group.line}: ${Object.values(sum)} instead of ${said}`);
                  });
                }
                return [wrong, number];""")
            self.assertEqual(wrong, [], name)
            compared += number
        print(f"  {compared} instructions of kernels", flush=True)
        self.assertGreater(compared, 30)


class SoftmaxTest(PageTest):
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
        ActionChains(BROWSER).send_keys(Keys.PAGE_DOWN, Keys.END).perform()
        self.assertEqual(output.get_attribute("data-active"), "1,1,124")
        self.assertIn("[1, 1, 124]", self.text("#reads"))

    def test_04_shift_and_arrows_choose_a_tile(self):
        output, operand = self.grids()
        self.first(output)
        ActionChains(BROWSER).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
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
        self.assertEqual(Select(BROWSER.find_element(By.ID, "computation")).first_selected_option.text, "fused_softmax")
        self.assertEqual(self.text("#panel-maps h2"), "out")
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, ".node")), 10)

    def test_09_a_click_on_a_node_shows_its_maps(self):
        Select(BROWSER.find_element(By.ID, "computation")).select_by_visible_text("fused_softmax")
        self.choose("row_max")
        self.assertEqual(self.text("#panel-maps h2"), "row_max")
        self.assertIn("(d0, d1)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], s0 in [0, 124]", self.text("#panel-maps"))
        self.assertEqual(BROWSER.find_element(By.CSS_SELECTOR, ".node.selected").get_attribute("aria-pressed"), "true")
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, ".node.related")), 3)

    def test_10_arrow_keys_walk_the_graph(self):
        Select(BROWSER.find_element(By.ID, "computation")).select_by_visible_text("fused_softmax")
        node = BROWSER.find_element(By.CSS_SELECTOR, ".node.selected")
        self.press(node, Keys.ARROW_UP)
        first = self.text("#panel-maps h2")
        self.assertIn(first, ("exp", "row_sum_everywhere"))
        ActionChains(BROWSER).send_keys(Keys.ARROW_DOWN).perform()
        self.assertIn(self.text("#panel-maps h2"), ("out", "row_sum"))

    def test_11_an_instruction_is_found_by_its_name(self):
        find = BROWSER.find_element(By.ID, "find")
        find.send_keys("row_sum", Keys.ENTER)
        self.assertEqual(self.text("#panel-maps h2"), "row_sum")

    def test_12_the_result_lights_up_what_is_read_on_the_way(self):
        self.open(explore("softmax", CORPUS / "softmax.hlo"), "row_max")
        for button in BROWSER.find_elements(By.CSS_SELECTOR, "#panel-maps .arrays button"):
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
        name = BROWSER.execute_script("""
            for (const computation of JSON.parse(document.getElementById("data").textContent).modules[0].computations)
              for (const of of computation.compositions)
                for (const op of computation.instructions)
                  if (of[op.id]?.some((c) => c.steps.length > 2)) return op.name;""")
        self.open(page, name)
        self.click("#tab-steps")
        step = BROWSER.find_element(By.CSS_SELECTOR, "#panel-steps .step")
        first = step.text
        self.assertIn("⇒", first)
        BROWSER.find_element(By.CSS_SELECTOR, '[aria-label="Step: next"]').click()
        self.assertNotEqual(step.text, first)
        self.assertIn("step 2 of", self.text("#panel-steps .step-text"))
        self.press(BROWSER.find_element(By.CSS_SELECTOR, '#panel-steps input[type="range"]'), Keys.ARROW_LEFT)
        self.assertEqual(step.text, first)
        self.assertIn("✓ replayed", self.text("#panel-steps"))
        self.screenshot("simplification")

    def test_14_the_text_view_lists_the_instructions(self):
        self.click("#view-text")
        self.assertFalse(BROWSER.find_element(By.ID, "graph").is_displayed())
        lines = BROWSER.find_elements(By.CSS_SELECTOR, "#text button")
        self.assertEqual(len(lines), 2)
        lines[0].click()
        self.assertEqual(self.text("#panel-maps h2"), "p0")
        self.assertEqual(lines[0].get_attribute("aria-pressed"), "true")

    def test_15_dark_and_light(self):
        style = "return getComputedStyle(document.body).backgroundColor"
        light = BROWSER.execute_script(style)
        self.click("#theme")
        dark = BROWSER.execute_script(style)
        self.assertNotEqual(light, dark)
        self.assertLess(sum(map(int, dark.strip("rgb()").split(","))), 150)
        self.screenshot("softmax-dark")
        self.click("#theme")
        self.assertEqual(BROWSER.execute_script(style), light)
        BROWSER.execute_script("localStorage.clear()")
        BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.open(explore("softmax", CORPUS / "softmax.hlo"))
        self.assertEqual(BROWSER.execute_script(style), dark)

    def test_16_what_a_screen_reader_gets(self):
        output, operand = self.grids()
        self.first(output, Keys.ARROW_RIGHT)
        self.assertEqual(output.get_attribute("role"), "grid")
        self.assertEqual((output.get_attribute("aria-rowcount"), output.get_attribute("aria-colcount")), ("65", "125"))
        cell = BROWSER.find_element(By.ID, output.get_attribute("aria-activedescendant"))
        self.assertEqual((cell.get_attribute("role"), cell.get_attribute("aria-colindex")), ("gridcell", "2"))
        self.assertEqual(cell.get_attribute("textContent"), "[0, 0, 1], chosen")
        self.assertIn("reads 125 elements", self.text("#status"))
        self.assertEqual(BROWSER.find_element(By.ID, "status").get_attribute("aria-live"), "polite")
        # Whatever can be clicked has a name, and ids are of one element.
        without = BROWSER.execute_script("""
            return [...document.querySelectorAll("button, input, select, [role=button], [role=grid], [role=tab], [role=img]")]
              .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim())).map((e) => e.outerHTML);""")
        self.assertEqual(without, [])
        self.assertTrue(BROWSER.execute_script(
            "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return new Set(ids).size === ids.length"))

    def test_17_tabs_answer_to_arrow_keys(self):
        tab = BROWSER.find_element(By.ID, "tab-maps")
        self.press(tab, Keys.ARROW_RIGHT)
        self.assertEqual(BROWSER.find_element(By.ID, "tab-steps").get_attribute("aria-selected"), "true")
        self.assertTrue(BROWSER.find_element(By.ID, "panel-steps").is_displayed())
        self.assertFalse(BROWSER.find_element(By.ID, "panel-maps").is_displayed())

    def test_18_a_warp_shows_its_sectors(self):
        self.click("#tab-kernel")
        status = BROWSER.find_element(By.ID, "warp-text")
        self.assertEqual((status.get_attribute("data-lanes"), status.get_attribute("data-units")), ("32", "4"))
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, "#warp .sector")), 4)
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, "#warp .lane.runs")), 32)
        self.assertEqual(self.count(BROWSER.find_element(By.CSS_SELECTOR, "#warp .grid")), 32)
        # The second row begins inside a sector.
        self.click('.heat td[data-group="0"][data-warp="1"]')
        status = BROWSER.find_element(By.ID, "warp-text")
        self.assertEqual((status.get_attribute("data-units"), status.get_attribute("data-ideal")), ("5", "4"))
        self.assertIn("cost-1", BROWSER.find_element(By.CSS_SELECTOR, ".heat td.chosen").get_attribute("class"))
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, ".claims .badge.ok")), 7)

    def test_19_the_guard_masks_the_edge(self):
        self.click("#tab-kernel")
        # Rows have 125 elements: of the last 32 places three lie outside, and the last block has two rows only.
        self.click('.heat td[data-group="3"][data-warp="0"]')
        status = BROWSER.find_element(By.ID, "warp-text")
        self.assertEqual((status.get_attribute("data-lanes"), status.get_attribute("data-masked")), ("29", "3"))
        self.assertIn("masks lanes 29 to 31", status.text)
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, "#warp .lane.masked")), 3)
        self.assertIn("guard", self.text("#warp"))
        self.press(BROWSER.find_element(By.CSS_SELECTOR, 'input[aria-label="Block"]'), Keys.END)
        self.assertIn("block 16 of 17", self.text("#panel-kernel"))
        idle = BROWSER.find_elements(By.CSS_SELECTOR, '.heat td[data-group="3"].cost-none')
        self.assertEqual(len(idle), 6)

    def test_20_arrow_keys_walk_the_accesses(self):
        self.click("#tab-kernel")
        self.press(BROWSER.find_element(By.CSS_SELECTOR, ".heat td.chosen"), Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        chosen = BROWSER.find_element(By.CSS_SELECTOR, ".heat td.chosen")
        self.assertEqual((chosen.get_attribute("data-group"), chosen.get_attribute("data-warp")), ("1", "1"))
        self.assertEqual(BROWSER.switch_to.active_element, chosen)

    def test_21_screenshots(self):
        output = self.grids()[0]
        self.first(output, *[Keys.ARROW_DOWN] * 20)
        self.screenshot("softmax")
        self.click("#tab-kernel")
        self.click('.heat td[data-group="3"][data-warp="1"]')
        self.screenshot("softmax-kernel")


class OtherModulesTest(PageTest):
    def test_22_banks_of_shared_memory(self):
        self.open(explore("transpose", CORPUS / "transpose.hlo"))
        output, operand = self.grids()
        self.first(output, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(output.get_attribute("data-active"), "0,0,0,2")
        self.assertEqual(operand.get_attribute("data-lit"), "1")
        self.assertEqual(BROWSER.execute_script("return document.querySelectorAll('#panel-maps .pagers input').length > 0"), True)
        self.screenshot("transpose")
        self.click("#tab-kernel")
        rows = BROWSER.find_elements(By.CSS_SELECTOR, ".heat tbody tr")
        shared = [k for k, row in enumerate(rows) if "shared memory" in row.text]
        self.assertEqual(len(shared), 2)
        self.click(f'.heat td[data-group="{shared[1]}"][data-warp="0"]')
        status = BROWSER.find_element(By.ID, "warp-text")
        self.assertIn("wavefront", status.text)
        self.assertEqual(status.get_attribute("data-units"), status.get_attribute("data-ideal"))
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, ".banks rect")), 32)
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
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, '.heat td[data-group="3"].cost-none')), 7)
        BROWSER.find_element(By.CSS_SELECTOR, '[aria-label="Execution: next"]').click()
        self.assertIn("execution 2 of 5", self.text("#warp"))
        self.screenshot("reduction-kernel")

    def test_24_runtime_values(self):
        (FOLDER / "runtime.hlo").write_text(RUNTIME)
        self.open(explore("runtime", FOLDER / "runtime.hlo", "--no-check"))
        output, operand = self.grids()[:2]
        self.first(output)
        self.assertEqual((self.count(operand), self.count(operand, "may")), (0, 7))
        number = BROWSER.find_element(By.CSS_SELECTOR, ".runtime input")
        number.send_keys("4", Keys.TAB)
        self.assertEqual((self.count(operand), self.count(operand, "may")), (1, 0))
        self.assertIn("reads 1 element of p", self.text("#reads"))

    def test_25_more_than_four_dimensions_are_sliced(self):
        (FOLDER / "ranks.hlo").write_text(RANKS)
        self.open(explore("ranks", FOLDER / "ranks.hlo", "--no-check"), "t")
        output, operand = self.grids()[:2]
        self.first(output, Keys.PAGE_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        self.assertEqual(output.get_attribute("data-active"), "0,0,1,1,1")
        self.assertEqual(self.count(operand), 1)
        BROWSER.find_element(By.CSS_SELECTOR, '#panel-maps [aria-label="dimension 0: behind"]').click()
        self.assertIn("dimension 0: 1 of 6", self.text("#panel-maps"))

    def test_26_a_refuted_kernel_shows_both_values(self):
        self.open(explore("refuted", *wrong_kernel("slice_without_stride"), status=1, folder=FOLDER))
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
        self.open(explore("outside", *wrong_kernel("loads_past_the_end"), status=1, folder=FOLDER))
        self.assertIn("bounds", self.text("#panel-wrong"))
        self.assertEqual(self.text(".against .actual strong"), "64")
        self.click("#panel-wrong .refutation > .link")
        self.assertEqual(BROWSER.find_element(By.ID, "tab-kernel").get_attribute("aria-selected"), "true")
        self.assertIn("block 1, warp 0", self.text("#warp h3"))
        self.assertIn("1 outside of the array", self.text("#warp"))

    def test_27a_a_refuted_map_is_drawn_beside_what_is_read(self):
        (FOLDER / "transposed.hlo").write_text(TRANSPOSED)
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
        (FOLDER / "transposed.hlo").write_text(TRANSPOSED)
        self.open(refuted_map("shifted_map", "n", "shifted"))
        expected = self.text(".against .expected strong")
        self.assertNotEqual(expected, self.text(".against .actual strong"))
        self.assertEqual(self.count(self.grids("#panel-wrong")[1], "right"), 1)

    def test_28_a_thousand_instructions(self):
        (FOLDER / "large.hlo").write_text(large_module.text())
        page = explore("large", FOLDER / "large.hlo", "--no-check")
        size = page.stat().st_size
        BROWSER.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        self.open(page)
        shown = BROWSER.execute_script("return performance.getEntriesByName('affirm-shown')[0].startTime")
        metrics = {m["name"]: m["value"] for m in BROWSER.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
        BROWSER.execute_cdp_cmd("Performance.disable", {})
        print(f"  1,000 instructions: {size / 1e6:.2f} MB, shown after {shown / 1000:.2f} s on the clock, "
              f"{metrics['TaskDuration']:.2f} s of processor time", flush=True)
        self.assertLess(size, 5_000_000)
        self.assertEqual(len(BROWSER.find_elements(By.CSS_SELECTOR, ".node")) >= 1000, True)
        find = BROWSER.find_element(By.ID, "find")
        find.send_keys("weights_20", Keys.ENTER)
        self.assertEqual(self.text("#panel-maps h2"), "weights_20")
        self.screenshot("large")


class ServedPageTest(PageTest):
    def test_30_the_page_follows_its_file(self):
        file = FOLDER / "served.hlo"
        file.write_text(TRANSPOSED)
        served = Served("served.hlo")
        try:
            self.assertIn("affirmed", served.line)
            BROWSER.get(served.url)
            self.wait_until_shown()
            self.assertEqual(self.text("#panel-maps h2"), "n")
            first = served.get()
            self.assertEqual(first[0], 200)
            self.assertEqual(served.get("/?again"), first)
            file.write_text(TRANSPOSED.replace("n = ", "another = "))
            BROWSER.refresh()
            self.wait_until_shown()
            self.assertEqual(self.text("#panel-maps h2"), "another")
            # A file that cannot be read says why, where the browser looks, and may be mended.
            file.write_text(TRANSPOSED.replace("negate(t)", "negate(u)"))
            status, text = served.get()
            self.assertEqual(status, 500)
            self.assertIn("served.hlo:5:", text)
            file.write_text(TRANSPOSED)
            self.assertEqual(served.get(), first)
        finally:
            status, out, err = served.end()
        self.assertEqual(status, 0)
        self.assertEqual(out.count(served.url), 2)
        self.assertIn("served.hlo:5:", err)

    def test_31_nothing_but_the_page_is_served(self):
        (FOLDER / "served.hlo").write_text(TRANSPOSED)
        served = Served("served.hlo", "--no-check")
        try:
            for path in ("/served.hlo", "/../served.hlo", "//", "/etc/passwd", "/index.html", "http://127.0.0.1/", "*"):
                self.assertEqual(served.get(path)[0], 404, path)
            self.assertEqual(served.get(method="POST")[0], 405)
            self.assertEqual(served.get(method="HEAD"), (200, ""))
            # A name of somebody else's that leads here.
            for host, status in (("evil.example", 421), (f"localhost:{served.port}", 200), ("127.0.0.1.evil.example", 421),
                                 ("localhost:80@evil.example", 421), ("127.0.0.1:9", 200)):
                self.assertEqual(served.get(host=host)[0], status, host)
            # Who says nothing, or no end, keeps nobody else waiting.
            silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(3)]
            silent[0].sendall(b"GET / HT")
            silent[1].sendall(b"x" * 40_000)
            self.assertEqual(served.get()[0], 200)
            self.assertIn(b" 431 ", silent[1].recv(100))
            for connection in silent:
                connection.close()
            # No other machine reaches it.
            self.assertEqual(listening(served.port), {"0100007F"})
            # The port is taken.
            run = subprocess.run([ARGS.affirm, "explore", "served.hlo", "--serve", "--port", str(served.port)], cwd=FOLDER, text=True, capture_output=True)
            self.assertEqual(run.returncode, 3)
            self.assertIn(f"port {served.port} of 127.0.0.1 cannot be had: Address already in use", run.stderr)
        finally:
            status, _, err = served.end(signal.SIGTERM)
        self.assertEqual((status, err), (0, ""))
        for bad in (["--port", "70000", "--serve"], ["--port", "x", "--serve"], ["--port", "-1", "--serve"], ["--port", "80"], ["--serve", "-o", "x.html"]):
            run = subprocess.run([ARGS.affirm, "explore", "served.hlo", *bad], cwd=FOLDER, text=True, capture_output=True)
            self.assertEqual((run.returncode, run.stdout), (3, ""), bad)
            self.assertNotEqual(run.stderr, "")


def listening(port):
    """The addresses at which something listens to a port, as Linux lists them."""
    files = [pathlib.Path(name) for name in ("/proc/net/tcp", "/proc/net/tcp6")]
    rows = [line.split() for file in files if file.exists() for line in file.read_text().splitlines()[1:]]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}


def main():
    global ARGS, FOLDER, BROWSER
    parser = argparse.ArgumentParser()
    parser.add_argument("--affirm", required=True, type=os.path.abspath)
    parser.add_argument("--write-points", required=True)
    parser.add_argument("--write-refuted-map", required=True, type=os.path.abspath)
    parser.add_argument("--screenshots", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    ARGS, rest = parser.parse_known_args()
    missing = [name for name in ("chromium", "chromedriver", "dot") if not shutil.which(name)] + ([] if webdriver else ["selenium"])
    if missing:
        print("missing: " + ", ".join(missing))
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    ARGS.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        BROWSER = open_browser()
        try:
            result = unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=2)
        finally:
            BROWSER.quit()
    sys.exit(0 if result.result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
