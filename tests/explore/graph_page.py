"""The element that a panel opens with."""

from page_case import SESSION, TRANSPOSED, PageCase, explore, refuted_map

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
    def open_text(self, name, text, *options, at=""):
        (SESSION.folder / (name + ".hlo")).write_text(text)
        page = explore(name, name + ".hlo", *options, folder=SESSION.folder)
        self.open(page, at)
        return page

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
