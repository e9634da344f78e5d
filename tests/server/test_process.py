"""The options of a process."""

from click.testing import CliRunner

from pages.server.__main__ import main


def test_a_variable_that_does_not_fit_its_option_is_refused_in_one_line() -> None:
    done = CliRunner().invoke(main, env={"STREAMLIT_SERVER_ENABLE_CORS": "perhaps"})
    assert done.exit_code == 2
    last = done.output.splitlines()[-1]
    assert "STREAMLIT_SERVER_ENABLE_CORS" in last
    assert "'perhaps' is not a valid boolean" in last
