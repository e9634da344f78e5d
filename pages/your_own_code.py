"""How to use the doctor on your own code, with a report to look at."""

from pages.ui.own_code.view import own_code_page

own_code_page()
