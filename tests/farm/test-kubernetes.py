#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks examples/farm/kubernetes.yaml against the rules of Kubernetes and of the command, without a cluster.

The rules are those of the API's validation of batch/v1 Job. Started as TEST COMMAND, where COMMAND is cudaconv.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("python3-yaml is not installed: scripts/install-deps.sh farm")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "examples" / "farm" / "kubernetes.yaml"
TEXT = FILE.read_text(encoding="utf-8")
COMMAND = sys.argv[1]


class Unique(yaml.SafeLoader):
    """Refuses duplicate keys, of which YAML would use the last."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"twice in one mapping: {keys}"
        return super().construct_mapping(node, deep)


OBJECTS = list(yaml.load_all(TEXT, Unique))


def find(kind, name):
    found = [thing for thing in OBJECTS if (thing["kind"], thing["metadata"]["name"]) == (kind, name)]
    assert len(found) == 1, f"{len(found)} of {kind} {name}"
    return found[0]


class Kubernetes(unittest.TestCase):

    def setUp(self):
        self.run_job, self.merge_job = (find("Job", name)["spec"] for name in ("cudaconv-run", "cudaconv-merge"))

    def containers(self):
        return [job["template"]["spec"]["containers"][0] for job in (self.run_job, self.merge_job)]

    def test_objects(self):
        versions = {"PersistentVolumeClaim": "v1", "Job": "batch/v1"}
        for thing in OBJECTS:
            self.assertEqual(thing["apiVersion"], versions[thing["kind"]])
            self.assertRegex(thing["metadata"]["name"], r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
        # names of pods end with the index of the chunk, and have at most 63 characters
        self.assertLessEqual(len("cudaconv-run") + len("-100000"), 63)

    def test_chunks(self):
        job = self.run_job
        self.assertEqual(job["completionMode"], "Indexed")
        self.assertNotIn("suspend", job)
        self.assertIn(job["parallelism"], range(1, job["completions"] + 1))
        # the maximum with backoffLimitPerIndex
        self.assertLessEqual(job["completions"], 100_000)
        self.assertGreaterEqual(job["backoffLimitPerIndex"], 1)
        self.assertNotIn("backoffLimit", job)
        # the index of the chunk comes from the environment
        self.assertNotIn("--index", self.containers()[0]["args"])

    def test_failures(self):
        pod = self.run_job["template"]["spec"]
        self.assertEqual(pod["restartPolicy"], "Never")
        names = {container["name"] for container in pod["containers"]}
        rules = self.run_job["podFailurePolicy"]["rules"]
        self.assertLessEqual(len(rules), 20)
        for rule in rules:
            self.assertIn(rule["action"], ("FailJob", "FailIndex", "Ignore", "Count"))
            self.assertEqual(len({"onExitCodes", "onPodConditions"} & set(rule)), 1)
            codes = rule.get("onExitCodes")
            if codes:
                self.assertIn(codes["containerName"], names)
                self.assertIn(codes["operator"], ("In", "NotIn"))
                self.assertEqual(codes["values"], sorted(set(codes["values"])))
                self.assertNotIn(0, codes["values"])
        ignored = [rule["onPodConditions"] for rule in rules if rule["action"] == "Ignore"]
        self.assertEqual(ignored, [[{"type": "DisruptionTarget"}]])

    def test_merge(self):
        self.assertIs(self.merge_job["suspend"], True)
        self.assertNotIn("completionMode", self.merge_job)
        self.assertEqual(self.merge_job["template"]["spec"]["restartPolicy"], "Never")
        for name in re.findall(r"job/([a-z-]+)", TEXT):
            find("Job", name)

    def test_volume(self):
        claim = find("PersistentVolumeClaim", "cudaconv")["spec"]
        self.assertEqual(claim["accessModes"], ["ReadWriteMany"])
        for job, container in zip((self.run_job, self.merge_job), self.containers()):
            volumes = {volume["name"]: volume for volume in job["template"]["spec"]["volumes"]}
            for mount in container["volumeMounts"]:
                volume = volumes[mount["name"]]
                self.assertEqual(volume["persistentVolumeClaim"]["claimName"], "cudaconv")
                self.assertTrue(container["args"][1].startswith(mount["mountPath"] + "/"))

    def test_resources(self):
        for container in self.containers():
            resources = container["resources"]
            self.assertEqual(resources["limits"]["memory"], resources["requests"]["memory"])
        run = self.containers()[0]
        self.assertEqual(run["args"][run["args"].index("--n-threads") + 1], str(run["resources"]["requests"]["cpu"]))
        # the line that is commented out: a GPU is a limit, like memory
        with_gpu = list(yaml.safe_load_all(re.sub(r"# (nvidia\.com/gpu: 1)", r"\1", TEXT)))
        limits = with_gpu[1]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
        self.assertEqual(limits, {"memory": run["resources"]["limits"]["memory"], "nvidia.com/gpu": 1})

    def test_image(self):
        """The arguments of the containers fit the image's entry point, and the command accepts them."""
        image = (ROOT / "examples" / "Containerfile").read_text(encoding="utf-8")
        self.assertIn('ENTRYPOINT ["cudaconv"]', image)
        self.assertIn("-t cudaconv ", image)
        with tempfile.TemporaryDirectory() as folder:
            for container in self.containers():
                self.assertEqual(container["image"], "cudaconv")
                self.assertTrue(all(isinstance(word, str) for word in container["args"]))
                words = [folder if word.startswith("/data/") else word for word in container["args"]]
                done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, timeout=60,
                                      env={**os.environ, "JOB_COMPLETION_INDEX": "3"})
                # the arguments are right, but the folder has no job
                self.assertEqual((done.returncode, "manifest.json" in done.stderr), (1, True), done.stderr)


if __name__ == "__main__":
    del sys.argv[1]
    unittest.main(verbosity=2)
