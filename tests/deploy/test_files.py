"""Dockerfile, compose.yaml, Kubernetes' manifest and nginx's configuration, held to their schemas;
what they name of ours is there.
"""

import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deploy.serve import HERE, nginx, site
from pages.server import draining, watched
from pages.server.__main__ import END
from pages.server.application import SOCKET
from pages.server.streamlit_guard import STREAM
from tests.support.server import ROOT

CLUSTER = HERE / "kubernetes.yaml"


def tool(name):
    """A linter of tests/requirements.txt; not every system has a wheel of it."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    if not found:
        pytest.skip(f"{name} has no wheel for this system")
    return found


def passes(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_dockerfile_is_linted():
    passes(tool("hadolint"), "Dockerfile")


def test_compose_keeps_to_its_schema():
    passes(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", "compose.yaml")


@pytest.mark.parametrize("version", ["1.30", "1.37"])
def test_the_cluster_keeps_to_the_published_schemas(version):
    passes(tool("kubernetes-validate"), "--strict", "-k", version, str(CLUSTER))


def test_a_planted_mistake_is_noticed(tmp_path):
    broken = tmp_path / "broken.yaml"
    text = CLUSTER.read_text("utf-8")
    broken.write_text(text.replace("minReplicas: 2", "minReplica: 2"), "utf-8")
    done = subprocess.run(
        [tool("kubernetes-validate"), "--strict", str(broken)], capture_output=True, timeout=120
    )
    assert done.returncode


def resources():
    return {
        (one["kind"], one["metadata"]["name"]): one
        for one in yaml.safe_load_all(CLUSTER.read_text("utf-8"))
    }


def test_the_parts_of_the_cluster_name_each_other():
    all_ = resources()
    pod = all_["Deployment", "gradient-tricks-lab"]["spec"]["template"]
    labels = pod["metadata"]["labels"].items()
    for name in ("pages", "labs"):
        assert all_["Service", name]["spec"]["selector"].items() <= labels
    for kind, key in (("PodDisruptionBudget", "selector"), ("NetworkPolicy", "podSelector")):
        assert all_[kind, "gradient-tricks-lab"]["spec"][key]["matchLabels"].items() <= labels
    assert not all_["NetworkPolicy", "gradient-tricks-lab"]["spec"]["egress"]
    (rule,) = all_["Ingress", "gradient-tricks-lab"]["spec"]["rules"]
    for path in rule["http"]["paths"]:
        assert ("Service", path["backend"]["service"]["name"]) in all_
    (container,) = pod["spec"]["containers"]
    known = {variable["name"]: variable["value"] for variable in container["env"]}
    assert known["STREAMLIT_SERVER_ALLOWED_HOSTS"] == rule["host"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in watched.paths("")


def app_of_compose():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
    return compose["services"]["app"], compose["networks"]


def test_in_a_cluster_the_app_may_do_no_more_than_it_needs():
    pod = resources()["Deployment", "gradient-tricks-lab"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"]
    assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    allowed = container["securityContext"]
    assert allowed["allowPrivilegeEscalation"] is False
    assert allowed["readOnlyRootFilesystem"]
    assert allowed["capabilities"] == {"drop": ["ALL"]}
    (place,) = container["volumeMounts"]
    (volume,) = pod["volumes"]
    assert (place["mountPath"], place["name"]) == ("/tmp", volume["name"])
    assert volume["emptyDir"]["sizeLimit"]
    assert container["resources"]["limits"]["memory"]


def test_under_compose_the_app_may_do_no_more_than_it_needs():
    app, networks = app_of_compose()
    assert app["read_only"]
    assert app["tmpfs"] == ["/tmp"]
    assert app["cap_drop"] == ["ALL"]
    assert app["security_opt"] == ["no-new-privileges:true"]
    assert [networks[one]["internal"] for one in app["networks"]] == [True]
    assert app["deploy"]["resources"]["limits"]["memory"]
    assert app["restart"] == "unless-stopped"
    assert app["init"], "as the first process of a container it would keep what others leave"
    assert app["logging"]["driver"] == "local", "the usual one fills the disk"


def test_the_image_runs_as_nobody_in_particular():
    last = (ROOT / "Dockerfile").read_text("utf-8").split("\nFROM ")[-1]
    (user,) = re.findall(r"^USER (\d+)$", last, re.MULTILINE)
    assert int(user)
    pod = resources()["Deployment", "gradient-tricks-lab"]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsUser"] == int(user)
    assert last.index("USER") > last.index("COPY . ."), "what is copied is not its own"


def test_there_is_time_to_drain():
    """Ten seconds, and before that those in which a cluster's proxies learn of it."""
    most = math.ceil(draining.MOST + END) + 1
    pod = resources()["Deployment", "gradient-tricks-lab"]["spec"]["template"]["spec"]
    before = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert before >= 5
    assert pod["terminationGracePeriodSeconds"] >= before + most
    assert int(app_of_compose()[0]["stop_grace_period"].removesuffix("s")) > most


def test_a_cluster_brings_a_browser_back_to_its_pod_for_pages_alone():
    all_ = resources()
    sticky = "traefik.ingress.kubernetes.io/service.sticky.cookie"
    assert all_["Service", "pages"]["metadata"]["annotations"][sticky] == "true"
    assert "annotations" not in all_["Service", "labs"]["metadata"]
    (rule,) = all_["Ingress", "gradient-tricks-lab"]["spec"]["rules"]
    where = {one["path"]: one["backend"]["service"]["name"] for one in rule["http"]["paths"]}
    assert where["/"] == "pages"
    assert {where[f"/{SOCKET}"], where["/api"], where["/files"], where["/static"]} == {"labs"}


def test_a_cluster_loses_one_pod_at_a_time_and_grows_with_its_work():
    all_ = resources()
    rolling = all_["Deployment", "gradient-tricks-lab"]["spec"]["strategy"]["rollingUpdate"]
    assert rolling == {"maxUnavailable": 0, "maxSurge": 1}
    assert all_["PodDisruptionBudget", "gradient-tricks-lab"]["spec"]["maxUnavailable"] == 1
    scaling = all_["HorizontalPodAutoscaler", "gradient-tricks-lab"]["spec"]
    assert scaling["minReplicas"] >= 2
    assert [one["resource"]["name"] for one in scaling["metrics"]] == ["cpu"]
    assert "replicas" not in all_["Deployment", "gradient-tricks-lab"]["spec"], "it says how many"


def test_a_class_that_comes_at_once_takes_no_pod_out():
    """While 250 pages opened at the same moment, /readyz was answered after 10 s: on two cores, and
    those who opened them had the same two.
    """
    (container,) = resources()["Deployment", "gradient-tricks-lab"]["spec"]["template"]["spec"][
        "containers"
    ]
    for name, seconds in (("readinessProbe", 15), ("livenessProbe", 30)):
        probe = container[name]
        assert probe["timeoutSeconds"] * probe["failureThreshold"] >= seconds, name


def test_the_cluster_asks_for_what_was_measured():
    """The memory of a replica after half an hour of learners; and where its scaling stops."""
    all_ = resources()
    (container,) = all_["Deployment", "gradient-tricks-lab"]["spec"]["template"]["spec"][
        "containers"
    ]
    results = (ROOT / "tests" / "bench" / "RESULTS.md").read_text("utf-8")
    soak = results.partition("<!-- soak -->")[2]
    measured = max(map(int, re.search(r"^\| (\d+(?: \| \d+)+) \|\n\n", soak, re.M)[1].split(" | ")))
    asked = container["resources"]["requests"]["memory"]
    assert int(asked.removesuffix("Mi")) >= 1.05 * measured
    most = all_["HorizontalPodAutoscaler", "gradient-tricks-lab"]["spec"]["maxReplicas"]
    said = (HERE / "README.md").read_text("utf-8")
    assert f"`maxReplicas: {most}`, which serve {100 * most:,} at once" in said


def test_the_template_sends_each_kind_where_it_belongs():
    text = site("127.0.0.1:9", [1, 2], "gradients", HERE)
    assert not re.search(r"\$\{[A-Z]", text), "something was not filled in"
    inner = r"^        location ([^{]+?) \{\n(.*?)\n        \}"
    blocks = dict(re.findall(inner, text, re.DOTALL | re.MULTILINE))
    assert "http://labs" in blocks[f"= /gradients/{SOCKET}"]
    assert "http://labs" in blocks["/gradients/api/"]
    assert "http://pages" in blocks[f"/gradients/{STREAM}"]
    assert "return 404" in blocks[f"= /gradients/{watched.METRICS}"]
    # A header that a location sets takes all those set above it away.
    assert all("proxy_set_header" not in block for block in blocks.values())


@pytest.mark.parametrize("base", ["", "gradients"])
def test_nginx_takes_the_configuration(base, tmp_path):
    if nginx() is None:
        pytest.skip("nginx is not installed here")
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "nginx.conf").write_bytes((HERE / "nginx.conf").read_bytes())
    text = site("127.0.0.1:18999", [18997, 18998], base, tmp_path / "cache")
    (tmp_path / "conf.d" / "site.conf").write_text(text, "utf-8")
    passes(nginx(), "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"))
