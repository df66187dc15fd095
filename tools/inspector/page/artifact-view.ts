import { AgentText } from "./agent-text.js";
import { h } from "./dom.js";
import type { Artifact, Part } from "./model.js";
import { partView } from "./part-view.js";
import type { Session } from "./session.js";
import { brief } from "./text.js";

/** Number of parts of an artifact that are displayed, not counting text, which is joined. */
const shownParts = 100;

/** An artifact, to which chunks are appended. Consecutive text is displayed as one text. */
export class ArtifactView {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #parts = h("div", { class: "parts" });
  readonly #note = h("small", { hidden: true });
  #last: AgentText | undefined;
  #count = 0;

  constructor({ name, artifactId, description }: Artifact, session: Session) {
    this.#session = session;
    const title = brief(name ?? artifactId, 120);
    const about = description !== undefined && h("small", {}, brief(description, 300));
    const head = h("header", {}, h("strong", {}, title), about);
    this.element = h(
      "section",
      { class: "artifact", "aria-label": `Artifact ${title}` },
      head,
      this.#parts,
      this.#note,
    );
  }

  clear(): void {
    this.#parts.replaceChildren();
    this.#last = undefined;
    this.#count = 0;
  }

  add(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.text !== undefined) {
        this.#addText(part.text, part.mediaType);
        continue;
      }
      this.#count += 1;
      if (this.#count > shownParts) continue;
      this.#last = undefined;
      this.#parts.append(partView(part, this.#session));
    }
    this.#note.hidden = this.#count <= shownParts;
    const hidden = (this.#count - shownParts).toLocaleString("en");
    this.#note.textContent = `${hidden} more parts are in the call`;
  }

  #addText(text: string, mediaType?: string): void {
    // Often, only the first chunk names the type.
    const isOther = (mediaType ?? this.#last?.mediaType) !== this.#last?.mediaType;
    if (this.#last === undefined || (isOther && this.#count < shownParts)) {
      this.#last = new AgentText(mediaType);
      this.#parts.append(this.#last.element);
      if (isOther) this.#count += 1;
    }
    this.#last.append(text);
  }
}
