"""Follows docs/clients/home-assistant/kurir.yaml as Home Assistant does, without its delays:

/usr/bin/python3 home-assistant.py <phone> <message> <reference>; needs Debian's python3-yaml and python3-jinja2.
"""
import json, os, sys, urllib.error, urllib.request
from pathlib import Path

import yaml
from jinja2 import StrictUndefined
from jinja2.nativetypes import NativeEnvironment
from jinja2.sandbox import SandboxedEnvironment

SECRETS = {
    "kurir_url": os.environ["KURIR_URL"] + "/send",
    "kurir_authorization": "Bearer " + os.environ["KURIR_KEY"],
}
yaml.SafeLoader.add_constructor("!secret", lambda loader, node: SECRETS[node.value])
path = Path(__file__).parents[3] / "docs/clients/home-assistant/kurir.yaml"
config = yaml.safe_load(path.read_text("utf-8"))

texts, natives = SandboxedEnvironment(undefined=StrictUndefined), NativeEnvironment()
texts.filters["to_json"] = json.dumps


def fill(template, values):
    return texts.from_string(template).render(values)


def evaluate(template, values):
    return natives.from_string(template).render(values)


def rest_command(data):
    """The answer, or None where there was none: continue_on_error."""
    command = config["rest_command"]["kurir"]
    headers = {name: fill(value, data) for name, value in command["headers"].items()}
    headers["Content-Type"] = command["content_type"]
    body = fill(command["payload"], data).encode()
    call = urllib.request.Request(fill(command["url"], data), body, headers, method=command["method"].upper())
    try:
        with urllib.request.urlopen(call, timeout=command["timeout"]) as answer:
            return {"status": answer.status, "content": json.load(answer)}
    except urllib.error.HTTPError as refusal:
        return {"status": refusal.code, "content": json.load(refusal)}
    except OSError:
        return None


variables, repeat, condition = config["script"]["kurir_send"]["sequence"]
values = dict(zip(("phone", "message", "reference"), sys.argv[1:])) | variables["variables"]
index = 0
while True:
    index += 1
    values["repeat"] = {"index": index}
    delay, action = repeat["repeat"]["sequence"]
    assert evaluate(delay["delay"]["seconds"], values) >= 0
    answer = rest_command({name: fill(value, values) for name, value in action["data"].items()})
    if answer is not None:
        values[action["response_variable"]] = answer
    if evaluate(repeat["repeat"]["until"], values):
        break
if evaluate(condition["if"], values):
    told = condition["then"][0]["data"]
    sys.exit("\n".join(fill(text, values) for text in told.values()))
