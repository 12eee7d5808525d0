#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that scripts/includes.py finds cycles of includes and of calls, and entries of KNOWN that no cycle needs."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import includes  # noqa: E402

# main calls part, and part calls a function of main; part includes only its own header
CYCLE = {
    "app/main.c": '#include "app/part.h"\nvoid\napp_print(int a) {\n}\n\nint\nmain(void) {\n  part_run();\n}\n',
    "app/part.h": "void part_run(void);\nvoid app_print(int a);\n",
    "app/part.c": '#include "app/part.h"\nvoid\npart_run(void) {\n  app_print(1);\n}\n',
}
FAULTS = ["cycle of calls: app/main, app/part", "  app/main calls app/part: part_run",
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

    def test_cycle_of_calls(self):
        self.assertEqual(self.faults(CYCLE), FAULTS)
        graph, _, faults = includes.includes(self.root)
        self.assertEqual((includes.cycles(graph), faults), ([], []))  # the includes have no cycle

    def test_table_and_callback(self):
        """A function in a table, or passed as an argument, counts as called."""
        text = '#include "app/part.h"\nstatic const Command commands[] = {{"run", part_run}};\nvoid\napp_print(int a) {\n}\n'
        self.assertEqual(self.faults({**CYCLE, "app/main.c": text}), FAULTS)

    def test_known(self):
        self.assertEqual(self.faults(CYCLE, [("app/p*", "app/main")]), [])

    def test_stale_known(self):
        stale = ("cuda/a", "cuda/b")
        self.assertEqual(self.faults(CYCLE, [("app/p*", "app/main"), stale]),
                         [f"no cycle of calls needs {stale} any more: remove it from KNOWN"])
        fixed = {**CYCLE, "app/part.c": "void\npart_run(void) {\n}\n"}
        self.assertEqual(self.faults(fixed, [("app/p*", "app/main")]),
                         ["no cycle of calls needs ('app/p*', 'app/main') any more: remove it from KNOWN"])

    def test_no_cycle(self):
        """Comments, strings, static functions, members and variables are not calls."""
        for text in ("/* app_print() */", 'g_print("app_print(1)");', "self->app_print = 1;", "self.app_print(1);"):
            part = f"void\npart_run(void) {{\n  {text}\n}}\n"
            self.assertEqual(self.faults({**CYCLE, "app/part.c": part}), [], text)
        own = "static void\napp_print(int a) {\n}\n\nvoid\npart_run(void) {\n  app_print(1);\n}\n"
        static = CYCLE["app/main.c"].replace("void\napp_print", "static void\napp_print")
        self.assertEqual(self.faults({**CYCLE, "app/main.c": static, "app/part.c": own}), [])
        one_word = {name: text.replace("app_print", "show") for name, text in CYCLE.items()}
        self.assertEqual(self.faults({**one_word, "app/part.c": "void\npart_run(int show) {\n  show = 1;\n}\n"}), [])

    def test_two_builds(self):
        """A function with a definition for each kind of build makes no cycle."""
        text = "void\npart_run(void) {\n}\n\nvoid\npart_end(void) {\n  part_run();\n}\n"
        self.assertEqual(self.faults({"plugin/a.c": text, "plugin/a-none.c": text}), [])

    def test_separate(self):
        """Finds an include, and a call without an include."""
        self.write({"plugin/flow.c": '#include "properties/selection.h"\nvoid\nflow_run(void) {\n}\n',
                    "plugin/properties/selection.h": "void selection_run(void);\n",
                    "plugin/properties/selection.c": "void\nselection_run(void) {\n  flow_run();\n}\n",
                    "plugin/caps.c": "void\ncaps_run(void) {\n  flow_run();\n}\n"})
        graph, _, _ = includes.includes(self.root)
        self.assertEqual(includes.separation_faults(graph, includes.calls(self.root)), [
            "plugin/flow includes plugin/properties/selection, but must not depend on it",
            "plugin/properties/selection calls flow_run of plugin/flow, but must not depend on it"])

    def test_cycle_of_includes(self):
        self.write({"app/a.h": '#include "app/b.h"\n', "app/b.h": '#include "app/a.h"\n', "app/c.c": '#include "../x.h"\n'})
        graph, _, faults = includes.includes(self.root)
        self.assertEqual(includes.cycles(graph), [["app/a", "app/b"]])
        self.assertEqual(faults, ['app/c.c: "../x.h" leaves its folder'])

    def test_project(self):
        """The project has no cycles except those of KNOWN."""
        found = includes.calls(includes.ROOT)
        self.assertEqual(includes.cycles_of_calls(found, includes.KNOWN), [])
        self.assertEqual(includes.call_faults(includes.ROOT, includes.KNOWN), [])
        self.assertEqual(bool(includes.cycles_of_calls(found, [])), bool(includes.KNOWN))


if __name__ == "__main__":
    unittest.main(verbosity=2)
