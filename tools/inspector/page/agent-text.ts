import { button, h } from "./dom.js";
import { looksLikeMarkdown } from "./markdown.js";
import { MarkdownDisplay } from "./markdown-view.js";
import { LongText, PlainDisplay } from "./text.js";

/**
 * Text from an agent, formatted if it is Markdown: if that is its media type, or if it has no type
 * and contains signs of Markdown. Few agents name a type, and most get their text from a model. The
 * user can display the source instead.
 */
export class AgentText {
  readonly element = h("div", { class: "agent-text" });
  /** The media type that the agent has named. */
  readonly mediaType: string | undefined;
  readonly #text: LongText;
  readonly #switch = button("", () => this.#format(!this.#isFormatted), {
    class: "quiet",
    hidden: true,
  });
  #isFormatted = false;
  /** Length of the text that was searched for signs. */
  #searched = 0;

  constructor(mediaType: string | undefined, text = "") {
    this.mediaType = mediaType;
    this.#text = new LongText();
    this.element.append(this.#text.element, this.#switch);
    if (/^text\/(?:x-)?markdown\b/i.test(mediaType ?? "")) this.#format(true);
    this.append(text);
  }

  /** Adds text at the end. */
  append(text: string): void {
    this.#text.append(text);
    if (!this.#switch.hidden || (this.mediaType ?? "") !== "") return;
    if (this.#text.displayed === this.#searched) return;
    const { shown } = this.#text;
    // The new text may complete a line.
    const start = shown.lastIndexOf("\n", this.#searched) + 1;
    this.#searched = shown.length;
    if (looksLikeMarkdown(shown.slice(start))) this.#format(true);
  }

  #format(isFormatted: boolean): void {
    this.#isFormatted = isFormatted;
    this.#text.setDisplay(isFormatted ? new MarkdownDisplay() : new PlainDisplay());
    this.#switch.hidden = false;
    this.#switch.textContent = isFormatted ? "Source" : "Formatted";
    this.#switch.title = isFormatted
      ? "Displays the text without formatting"
      : "Displays the text as Markdown";
  }
}
