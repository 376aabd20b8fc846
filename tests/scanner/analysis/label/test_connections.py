"""Clients whose connections are opened by a function of the program that asks what kind of address they lead to."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

RULES = """
[source]
http = ["web.Get()"]

[sink]
danger = ["web.Client#Fetch(0)", "web.Request(0)", "web.Fetch(0)", "web.Fetch(1)"]

[propagator]
flow = ["web.Client#Send:"]

[type]
returns = ["web.Dialer#Dial() : web.Conn", "web.Request() : web.Sent"]
"""
HEAD = """package main

import "web"

func refuse(address string) error {
	if web.Parse(address).IsPrivate() {
		return web.Refused
	}
	return nil
}

func dial(address string) { refuse(address) }

func log(address string) { web.Print(address) }

func client(d func(string)) *web.Client { return &web.Client{Transport: &web.Transport{Dial: d}} }

type server struct{ c *web.Client }

"""


def checked(body: str) -> list[str]:
    """The source texts of the sinks whose client asks."""
    found = labelled(f"{HEAD}func main() {{\n\tx := web.Get()\n\t{body}\n}}\n", RULES, language="go")
    results = found.program.tables["calls"]["result"]
    return sorted({found.text(results[call]) for call in found.labels.checks.connections})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("c := &web.Client{Transport: &web.Transport{Control: refuse}}\n\tc.Fetch(x)", ["c.Fetch(x)"]),
        ("c := client(dial)\n\tc.Fetch(x)", ["c.Fetch(x)"]),  # a function that the check is called in
        ("c := client(log)\n\tc.Fetch(x)", []),
        ("c := &web.Client{}\n\tc.Transport = &web.Transport{Dial: dial}\n\tc.Fetch(x)", ["c.Fetch(x)"]),
        ("d := &web.Dialer{Control: refuse}\n\tc := &web.Client{Dial: d.Dial}\n\tc.Fetch(x)", ["c.Fetch(x)"]),
        ("s := server{client(dial)}\n\ts.c.Fetch(x)", ["s.c.Fetch(x)"]),
        ("c := client(dial)\n\tr := web.Request(x)\n\tc.Send(r)", ["web.Request(x)"]),
        ("c := client(log)\n\tr := web.Request(x)\n\tc.Send(r)", []),
        ("web.Fetch(x, &web.Options{Dial: dial})", ["web.Fetch(x, &web.Options{Dial: dial})"]),
        ("web.Fetch(x)\n\trefuse(x)", []),
        ("web.Fetch(x, dial)", []),  # it is called with the answer
    ],
)
def test_a_client_asks_where_its_connections_lead(body: str, expected: list[str]) -> None:
    assert checked(body) == expected
