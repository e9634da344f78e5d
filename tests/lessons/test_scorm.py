"""A SCORM package as a file; tests/browser/test_frame.py plays one."""

import io
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from lessons.__main__ import main
from lessons.outputs.catalogue import find, lessons
from lessons.outputs.scorm import framed, package

HOME = "https://lab.example.org/course/"


class Frames(HTMLParser):
    """The attributes of each iframe, and how many scripts there are."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found, self.scripts = [], 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        if tag == "iframe":
            self.found.append(dict(attrs))


def files(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as made:
        return {name: made.read(name).decode() for name in made.namelist()}


@pytest.mark.parametrize("lesson", lessons(), ids=lambda one: one.slug)
def test_a_package_names_its_one_page_which_frames_the_lesson(lesson):
    made = files(package(lesson, framed(lesson, HOME)))
    manifest = ElementTree.fromstring(made.pop("imsmanifest.xml"))
    (resource,) = manifest.iter("{http://www.imsproject.org/xsd/imscp_rootv1p1p2}resource")
    assert resource.get("{http://www.adlnet.org/xsd/adlcp_rootv1p2}scormtype") == "sco"
    assert {resource.get("href")} == set(made)
    titles = manifest.iter("{http://www.imsproject.org/xsd/imscp_rootv1p1p2}title")
    assert {one.text for one in titles} == {lesson.title}
    page = Frames(*made.values())
    ((frame,), scripts) = page.found, page.scripts
    assert frame["src"] == f"{HOME}{lesson.chapter}?lesson={lesson.slug}&embed=true"
    assert frame["title"] == lesson.title
    assert scripts == 1


def test_what_an_address_says_stays_within_its_quotes():
    address = framed(find("flip"), HOME, 'lesson=flip&x="><script>')
    page = Frames(files(package(find("flip"), address))["index.html"])
    assert (page.found[0]["src"], page.scripts) == (address, 1)


@pytest.mark.parametrize(
    "site",
    ["", "lab", "ftp://a.b", "https://", "https://a b/", "javascript:x", "http://[", "x" * 9**5],
)
def test_what_is_no_site_is_refused(site, capsys):
    assert main(["scorm", "flip", site]) == 2
    assert "is not the address of a site" in capsys.readouterr().err


def test_the_command_writes_the_same_package(capfdbinary):
    assert main(["scorm", "flip", HOME]) == 0
    assert capfdbinary.readouterr().out == package(find("flip"), framed(find("flip"), HOME))
