"""A test case for pages of `affirm explore`: makes a page, opens it in headless Chromium, clicks, types and reads it.

  class MyTest(PageCase):
      def test_the_title(self):
          self.open(explore("softmax", CORPUS / "softmax.hlo"))
          self.assertEqual(self.text("#panel-maps h2"), "softmax")
"""

import json
import pathlib
import shutil
import subprocess
import types
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path("corpus/hlo")  # relative to ROOT, where affirm runs
# Options of page.py, the folder of the pages, and the browser.
SESSION = types.SimpleNamespace(args=None, folder=None, browser=None)

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


def explore(name, *arguments, status=0, folder=ROOT):
    """The page of a module as a URL; made once, by affirm in that folder."""
    file = SESSION.folder / (name + ".html")
    if not file.exists():
        run = subprocess.run([SESSION.args.affirm, "explore", *map(str, arguments), "-o", str(file)], cwd=folder, text=True, capture_output=True)
        assert run.returncode == status, f"status {run.returncode}: {run.stdout}{run.stderr}"
    return file


def refuted_map(name, instruction, how):
    """The page of transposed.hlo with a map that is wrong."""
    file = SESSION.folder / (name + ".html")
    run = subprocess.run([SESSION.args.write_refuted_map, "transposed.hlo", instruction, how], cwd=SESSION.folder, capture_output=True)
    assert run.returncode == 1, (run.returncode, run.stderr)
    file.write_bytes(run.stdout)
    return file


class PageCase(unittest.TestCase):
    def setUp(self):
        SESSION.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})

    def open(self, file, at=""):
        SESSION.browser.get("about:blank")
        SESSION.browser.get(file.as_uri() + ("#" + at if at else ""))
        self.wait_until_shown()

    def wait_until_shown(self):
        WebDriverWait(SESSION.browser, 120).until(lambda b: b.execute_script("return document.documentElement.dataset.ready") == "true")

    def tearDown(self):
        said = [entry["message"] for entry in SESSION.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(said, [])

    # Actions of a reader.
    def click(self, css):
        SESSION.browser.find_element(By.CSS_SELECTOR, css).click()

    def choose(self, name):
        """Clicks the node of an instruction."""
        number = self.number(name)
        ActionChains(SESSION.browser).move_to_element(SESSION.browser.find_element(By.CSS_SELECTOR, f'.node[data-id="{number}"] rect')).click().perform()

    def press(self, element, *keys):
        SESSION.browser.execute_script("arguments[0].focus()", element)
        ActionChains(SESSION.browser).send_keys(*keys).perform()

    def first(self, grid, *keys):
        """Goes to the first element of a grid, and from there as the keys say."""
        SESSION.browser.execute_script("arguments[0].focus()", grid)
        ActionChains(SESSION.browser).key_down(Keys.CONTROL).send_keys(Keys.HOME).key_up(Keys.CONTROL).send_keys(*keys).perform()

    def click_cell(self, grid, column, row, shift=False):
        """Clicks a cell of a panel by its place in the drawing."""
        width, height = SESSION.browser.execute_script(
            "const c = arguments[0].querySelector('canvas').getBoundingClientRect(); return [c.width, c.height]", grid)
        chain = ActionChains(SESSION.browser).move_to_element_with_offset(grid.find_element(By.TAG_NAME, "canvas"),
                                                                  round(column - width / 2), round(row - height / 2))
        if shift:
            chain = chain.key_down(Keys.SHIFT)
        chain = chain.click()
        if shift:
            chain = chain.key_up(Keys.SHIFT)
        chain.perform()

    # Contents of the page.
    def number(self, name):
        data = json.loads(SESSION.browser.execute_script("return document.getElementById('data').textContent"))
        ids = [op["id"] for computation in data["modules"][0]["computations"] for op in computation["instructions"] if op["name"] == name]
        return ids[0]

    def text(self, css):
        return SESSION.browser.find_element(By.CSS_SELECTOR, css).text

    def grids(self, panel="#panel-maps"):
        return SESSION.browser.find_elements(By.CSS_SELECTOR, panel + " .grid")

    def count(self, grid, mark="lit"):
        return int(grid.get_attribute("data-" + mark))

    def pixels(self, grid, color):
        """How many pixels of the drawing have a color of the page."""
        return SESSION.browser.execute_script("""
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

    def screenshot(self, name, docs=None, at=None):
        """A picture in the folder of screenshots; `docs`: its name in the docs, when page.py writes these, scrolled to the element `at`."""
        SESSION.browser.execute_script("document.activeElement?.blur?.()")
        SESSION.browser.save_screenshot(str(SESSION.args.screenshots / (name + ".png")))
        if docs and SESSION.args.docs:
            SESSION.browser.set_window_size(1180, 800)
            self.click("#zoom-fit")
            if at:
                SESSION.browser.execute_script("document.querySelector(arguments[0]).scrollIntoView({block: 'end'})", at)
            SESSION.browser.save_screenshot(str(ROOT / "docs" / "images" / (docs + ".png")))
            SESSION.browser.set_window_size(1500, 980)
