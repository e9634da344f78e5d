"""The home page's lab, without a browser: three programs, opened once in a session."""

from streamlit.testing.v1 import AppTest

from pages.ui import home_view


def play():
    from pages.ui import home_view

    home_view._play()


def test_the_labs_are_opened_at_the_first_run_and_kept(monkeypatch):
    opened = []

    def noting(slug, open_lab=home_view._opened):
        opened.append(slug)
        return open_lab(slug)

    monkeypatch.setattr(home_view, "_opened", noting)
    monkeypatch.setattr(home_view, "live_lab", lambda data, key: None)  # it needs a browser
    page = AppTest.from_function(play, default_timeout=60)
    for _ in range(3):
        page.run()
        assert not page.exception
    assert opened == list(home_view.CUTS)
