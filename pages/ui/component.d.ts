// What Streamlit gives the script of a component.

export interface Component<Data> {
  parentElement: HTMLElement | ShadowRoot;
  data: Data;
  /** Keep a value, which the page reads when it runs next. */
  setStateValue(name: string, value: unknown): void;
  /** Send a value for one run of the page. */
  setTriggerValue(name: string, value: unknown): void;
}
