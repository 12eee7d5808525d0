#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""scripts/includes.py finds circles of includes and of calls, and entries of KNOWN that nothing needs."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import includes  # noqa: E402

# main calls parts, and a part prints by a function of main; only one of them includes the other's header
CIRCLE = {
    "app/main.c": '#include "app/part.h"\nvoid\napp_print(int a) {\n}\n\nint\nmain(void) {\n  part_run();\n}\n',
    "app/part.h": "void part_run(void);\nvoid app_print(int a);\n",
    "app/part.c": '#include "app/part.h"\nvoid\npart_run(void) {\n  app_print(1);\n}\n',
}
OF_CIRCLE = ["circle of calls: app/main, app/part", "  app/main calls app/part: part_run",
             "  app/part calls app/main: app_print"]


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def faults(self, files, known=()):
        self.write(files)
        return includes.call_faults(self.root, list(known))

    def test_circle_of_calls(self):
        self.assertEqual(self.faults(CIRCLE), OF_CIRCLE)
        graph, _, faults = includes.includes(self.root)
        self.assertEqual((includes.circles(graph), faults), ([], []))  # its includes are none

    def test_table_and_callback(self):
        """A function in a table or handed over is called as well."""
        text = '#include "app/part.h"\nstatic const Command commands[] = {{"run", part_run}};\nvoid\napp_print(int a) {\n}\n'
        self.assertEqual(self.faults({**CIRCLE, "app/main.c": text}), OF_CIRCLE)

    def test_known(self):
        self.assertEqual(self.faults(CIRCLE, [("app/p*", "app/main")]), [])

    def test_known_of_nothing(self):
        stale = ("cuda/a", "cuda/b")
        self.assertEqual(self.faults(CIRCLE, [("app/p*", "app/main"), stale]),
                         [f"no circle of calls needs {stale} any more: take it out of KNOWN"])
        fixed = {**CIRCLE, "app/part.c": "void\npart_run(void) {\n}\n"}
        self.assertEqual(self.faults(fixed, [("app/p*", "app/main")]),
                         ["no circle of calls needs ('app/p*', 'app/main') any more: take it out of KNOWN"])

    def test_no_circle(self):
        """Words in comments and texts, static functions, members and variables are no calls."""
        for text in ("/* app_print() */", 'g_print("app_print(1)");', "self->app_print = 1;", "self.app_print(1);"):
            part = f"void\npart_run(void) {{\n  {text}\n}}\n"
            self.assertEqual(self.faults({**CIRCLE, "app/part.c": part}), [], text)
        own = "static void\napp_print(int a) {\n}\n\nvoid\npart_run(void) {\n  app_print(1);\n}\n"
        static = CIRCLE["app/main.c"].replace("void\napp_print", "static void\napp_print")
        self.assertEqual(self.faults({**CIRCLE, "app/main.c": static, "app/part.c": own}), [])
        one_word = {name: text.replace("app_print", "show") for name, text in CIRCLE.items()}
        self.assertEqual(self.faults({**one_word, "app/part.c": "void\npart_run(int show) {\n  show = 1;\n}\n"}), [])

    def test_two_builds(self):
        """A function that has two homes, one for each kind of build, makes no circle of them."""
        text = "void\npart_run(void) {\n}\n\nvoid\npart_end(void) {\n  part_run();\n}\n"
        self.assertEqual(self.faults({"plugin/a.c": text, "plugin/a-none.c": text}), [])

    def test_separate(self):
        """A part that includes another, or calls it without its header, is found."""
        self.write({"plugin/flow.c": '#include "properties/selection.h"\nvoid\nflow_run(void) {\n}\n',
                    "plugin/properties/selection.h": "void selection_run(void);\n",
                    "plugin/properties/selection.c": "void\nselection_run(void) {\n  flow_run();\n}\n",
                    "plugin/caps.c": "void\ncaps_run(void) {\n  flow_run();\n}\n"})
        graph, _, _ = includes.includes(self.root)
        self.assertEqual(includes.separation_faults(graph, includes.calls(self.root)), [
            "plugin/flow includes plugin/properties/selection, which it is not to know",
            "plugin/properties/selection calls flow_run of plugin/flow, which it is not to know"])

    def test_circle_of_includes(self):
        self.write({"app/a.h": '#include "app/b.h"\n', "app/b.h": '#include "app/a.h"\n', "app/c.c": '#include "../x.h"\n'})
        graph, _, faults = includes.includes(self.root)
        self.assertEqual(includes.circles(graph), [["app/a", "app/b"]])
        self.assertEqual(faults, ['app/c.c: "../x.h" climbs out of its folder'])

    def test_of_the_project(self):
        """Without its entries of KNOWN the project has circles, and with them none."""
        found = includes.calls(includes.ROOT)
        self.assertEqual(includes.circles_of_calls(found, includes.KNOWN), [])
        self.assertEqual(includes.call_faults(includes.ROOT, includes.KNOWN), [])
        self.assertEqual(bool(includes.circles_of_calls(found, [])), bool(includes.KNOWN))


if __name__ == "__main__":
    unittest.main(verbosity=2)
