"""A lesson as a SCORM 1.2 package: a page that frames it and reports its results to a platform."""

import html
import io
import re
import zipfile
from pathlib import Path

from lessons.contract.lesson import Lesson
from lessons.text import cited
from lessons.text.words import Texts

WORDS = Texts(__file__)

_SITE = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s?#]*)?")
_SCRIPT = Path(__file__).with_name("scorm.js")
_MANIFEST = """\
<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="gradient-tricks-{slug}" version="1.0"
  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
  <organizations default="course">
    <organization identifier="course">
      <title>{title}</title>
      <item identifier="lesson" identifierref="page"><title>{title}</title></item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" adlcp:scormtype="sco" href="index.html">
      <file href="index.html"/>
    </resource>
  </resources>
</manifest>
"""
_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  body {{ display: flex; flex-direction: column; height: 100vh; margin: 0; }}
  p {{ font: 1rem/1.5 sans-serif; margin: 0.5rem 1rem; }}
  iframe {{ border: 0; flex: 1; }}
</style>
<p role="status" hidden></p>
<iframe title="{title}" src="{address}" allow="clipboard-write"></iframe>
<script type="module">
{script}</script>
</html>
"""


def framed(lesson: Lesson, site: str, query: str = "") -> str:
    """Return the address of a lesson for a frame of another page.

    Args:
        site: the address of the home page.
        query: step and settings, as an address has them; without it, the lesson's beginning.

    Raises:
        ValueError: ``site`` is not an address of a site.
    """
    if not _SITE.fullmatch(site):
        raise ValueError(WORDS("bad_site", site=cited(site)))
    home = site.rstrip("/")
    return f"{home}/{lesson.chapter}?{query or f'lesson={lesson.slug}'}&embed=true"


def package(lesson: Lesson, address: str) -> bytes:
    """Return the package's zip file; the same lesson and address give the same bytes."""
    words = {"slug": lesson.slug, "title": html.escape(lesson.title)}
    page = _PAGE.format(**words, address=html.escape(address), script=_SCRIPT.read_text("utf-8"))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, text in (("imsmanifest.xml", _MANIFEST.format(**words)), ("index.html", page)):
            made.writestr(zipfile.ZipInfo(name), text)  # of 1980, where no time is given
    return file.getvalue()
