// What Streamlit gives a component's script. `component()` in pages/ui/component.py names the module, and
// Streamlit calls its `render` each time it has drawn the component.

export interface Component<Data> {
  parentElement: HTMLElement | ShadowRoot;
  data: Data;
  /** Keep a value, which the page reads when it runs next. */
  setStateValue(name: string, value: unknown): void;
  /** Send a value for one run of the page. */
  setTriggerValue(name: string, value: unknown): void;
}
