"""Programs of the page against affirm: values of maps, and costs of kernels."""

import json
import subprocess

from page_case import CORPUS, SESSION, PageCase, explore


class EvaluationTest(PageCase):
    """The programs of the page say of maps and kernels what affirm says."""

    def test_maps_have_the_values_that_affirm_computes(self):
        run = subprocess.run([SESSION.args.write_points, str(SESSION.args.seed), "1500"], text=True, capture_output=True, check=True)
        cases = json.loads(run.stdout)
        self.open(explore("iota", CORPUS / "iota.hlo", "--no-check"))
        wrong = SESSION.browser.execute_script("""
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
            wrong, number = SESSION.browser.execute_script("""
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
