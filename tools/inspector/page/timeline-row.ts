import { visibleLines } from "../../../support/visible.js";
import { fill, h, type Child } from "./dom.js";
import type { Period } from "./timeline-bar.js";
import type { Entry } from "./timeline-entries.js";
import { brief, clockText, countText, durationText, longText, sizeText } from "./text.js";

/** A row of the list. It is only filled again if its text has changed, to keep selected text. */
export class TimelineRow {
  readonly element = h("li");
  readonly #about = h("small");
  #key = "";

  draw(
    entry: Entry,
    { start, now, period }: { start: number; now: number; period: Period | undefined },
  ): void {
    const { kind, at, isEarlier, title, text, tone } = entry;
    const clock = `${isEarlier ? "before " : ""}${clockText(at, now)}`;
    const since = isEarlier ? "" : `+${durationText(at - start)}`;
    this.#about.textContent = aboutOf(entry, period);
    const key = JSON.stringify([clock, since, title, text]);
    if (key === this.#key) return;
    this.#key = key;
    this.element.className = "entry";
    Object.assign(this.element.dataset, { kind, tone });
    fill(
      this.element,
      h(
        "div",
        { class: "when" },
        h("time", { datetime: new Date(at).toISOString() }, clock),
        " ",
        h("small", {}, since),
      ),
      h(
        "div",
        { class: "what" },
        titleView(entry),
        " ",
        // The number of requests belongs to the text, and other facts to the title.
        kind === "webhook" && content(text),
        this.#about,
        " ",
        kind !== "webhook" && content(text),
      ),
    );
  }
}

function titleView({ kind, title, tone }: Entry): Child {
  if (kind === "state") return h("strong", { class: `state ${tone}` }, brief(title, 60));
  return h("strong", {}, brief(kind === "artifact" ? `Artifact ${title}` : title, 120));
}

/** Returns the duration of a state, and the number and size of chunks. */
function aboutOf(
  { kind, count, noun, bytes, at, until }: Entry,
  period: Period | undefined,
): string {
  if (period?.ms !== undefined)
    return `for ${durationText(period.ms)}${period.isOpen ? " so far" : ""}`;
  const isLong = until - at >= 1;
  const texts = [
    count > 1 && countText(count, noun),
    kind === "artifact" && sizeText(bytes),
    count > 1 && isLong && `in ${durationText(until - at)}`,
  ];
  return texts.filter((text) => text !== false).join(", ");
}

/** Number of characters that are displayed at first. */
const shownText = 600;

function content(text: string): Child {
  if (text === "") return false;
  if (text.length > shownText) return longText(text, shownText);
  return h("div", { class: "text" }, visibleLines(text.replaceAll("\r", "")));
}
