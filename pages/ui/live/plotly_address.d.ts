// assets.py writes this module where it is served from: which Plotly this is.

export const PLOTLY: string;
