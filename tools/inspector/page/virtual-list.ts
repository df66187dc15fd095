import { h, type Child } from "./dom.js";
import { beforeFrame } from "./frames.js";

/** Height of a row in pixels, as in page.css. */
const rowHeight = 28;

/**
 * Number of rows outside the visible part that are also created, so that scrolling displays no gap.
 */
const margin = 10;

/** Options for a {@link VirtualList}. */
export interface VirtualListOptions {
  readonly label: string;
  /** Returns the content of the row at `index`. */
  readonly row: (index: number) => Child;
  readonly onselect: (index: number) => void;
}

/** A list of any length. Only its visible rows are elements. Arrow keys change the selection. */
export class VirtualList {
  readonly element: HTMLElement;
  readonly #rows = h("div", { class: "rows" });
  readonly #options: VirtualListOptions;
  #length = 0;
  #selected = -1;

  constructor(options: VirtualListOptions) {
    this.#options = options;
    const redraw = (): void => beforeFrame(this.#draw);
    this.element = h(
      "div",
      {
        class: "virtual-list",
        role: "listbox",
        tabindex: 0,
        "aria-label": options.label,
        onscroll: redraw,
        onkeydown: (event) => this.#onkey(event as KeyboardEvent),
      },
      this.#rows,
    );
    new ResizeObserver(redraw).observe(this.element);
  }

  /** Changes the number of rows, and draws before the next frame. */
  setLength(length: number): void {
    this.#length = length;
    beforeFrame(this.#draw);
  }

  /** Selects a row and scrolls to it. */
  select(index: number): void {
    if (index < 0 || index >= this.#length) return;
    this.#selected = index;
    const top = index * rowHeight;
    const height = this.element.clientHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    if (top + rowHeight > this.element.scrollTop + height)
      this.element.scrollTop = top + rowHeight - height;
    this.#options.onselect(index);
    beforeFrame(this.#draw);
  }

  #onkey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: this.#selected + 1,
      ArrowUp: this.#selected - 1,
      Home: 0,
      End: this.#length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.select(next);
  }

  readonly #draw = (): void => {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
    const last = Math.min(this.#length, Math.ceil((scrollTop + clientHeight) / rowHeight) + margin);
    this.#rows.style.height = `${this.#length * rowHeight}px`;
    const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) =>
      this.#row(first + offset),
    );
    this.#rows.replaceChildren(...rows);
    const selected = this.#rows.querySelector("[aria-selected=true]");
    if (selected === null) this.element.removeAttribute("aria-activedescendant");
    else this.element.setAttribute("aria-activedescendant", selected.id);
  };

  #row(index: number): HTMLElement {
    const { label, row } = this.#options;
    const id = `${label.replace(/\W+/g, "-")}-${index}`;
    const selected = String(index === this.#selected);
    const props = {
      role: "option",
      class: "row",
      id,
      "aria-selected": selected,
      onclick: () => this.select(index),
    };
    const element = h(
      "div",
      { ...props, "aria-setsize": this.#length, "aria-posinset": index + 1 },
      row(index),
    );
    element.style.top = `${index * rowHeight}px`;
    return element;
  }
}
