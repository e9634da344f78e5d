"""The lab in plain Streamlit: a slider, three charts, a table."""

import streamlit as st

from tests.bench.peers import lab

bounds = {"min_value": lab.SLIDER["min"], "max_value": lab.SLIDER["max"]}
value = st.slider(
    "noise_high", **bounds, value=lab.SLIDER["value"], step=lab.SLIDER["step"], key="noise_high"
)
figures, rows = lab.compute(value)
for name, figure in figures.items():
    st.plotly_chart(figure, key=name)
st.dataframe(rows)
