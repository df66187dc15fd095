import { visibleLines } from "../../../support/visible.js";
import { button, h } from "./dom.js";
import { moreText, toJson } from "./labels.js";

export * from "./labels.js";

/** Number of characters that are displayed at first, and that each "Show more" adds. */
const shownAtFirst = 4_000;
const shownMore = 50_000;

/** Number of characters that are kept for "Show more". */
const keptText = 2 ** 25;

/** A way to display text that grows. */
export interface Display {
  readonly element: HTMLElement;
  append(text: string): void;
}

/** Displays text without formatting. */
export class PlainDisplay implements Display {
  readonly #shown = document.createTextNode("");
  readonly element = h("span", { class: "text" }, this.#shown);

  append(text: string): void {
    this.#shown.appendData(visibleLines(text.replaceAll("\r", "")));
  }
}

/**
 * Text of any length that can grow. The page displays the beginning, and more on request, because
 * laying out many megabytes would freeze the page.
 */
export class LongText {
  readonly element = h("div", { class: "long-text" });
  #display: Display = new PlainDisplay();
  readonly #more = button("", () => this.#showMore(), { class: "quiet", hidden: true });
  readonly #pieces: string[] = [];
  #length = 0;
  #kept = 0;
  #displayed = 0;
  #limit: number;

  constructor(text = "", limit = shownAtFirst) {
    this.#limit = limit;
    this.element.append(this.#display.element, this.#more);
    this.append(text);
  }

  /** The number of characters that are displayed. */
  get displayed(): number {
    return this.#displayed;
  }

  /** The part of the text that is displayed. */
  get shown(): string {
    return this.text.slice(0, this.#displayed);
  }

  /** Displays the text in another way. */
  setDisplay(display: Display): void {
    this.#display.element.replaceWith(display.element);
    this.#display = display;
    display.append(this.shown);
  }

  /** The number of characters. */
  get length(): number {
    return this.#length;
  }

  /** The whole text. */
  get text(): string {
    if (this.#pieces.length > 1) this.#pieces.splice(0, this.#pieces.length, this.#pieces.join(""));
    return this.#pieces[0] ?? "";
  }

  /** Adds text at the end. */
  append(text: string): void {
    if (this.#kept < keptText) {
      this.#pieces.push(text);
      this.#kept += text.length;
    }
    const room = this.#limit - this.#displayed;
    if (room > 0) this.#show(text.slice(0, room));
    this.#length += text.length;
    this.#updateMore();
  }

  #show(text: string): void {
    this.#display.append(text);
    this.#displayed += text.length;
  }

  #updateMore(): void {
    const hidden = this.#length - this.#displayed;
    this.#more.hidden = hidden === 0;
    this.#more.disabled = this.#displayed >= this.#kept;
    if (hidden > 0) this.#more.textContent = moreText(hidden);
  }

  #showMore(): void {
    const from = this.#displayed;
    this.#limit = from + shownMore;
    this.#show(this.text.slice(from, this.#limit));
    this.#updateMore();
  }
}

/** Creates an element for text from an agent. */
export function longText(text: string, limit?: number): HTMLElement {
  return new LongText(text, limit).element;
}

/** Creates an element for a value as indented JSON. */
export function jsonText(value: unknown): HTMLElement {
  return h("pre", { tabindex: 0 }, longText(typeof value === "string" ? value : toJson(value)));
}
