"""Dockerfile, compose.yaml and Kubernetes' manifest keep to their schemas and agree with each other
and with what was measured.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deploy.serve import HERE
from tests.support.server import ROOT

CLUSTER = HERE / "kubernetes.yaml"
KINDS = ("pages", "labs")
END = 10
"""Seconds in which the app promises to end after SIGTERM."""


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("hadolint", ["Dockerfile"]),
        ("check-jsonschema", ["--builtin-schema", "vendor.compose-spec", "compose.yaml"]),
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
    """Every resource of the manifest, by kind and name."""
    all_ = yaml.safe_load_all(CLUSTER.read_text("utf-8"))
    return {(one["kind"], one["metadata"]["name"]): one for one in all_}


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def deployment(cluster, kind):
    return cluster["Deployment", kind]["spec"]


@pytest.fixture
def container(deployment):
    (container,) = deployment["template"]["spec"]["containers"]
    return container


def test_the_parts_of_the_cluster_name_each_other(cluster, kind, deployment, container):
    labels = deployment["template"]["metadata"]["labels"]
    assert (
        labels
        == deployment["selector"]["matchLabels"]
        == cluster["Service", kind]["spec"]["selector"]
    )
    assert cluster["PodDisruptionBudget", kind]["spec"]["selector"]["matchLabels"] == labels
    wall = cluster["NetworkPolicy", "gradient-tricks-lab"]["spec"]
    assert wall["podSelector"]["matchLabels"].items() <= labels.items()
    assert not wall["egress"]
    ports = {one["name"]: one["containerPort"] for one in container["ports"]}
    assert [one["port"] for one in wall["ingress"][0]["ports"]] == [*ports.values()]
    known = {variable["name"]: variable["value"] for variable in container["env"]}
    (rule,) = cluster["Ingress", "gradient-tricks-lab"]["spec"]["rules"]
    assert known["STREAMLIT_SERVER_ALLOWED_HOSTS"] == rule["host"]
    where = {one["path"]: one["backend"]["service"]["name"] for one in rule["http"]["paths"]}
    assert where == {"/": "pages", "/labs": "labs", "/api": "labs"}
    scraped = deployment["template"]["metadata"]["annotations"]["prometheus.io/port"]
    assert scraped == known["GRADIENT_TRICKS_METRICS_PORT"] == str(ports["metrics"])
    assert known["GRADIENT_TRICKS_METRICS_ADDRESS"] == "0.0.0.0"
    assert cluster["HorizontalPodAutoscaler", kind]["spec"]["scaleTargetRef"]["name"] == kind
    assert container["command"] == ["python", "-m", "pages.server", f"--{kind}"]
    for probe, path in (("startup", "ready"), ("readiness", "ready"), ("liveness", "health")):
        assert container[f"{probe}Probe"]["httpGet"]["path"] == f"/{path}z"


def test_the_app_may_do_no_more_than_it_needs(compose, kind, deployment, container):
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
    app = compose["services"][kind]
    assert (app["read_only"], app["tmpfs"], app["cap_drop"]) == (True, ["/tmp"], ["ALL"])
    assert app["security_opt"] == ["no-new-privileges:true"]
    assert app["command"] == container["command"]
    assert [compose["networks"][one]["internal"] for one in app["networks"]] == [True]
    assert app["deploy"]["resources"]["limits"]["memory"]


def test_the_image_runs_as_a_user_of_its_own(deployment):
    last = (ROOT / "Dockerfile").read_text("utf-8").split("\nFROM ")[-1]
    (user,) = re.findall(r"^USER (\d+)$", last, re.MULTILINE)
    assert int(user)
    assert deployment["template"]["spec"]["securityContext"]["runAsUser"] == int(user)
    assert last.index("USER") > last.index("COPY . ."), "the user owns nothing that was copied"


def test_there_is_time_to_end(compose, kind, deployment, container):
    before = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert before >= 5, "a cluster's proxies learn of it meanwhile"
    assert deployment["template"]["spec"]["terminationGracePeriodSeconds"] >= before + END
    assert int(compose["services"][kind]["stop_grace_period"].removesuffix("s")) > END
    supervised = (HERE / "supervisord.conf.template").read_text("utf-8")
    assert all(int(one) > END for one in re.findall(r"stopwaitsecs=(\d+)", supervised))


def test_the_cluster_asks_for_the_memory_that_was_measured(cluster):
    """One process did the work of both kinds in `make soak`."""
    results = (ROOT / "tests" / "bench" / "RESULTS.md").read_text("utf-8")
    soak = results.partition("<!-- soak -->")[2]
    measured = max(map(int, re.search(r"^\| (\d+(?: \| \d+)+) \|\n\n", soak, re.M)[1].split(" | ")))
    asked = 0
    for kind in KINDS:
        (one,) = cluster["Deployment", kind]["spec"]["template"]["spec"]["containers"]
        asked += int(one["resources"]["requests"]["memory"].removesuffix("Mi"))
    assert asked >= 1.05 * measured
