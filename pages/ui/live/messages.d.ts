// What crosses the wire between a lab and the server. Made from pages/labs/messages.py, which says
// what it means: `python -m tests.support.message_types --write`.

import type { Chart } from "./plotly.d.ts";

export interface Aside {
  seq: number;
  kind: "again" | "refused" | "failed" | "lost";
  text?: string;
}

export interface BoxPlace {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Code {
  digest: string;
  panes?: Record<string, Pane>;
  files?: CodeFile[];
}

export interface CodeFile {
  name: string;
  address: string;
  how: "get" | "post" | "here";
}

export interface Column {
  label: string;
  role: string | null;
}

export interface Control {
  name: string;
  label: string;
  kind: "slider" | "integer" | "text" | "choice" | "select" | "code" | "actions";
  value: string;
  help: string;
  error: string | null;
  hidden: boolean;
  placeholder: string;
  disabled?: boolean;
  min?: number;
  max?: number;
  step?: number;
  scale?: "linear" | "log";
  options?: Option[];
  mark?: number[] | null;
  of?: string;
}

export interface EdgePlace {
  x: number;
  y: number;
  route: ([number, number])[];
}

export interface FigureSpec {
  id: string;
  title: string;
  caption: string;
  alt: string;
  height: number;
  selects: string | null;
  digest?: string;
  style?: string;
  start?: number;
  figure?: Chart;
}

export interface Frame {
  form: Record<string, string>;
  accepted: boolean;
  settled: boolean;
  groups: Group[];
  notes: NoteSpec[];
  query: string;
  key: KeyEntry[];
  figures: FigureSpec[];
  table: TableSpec | null;
  status: string;
  graph: GraphSpec | null;
  code: Code | null;
  stage: string;
  views: View[];
  turn: boolean | null;
  numbers: Record<string, string>;
  trained: string[];
  document: string;
  goals: GoalSpec[];
}

export interface GoalSpec {
  name: string;
  text: string;
  value: boolean;
  gradient: boolean;
}

export interface GraphEdge {
  id: string;
  from: string;
  to: string;
  gradient: string;
  full: string;
  offered: string | null;
  sign: "positive" | "negative" | "zero" | "nan" | "none";
  state: "flowing" | "cut" | "stopped" | "overridden" | "reversed" | "scaled" | "clipped" | "surrogate" | "none";
  stale: boolean;
  cuttable: boolean;
  alternative: string;
  weight: number;
}

export interface GraphNode {
  id: string;
  label: string;
  type: string;
  kind: "input" | "constant" | "plain" | "stopped" | "overridden" | "reversed" | "scaled" | "clipped" | "surrogate";
  lines: string[];
  value: string;
  entry: string;
  full: string;
  upstream: string;
  upstream_full: string;
  rule: string | null;
  stale: string[];
  output: boolean;
}

export interface GraphPart {
  edge: string;
  to: string;
  state: "flowing" | "cut" | "stopped" | "overridden" | "reversed" | "scaled" | "clipped" | "surrogate" | "none";
  upstream: string;
  local: string | null;
  gradient: string;
  offered: string;
  latex: string;
  terms: ([string, string])[];
  more: number;
}

export interface GraphPlaces {
  right: boolean;
  width: number;
  height: number;
  nodes: BoxPlace[];
  edges: EdgePlace[];
}

export interface GraphSpec {
  digest?: string;
  scissors: "cuts" | "snip" | null;
  cuts: string[];
  covered: string;
  index: number[];
  wide: GraphPlaces | null;
  narrow: GraphPlaces;
  nodes: GraphNode[];
  edges: GraphEdge[];
  steps: GraphStep[];
  equation: ([string, boolean])[];
  entries: string;
  alternative: string;
  stretches: Stretch[];
  links: Link[];
}

export interface GraphStep {
  kind: "start" | "op" | "stopped" | "leaf";
  node: string;
  upstream: string;
  parts: GraphPart[];
  arrived: GraphSum[];
  waiting: GraphSum[];
  sentence: string;
}

export interface GraphSum {
  node: string;
  parts: Summand[];
  total: string | null;
}

export interface Group {
  title: string | null;
  open: boolean;
  controls: Control[];
}

export interface KeyEntry {
  role: string;
  label: string;
  dash: string;
}

export interface Link {
  node: string;
  of: "value" | "gradient";
  role: string | null;
  cell: [number, number] | null;
  fact: string | null;
}

export interface NoteSpec {
  level: "info" | "warning" | "error";
  text: string;
}

export interface Option {
  value: string;
  label: string;
  group?: string;
}

export interface Pane {
  lines: string[][][];
  marks: Record<string, string>;
  remarks: string[];
}

export interface Picture {
  figures: FigureSpec[];
  views: View[];
  turn: boolean | null;
  table: TableSpec | null;
  notes: NoteSpec[];
  numbers: Record<string, string>;
  status: string;
  training: TrainerSpec;
}

export interface Stretch {
  node: string;
  line: number;
  start: number;
  last: number;
  end: number;
  typed?: number;
}

export interface Summand {
  edge: string;
  value: string | null;
}

export interface TableSpec {
  caption: string;
  columns: Column[];
  rows: string[][];
}

export interface TrainerSpec {
  state: "ready" | "running" | "paused" | "done";
  done: number;
  total: number;
  text: string;
  held: boolean;
  begun: number;
  run: string;
  lost: boolean;
  count: number;
}

export interface TrainingWish {
  phase?: "run" | "pause";
  begun?: number;
  token?: string;
  run?: string;
  count?: number;
}

export interface View {
  name: string;
  label: string;
}

export interface Wish {
  lab: string;
  values?: Record<string, string>;
  touched?: string[];
  live?: boolean;
  good?: Record<string, string> | null;
  cuts?: string;
  carried?: boolean;
  do?: string;
  step?: number;
  answers?: string[];
  hide?: string[];
  fix?: string[];
  have?: Record<string, string>;
  open?: string[];
}
