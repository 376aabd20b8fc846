"""Are the manifests for Kubernetes in docs/fleet.md valid, and do their commands scan a fleet?

    python bench/fleet_kubernetes.py FOLDER DIRECTORY...

FOLDER gets stores and logs, and must be new. Each manifest is validated: a DaskJob by the schema of its resource
definition, which dask-kubernetes brings, other kinds by the schemas of Kubernetes, and so is what the operator makes
of the DaskJob (pod, deployments, service). Fields that a schema does not name are errors. Then the commands of the
scheduler, one worker and the job run on this machine as the containers would run them, and scan each DIRECTORY. Their
JSON reports must be those of a fleet without a scheduler, byte for byte. Last, git gets a token from the helper.

It needs the Python packages dask-kubernetes and kubernetes-validate. No cluster is needed, so what is left untried is
what a cluster does: pull the image, start pods, apply the network policy.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from fleet_slurm import documented, free_ports, reports

SCHEMAS = "dask_kubernetes/operator/deployment/helm/dask-kubernetes-operator/crds/daskjob.yaml"
NEEDED = ("dask_kubernetes", "kubernetes_validate", "yaml")


def closed(schema: Any) -> Any:
    """The schema, with objects that have no other fields than those it names."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and not made.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    return made


def validated(manifests: list[dict[str, Any]]) -> list[str]:
    """Validate manifests and what the operator makes of them; the kinds, in order. Raises on an invalid one."""
    import jsonschema
    import kubernetes_validate
    import yaml
    from dask_kubernetes.operator.controller import controller

    package = importlib.util.find_spec("dask_kubernetes")
    assert package is not None
    assert package.origin is not None
    definition = yaml.safe_load((Path(package.origin).parents[1] / SCHEMAS).read_bytes())
    schema = closed(definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
    schema["properties"] |= {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
    }
    kinds = []
    waiting = list(manifests)
    while waiting:
        manifest = waiting.pop(0)
        kinds.append(manifest["kind"])
        if manifest["kind"] != "DaskJob":
            kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
            continue
        jsonschema.validate(manifest, schema)
        name, spec = manifest["metadata"]["name"], manifest["spec"]
        scheduler, worker = spec["cluster"]["spec"]["scheduler"], spec["cluster"]["spec"]["worker"]
        common: tuple[dict[str, str], dict[str, str]] = ({}, {})
        waiting += [
            controller.build_job_pod_spec(name, name, "default", spec["job"]["spec"], *common),
            controller.build_scheduler_deployment_spec(name, scheduler["spec"], *common),
            controller.build_scheduler_service_spec(name, scheduler["service"], *common),
            controller.build_worker_deployment_spec("default", "default", name, "w", worker["spec"], *common),
        ]
    return kinds


def command_of(pod: dict[str, Any], values: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """What the only container of a pod runs, and its environment: ``$(NAME)`` stands for a variable."""
    (container,) = pod["containers"]
    env = {each["name"]: each["value"] for each in container.get("env", ())}
    words = [*container["command"], *container.get("args", ())]
    known = {**values, **env}
    return [re.sub(r"\$\((\w+)\)", lambda match: known[match[1]], word) for word in words], env


def run(folder: Path, job: dict[str, Any]) -> None:
    """Run scheduler, worker and job until the job ends."""
    cluster = job["cluster"]["spec"]
    comm, http = free_ports(2)
    values = {"DASK_SCHEDULER_ADDRESS": f"tcp://127.0.0.1:{comm}", "DASK_WORKER_NAME": "worker-0", "GIT_TOKEN": "token"}
    path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
    here = {**os.environ, **values, "PATH": path, "XDG_CACHE_HOME": str(folder / "cache-pods")}
    ports = ["--host", "127.0.0.1", "--port", str(comm), "--dashboard-address", f"127.0.0.1:{http}"]
    running = []
    with (folder / "log").open("wb") as said:
        try:
            for name, more in (("scheduler", ports), ("worker", [])):
                words, env = command_of(cluster[name]["spec"], values)
                running.append(subprocess.Popen([*words, *more], env={**here, **env}, stdout=said, stderr=said))
                time.sleep(2)
            words, env = command_of(job["job"]["spec"], values)
            words = [word.replace("/fleet/", f"{folder}/pods/") for word in words]
            subprocess.run(words, env={**here, **env}, check=True)
        finally:
            for each in reversed(running):
                each.terminate()
                each.wait(30)


def token(job: dict[str, Any]) -> str:
    """The password that git gets for an address from the helper of the worker's container."""
    _, env = command_of(job["cluster"]["spec"]["worker"]["spec"], {"DASK_WORKER_NAME": "w"})
    asked = "protocol=https\nhost=git.example.org\n\n"
    here = {**os.environ, **env, "GIT_TOKEN": "a token", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    said = subprocess.run(
        ["git", "credential", "fill"], input=asked, env=here, text=True, capture_output=True, check=True
    )
    return dict(line.split("=", 1) for line in said.stdout.splitlines())["password"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a new directory")
    parser.add_argument("repositories", type=Path, nargs="+", help="directories to scan")
    given = parser.parse_args()
    if lacking := [each for each in NEEDED if importlib.util.find_spec(each) is None]:
        print(f"not tried; this environment lacks {', '.join(lacking)}")
        return
    import yaml

    manifests = list(yaml.safe_load_all(documented("yaml", "kind: DaskJob")))
    print(f"valid: {', '.join(validated(manifests))}")
    job = manifests[0]["spec"]
    print(f"the helper gives git the token: {token(job) == 'a token'}", flush=True)
    folder = given.folder.resolve()
    for name in ("alone", "pods"):
        (folder / name).mkdir(parents=True)
        named = [
            f"[[repository]]\npath = {json.dumps(str(each.resolve()))}\nname = {json.dumps(each.name)}\n"
            for each in given.repositories
        ]
        (folder / name / "fleet.toml").write_text('memory = "1 GiB"\n' + "\n".join(named), encoding="utf-8")
    alone = [sys.executable, "-m", "pyrograph", "fleet", "scan", str(folder / "alone/fleet.toml"), "--strict"]
    subprocess.run(alone, check=True, env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
    run(folder, job)
    expected = reports(folder / "alone/fleet.db")
    print(f"{len(expected)} reports equal, byte for byte: {reports(folder / 'pods/fleet.db') == expected}")


if __name__ == "__main__":
    main()
