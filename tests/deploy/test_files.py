"""Dockerfile and Kubernetes' manifest keep to their schemas and agree with each other."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.server import ROOT

CLUSTER = ROOT / "deploy" / "kubernetes.yaml"
END = 10
"""Seconds in which the app promises to end after SIGTERM."""


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("hadolint", ["Dockerfile"]),
        ("kubernetes-validate", ["--strict", "-k", "1.30", str(CLUSTER)]),
        ("kubernetes-validate", ["--strict", "-k", "1.37", str(CLUSTER)]),
    ],
)
def test_each_file_keeps_to_its_schema(tool, words):
    found = shutil.which(tool, path=str(Path(sys.executable).parent))
    if not found:
        pytest.skip(f"{tool} has no wheel for this system")
    done = subprocess.run([found, *words], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def cluster():
    """Every resource of the manifest, by kind."""
    all_ = yaml.safe_load_all(CLUSTER.read_text("utf-8"))
    return {one["kind"]: one for one in all_}


@pytest.fixture(scope="module")
def deployment(cluster):
    return cluster["Deployment"]["spec"]


@pytest.fixture(scope="module")
def container(deployment):
    (container,) = deployment["template"]["spec"]["containers"]
    return container


def test_the_parts_of_the_cluster_name_each_other(cluster, deployment, container):
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


def test_a_browser_stays_with_one_pod(cluster):
    told = cluster["Service"]["metadata"]["annotations"]
    assert told["traefik.ingress.kubernetes.io/service.sticky.cookie"] == "true"


def test_the_app_may_do_no_more_than_it_needs(deployment, container):
    pod = deployment["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert [place["mountPath"] for place in container["volumeMounts"]] == ["/tmp"]
    assert container["resources"]["limits"]["memory"]


def test_the_image_runs_as_a_user_of_its_own(deployment):
    last = (ROOT / "Dockerfile").read_text("utf-8").split("\nFROM ")[-1]
    (user,) = re.findall(r"^USER (\d+)$", last, re.MULTILINE)
    assert int(user)
    assert deployment["template"]["spec"]["securityContext"]["runAsUser"] == int(user)
    assert last.index("USER") > last.index("COPY . ."), "the user owns nothing that was copied"


def test_there_is_time_to_end(deployment, container):
    before = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert before >= 5, "a cluster's proxies learn of it meanwhile"
    assert deployment["template"]["spec"]["terminationGracePeriodSeconds"] >= before + END
