"""Views of a library keep what clients send, without a call: the fields that their serializers and forms list."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """\
import os
from django import forms
from django.db import models
from django.views.generic import CreateView, UpdateView
from rest_framework import generics, mixins, permissions, serializers, viewsets
from rest_framework.decorators import api_view
from rest_framework.response import Response


class Hook(models.Model):
    name = models.CharField(max_length=100)
    url = models.CharField(max_length=100)
    secret = models.CharField(max_length=100)
    port = models.IntegerField()


class Page(models.Model):
    title = models.CharField(max_length=100)
    body = models.TextField()


class Job(models.Model):
    command = models.CharField(max_length=100)


class Task(models.Model):
    command = models.CharField(max_length=100)


class Note(models.Model):
    a = models.TextField()
    b = models.TextField()


class Own(models.Model):
    a = models.TextField()


class Plain(models.Model):
    a = models.TextField()


class Fixed(models.Model):
    a = models.TextField()


class Passed(models.Model):
    a = models.TextField()


class Changed(models.Model):
    a = models.TextField()


class Shown(models.Model):
    a = models.TextField()


class Sent(models.Model):
    a = models.TextField()


class HookSerializer(serializers.ModelSerializer):
    class Meta:
        model = Hook
        fields = ["name", "url", "port"]
        read_only_fields = ["name"]


class JobSerializer(serializers.ModelSerializer):
    class Meta:
        model = Job
        fields = "__all__"


class TaskSerializer(serializers.ModelSerializer):
    class Meta:
        model = Task
        fields = "__all__"


class OwnSerializer(serializers.ModelSerializer):
    class Meta:
        model = Own
        fields = "__all__"


class FixedSerializer(serializers.ModelSerializer):
    class Meta:
        model = Fixed
        fields = "__all__"


class PassedSerializer(serializers.ModelSerializer):
    class Meta:
        model = Passed
        fields = "__all__"


class ChangedSerializer(serializers.ModelSerializer):
    class Meta:
        model = Changed
        fields = "__all__"


class ShownSerializer(serializers.ModelSerializer):
    class Meta:
        model = Shown
        fields = "__all__"


class SentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Sent
        fields = "__all__"


class PageForm(forms.ModelForm):
    class Meta:
        model = Page
        fields = ["title"]


class Base(viewsets.ModelViewSet):
    permission_classes = [permissions.IsAuthenticated]


class Hooks(Base):
    queryset = Hook.objects.all()
    serializer_class = HookSerializer


class Jobs(mixins.CreateModelMixin, viewsets.GenericViewSet):
    permission_classes = [permissions.IsAdminUser]
    serializer_class = JobSerializer


class IsSiteAdmin(permissions.BasePermission):
    pass


class Tasks(generics.ListCreateAPIView):
    permission_classes = (IsSiteAdmin,)
    serializer_class = TaskSerializer


class Owns(viewsets.ReadOnlyModelViewSet):
    serializer_class = OwnSerializer


class Fixeds(generics.ListCreateAPIView):
    serializer_class = FixedSerializer

    def post(self, request):
        Fixed.objects.create(a="new")
        return Response({})


class MoreFixed(Fixeds):
    def get(self, request):
        return Response({})


class Passeds(generics.ListCreateAPIView):
    serializer_class = PassedSerializer

    def create(self, request):
        return super().create(request)


class Showns(viewsets.ModelViewSet):
    serializer_class = ShownSerializer
    http_method_names = ["get"]


class Sents(viewsets.ModelViewSet):
    serializer_class = SentSerializer
    http_method_names = ["get", "post"]


class Changeds(viewsets.ModelViewSet):
    serializer_class = ChangedSerializer

    def create(self, request):
        return Response({})

    def perform_update(self, serializer):
        serializer.save(name="x")


class EditPage(UpdateView):
    model = Page
    form_class = PageForm


class AddNote(CreateView):
    model = Note
    fields = ["a"]


class AddPlain(CreateView):
    model = Plain


@api_view(["POST"])
def run(request, pk):
    hook = Hook.objects.get(pk=pk)
    os.system(hook.name)
    os.system(hook.url)  # found
    os.system(hook.secret)
    os.system(str(hook.port))
    page = Page.objects.get(pk=pk)
    os.system(page.title)  # found
    os.system(page.body)
    os.system(Job.objects.get(pk=pk).command)
    os.system(Task.objects.get(pk=pk).command)
    note = Note.objects.get(pk=pk)
    os.system(note.a)  # found
    os.system(note.b)
    os.system(Own.objects.get(pk=pk).a)
    os.system(Plain.objects.get(pk=pk).a)
    os.system(Fixed.objects.get(pk=pk).a)
    os.system(Passed.objects.get(pk=pk).a)  # found
    os.system(Changed.objects.get(pk=pk).a)  # found
    os.system(Shown.objects.get(pk=pk).a)
    os.system(Sent.objects.get(pk=pk).a)  # found
    return Response({})
"""


def test_the_fields_that_views_keep(tmp_path: Path) -> None:
    (tmp_path / "views.py").write_text(PROGRAM, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], cache_folder=tmp_path / "cache"))
    expected = [at for at, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# found")]
    assert [each.place.line for each in report.findings] == expected
