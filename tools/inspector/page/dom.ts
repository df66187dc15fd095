/**
 * A child of an element. Text is always inserted as a text node, because it may come from an agent.
 */
export type Child = Node | string | number | false | undefined | readonly Child[];

/**
 * Attributes and listeners of an element. A listener has the name of its event, with `on` before
 * it.
 */
export type Props = Readonly<
  Record<string, string | number | boolean | undefined | ((event: Event) => void)>
>;

/**
 * Creates an element. Attributes that are `false` or `undefined` are omitted; `true` is an empty
 * attribute.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(element, name, value);
  append(element, children);
  return element;
}

function setProp(element: HTMLElement, name: string, value: Props[string]): void {
  if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (value !== undefined && value !== false)
    element.setAttribute(name, value === true ? "" : String(value));
}

function append(element: HTMLElement, children: readonly Child[]): void {
  for (const child of children) {
    if (child instanceof Node) element.append(child);
    else if (typeof child === "object") append(element, child);
    else if (child !== undefined && child !== false) element.append(String(child));
  }
}

/** Replaces the children of an element. */
export function fill(element: HTMLElement, ...children: readonly Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/**
 * Returns the element of the page with this id. Throws an error if the page has no such element.
 */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element "${id}"`);
  return element;
}

/** Creates a button that does not submit a form. */
export function button(label: Child, onclick: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", onclick, ...props }, label);
}

/** Creates a label with its control. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  return h(
    "label",
    { class: "field" },
    h("span", {}, label),
    control,
    hint !== undefined && h("small", {}, hint),
  );
}

/** Creates a button that copies a string, and shows a confirmation in its label. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const copy = (): void => {
    void navigator.clipboard.writeText(text()).then(
      () => flash("Copied"),
      () => flash("The browser refuses to copy"),
    );
  };
  const element = button(label, copy, { class: "quiet" });
  const flash = (notice: string): void => {
    element.textContent = notice;
    setTimeout(() => (element.textContent = label), 1_500);
  };
  return element;
}

/** Announces a string to screen readers. */
export function announce(text: string): void {
  byId("live").textContent = text;
}
