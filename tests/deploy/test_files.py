"""Dockerfile and Kubernetes' manifest keep to their schemas and agree with each other."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.server import ROOT

CLUSTER = ROOT / "deploy" / "kubernetes.yaml"


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("hadolint", ["Dockerfile"]),
        ("kubernetes-validate", ["--strict", "-k", "1.30", str(CLUSTER)]),
        ("kubernetes-validate", ["--strict", "-k", "1.37", str(CLUSTER)]),
    ],
)
def test_each_file_keeps_to_its_schema(tool: str, words: list[str]) -> None:
    found = shutil.which(tool, path=str(Path(sys.executable).parent))
    if not found:
        pytest.skip(f"{tool} has no wheel for this system")
    done = subprocess.run([found, *words], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_parts_of_the_cluster_name_each_other() -> None:
    cluster = {one["kind"]: one for one in yaml.safe_load_all(CLUSTER.read_text("utf-8"))}
    deployment = cluster["Deployment"]["spec"]
    (container,) = deployment["template"]["spec"]["containers"]
    labels = deployment["template"]["metadata"]["labels"]
    assert labels == deployment["selector"]["matchLabels"] == cluster["Service"]["spec"]["selector"]
    assert cluster["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    wall = cluster["NetworkPolicy"]["spec"]
    assert wall["podSelector"]["matchLabels"] == labels
    assert not wall["egress"]
    (port,) = container["ports"]
    assert [one["port"] for one in wall["ingress"][0]["ports"]] == [port["containerPort"]]
    (served,) = cluster["Service"]["spec"]["ports"]
    assert served["targetPort"] == port["name"]
    known = {variable["name"]: variable["value"] for variable in container["env"]}
    (rule,) = cluster["Ingress"]["spec"]["rules"]
    assert known["STREAMLIT_SERVER_ALLOWED_HOSTS"] == rule["host"]
    (path,) = rule["http"]["paths"]
    name = cluster["Service"]["metadata"]["name"]
    assert (path["path"], path["backend"]["service"]["name"]) == ("/", name)
    scaled = cluster["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"]
    assert scaled == cluster["Deployment"]["metadata"]["name"]
    for probe in ("startup", "readiness", "liveness"):
        assert container[f"{probe}Probe"]["httpGet"]["path"] == "/readyz"
