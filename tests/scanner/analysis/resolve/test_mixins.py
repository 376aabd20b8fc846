"""What a class that is mixed with a library's reads from its object is the library's."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

VIEWS = """\
import os

from django.views import View
from django.views.generic import ListView
from rest_framework.generics import GenericAPIView


class Scoped(object):
    def get_queryset(self):
        os.system(self.request.GET["q"])  # found
        os.system(self.kwargs["slug"])  # found
        os.system(self.own)


class Orders(Scoped, ListView):
    pass


class Parent:
    def get_parent(self):
        os.system(self.request.data["name"])  # found
        os.system(self.kwargs["slug"])  # found


class Items(Parent, GenericAPIView):
    pass


class Job:
    own = "ls"

    def run(self):
        os.system(self.request.GET["q"])
        os.system(self.kwargs["slug"])


class Nightly(Job):
    pass


class Page(View):
    def get(self, request):
        self.show(request.GET["q"])
        self.other(request.GET["q"])

    def show(self, text):
        print(text)

    def other(self, text):
        print(text)


class Shown(Page):
    def show(self, text):
        os.system(text)  # found

    def get_other(self, text):
        os.system(text)


class Made(Page):
    def other(self, text):
        os.system(text)


Made().other("ls")
"""


def test_methods_run_on_the_objects_that_a_framework_makes(tmp_path: Path) -> None:
    (tmp_path / "views.py").write_text(VIEWS, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    wanted = {number for number, line in enumerate(VIEWS.splitlines(), 1) if line.endswith("# found")}
    assert {each.place.line for each in found if each.vulnerability == "command-injection"} == wanted
