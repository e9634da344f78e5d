// Written by the server (pages/server/assets.py): where Plotly's two scripts are, seen from here.

export const BASIC: string;
export const WHOLE: string;
