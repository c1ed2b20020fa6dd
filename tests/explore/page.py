#!/usr/bin/env python3
"""The pages of `affirm explore` in headless Chromium.

  page.py --affirm build/tools/affirm --write-points build/tests/explore/write_points \\
          --write-refuted-map build/tests/explore/write_refuted_map --screenshots build/screenshots

Skipped (status 77) where there is no Chromium, no driver or no selenium, but not in CI.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page_case
from address_page import AddressTest
from dump_page import DumpPageTest
from evaluation import EvaluationTest
from graph_page import GraphPageTest
from module_pages import OtherModulesTest
from page_case import SESSION
from served_page import ServedPageTest
from softmax_page import SoftmaxTest

TESTS = (AddressTest, DumpPageTest, EvaluationTest, GraphPageTest, OtherModulesTest, ServedPageTest, SoftmaxTest)  # unittest.main finds them by their names here


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--affirm", required=True, type=os.path.abspath)
    parser.add_argument("--write-points", required=True)
    parser.add_argument("--write-refuted-map", required=True, type=os.path.abspath)
    parser.add_argument("--screenshots", required=True, type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="write the pictures of docs/images again")
    parser.add_argument("--seed", type=int, default=1)
    SESSION.args, rest = parser.parse_known_args()
    missing = [name for name in ("chromium", "chromedriver", "dot") if not shutil.which(name)] + ([] if page_case.webdriver else ["selenium"])
    if missing:
        print("missing: " + ", ".join(missing))
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    SESSION.args.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        SESSION.folder = pathlib.Path(folder)
        SESSION.browser = page_case.open_browser()
        try:
            result = unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=2)
        finally:
            SESSION.browser.quit()
    sys.exit(0 if result.result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
