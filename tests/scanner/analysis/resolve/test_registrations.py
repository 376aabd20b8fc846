"""Services that are given to functions of generated files, which are not read."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import used

SERVICE = """
package main

import "example.org/shop/pb"

type base struct{}

func (b base) Ping(ctx any, in any) {}
func (b base) Buy(ctx any, in any)  {}

type shop struct{ base }

func (s *shop) Buy(ctx any, in any)   { s.take(in) }
func (s *shop) Watch(in any, out any) {}
func (s *shop) take(in any)           {}
func (s *shop) Configure(name any)    {}

type other struct{}

func (o *other) Sell(ctx any, in any) {}

func open() *shop { return &shop{} }

func main() {
	s := open()
	s.Configure("x")
	%s
	_ = &other{}
}
"""
ENTRY = "cb `Register?*Server`(1[])"
REQUESTED = {"Buy", "Watch", "Ping"}


@pytest.mark.parametrize(
    ("statement", "functions"),
    [
        ("pb.RegisterShopServer(nil, s)", REQUESTED),
        ("pb.RegisterShopServer(nil, &shop{})", REQUESTED),
        ("pb.RegisterShopServer(s, nil)", set()),  # the service is the second argument
        ("pb.RegisterServer(nil, s)", set()),  # of no service
        ("pb.Register(nil, s)", set()),
        ("RegisterShopServer(nil, s)", set()),  # a function of the program, which does nothing with it
    ],
)
def test_methods_of_what_generated_code_is_given_answer_requests(statement: str, functions: set[str]) -> None:
    code = SERVICE % statement + "\nfunc RegisterShopServer(a any, b any) {}\n"
    assert used({"main.go": code}, ENTRY) == functions
