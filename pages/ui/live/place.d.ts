// What the page says to its lab, through Streamlit.

/** What the page says. */
export interface Place {
  /** a lesson's slug, "home" or "playground" */
  lab: string;
  /** under which this tab keeps it; a name other than the lab's leaves the address to the page */
  name: string;
  /** whether it shows a step that the learner is no longer at, and leaves the address to the page */
  looks_back: boolean;
  /** the address of the labs' route */
  socket: string;
  /** the messages with the first frame, and the picture of a training; empty later */
  first?: string[];
  /** in turn */
  orders: Order[];
  step: number;
  answers: string[];
  hide: string[];
  fix: string[];
  /** in facts, what the page wants to hear of once it is reached; empty for nothing */
  goal: string;
  /** until the learner changes something */
  note: string;
}

/**
 * What the lab is to be set to. Each order is carried out once; a first one only where this tab has
 * nothing newer.
 */
export interface Order {
  id: string;
  first: boolean;
  values: Record<string, string>;
  /** null leaves them as they are */
  cuts: string | null;
  /** of the backward pass; null leaves it as it is */
  graph_step: number | null;
}
