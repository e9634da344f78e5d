"""Writes a lesson to start from, as a copy of another: ``python -m lessons new reversal/mine``."""

import re
import shutil
from pathlib import Path

from lessons.gradient_tricks.text import cited, suggestion
from lessons.outputs import catalogue


def write(name: str, like: str) -> Path:
    """Copy a lesson's folder to another slug, as the last lesson of a chapter; return the folder.

    Args:
        name: the new lesson's chapter and slug, as in ``reversal/mine``.
        like: the slug of the lesson to copy.

    Raises:
        CatalogueError: a lesson in the course is broken.
        UnknownLessonError: there is no lesson to copy.
        ValueError: the name is no chapter and slug, the slug is taken, or the lesson can't go to
            another chapter.
    """
    source, chapters = catalogue.find(like).folder, catalogue.chapters_by_slug()
    chapter, _, slug = name.partition("/")
    if chapter not in chapters:
        among = suggestion(chapter, chapters)
        raise ValueError(f"there is no chapter {cited(chapter)}. {among} Write CHAPTER/SLUG.")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", slug):
        raise ValueError(
            f"{cited(slug)} is no slug. Use a-z, 0-9 and _, as in {chapter}/my_lesson."
        )
    folder = catalogue.ROOT / chapter / slug
    taken = {*catalogue.lessons_by_slug(), *catalogue.lessons_by_earlier_slug()}
    if folder.exists() or slug in {*taken, "bench", "playground"}:  # these two are labs
        raise ValueError(f"{cited(slug)} is taken. Choose another slug.")
    home = source.parent.name
    if chapter != home and f"chapters.{home}.in_torch" in (source / "in_torch.py").read_text(
        "utf-8"
    ):
        raise ValueError(f"{cited(like)} needs its chapter's in_torch.py: write {home}/{slug}.")
    last = float(chapters[chapter].lessons[-1].prose.front["order"])
    head = f"---\norder: {last + 10:g}\nshort: {slug.replace('_', ' ').capitalize()}\n"
    package = f"chapters.{home}.{like}."
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.glob("*.py"):
        text = path.read_text("utf-8")
        path.write_text(text.replace(package, f"chapters.{chapter}.{slug}."), "utf-8")
    for path in folder.glob("*.md"):
        text = re.sub(r"(?m)^(order|short|formerly): .*\n", "", path.read_text("utf-8"))
        path.write_text(text.replace("---\n", head, 1), "utf-8")
    return folder
