// The little of plotly.js that the lab uses, by the names it has there. What begins with "_" is
// private to Plotly: a new version may change it, and the browser tests would say so.

/** Numbers as they are drawn; null is a gap. */
export type Numbers = (number | null)[];

export interface Chart {
  data: Trace[];
  layout: Layout;
}

export interface Trace {
  type?: string;
  visible?: boolean | "legendonly";
  mode?: string;
  fill?: string;
  line?: { shape?: string; width?: number; [name: string]: unknown };
  textfont?: { color?: unknown };
  marker?: { angleref?: string; [name: string]: unknown };
  x?: Numbers;
  y?: Numbers;
  xaxis?: string;
  yaxis?: string;
  text?: string[];
  meta?: Handle;
  [name: string]: unknown;
}

/** What a hand may drag in a trace, and the controls that follow, each by a measure of the place. */
export interface Handle {
  part: "points" | "tip" | "line" | "place";
  sets: Record<string, "x" | "y" | "size" | "largest" | "length" | "angle" | "power_of_two">;
}

export interface Layout {
  xaxis?: { range?: [number, number]; [name: string]: unknown };
  yaxis?: Layout["xaxis"];
  font?: Record<string, unknown>;
  [name: string]: unknown;
}

export interface Axis {
  range: [number, number];
  /** From a number to a pixel of the plot. */
  c2p(value: number): number;
  /** And back. */
  p2c(pixel: number): number;
  /** Pixels from the node's edge to the axis. */
  _offset: number;
  /** Pixels that the axis is long. */
  _length: number;
}

/** A point that was clicked or is pointed at. */
export interface Point {
  customdata?: unknown;
  curveNumber?: number;
}

/** The node that Plotly draws into; what it adds is there once it has drawn. */
export interface Plot extends HTMLElement {
  _fullLayout?: { xaxis?: Axis; yaxis?: Axis };
  _fullData?: { uid: string }[];
  on?(name: "plotly_click" | "plotly_hover" | "plotly_unhover", told: (event: { points: Point[] }) => void): void;
}

export interface Plotly {
  react(
    plot: HTMLElement,
    data: Trace[],
    layout: Layout,
    config?: Record<string, unknown>,
  ): Promise<Plot>;
  purge(plot: HTMLElement): void;
  Icons: Record<string, object>;
  /** The address of a picture. */
  toImage(
    chart: { data: Trace[]; layout: Layout },
    how: { format: "svg"; width: number; height: number },
  ): Promise<string>;
}
