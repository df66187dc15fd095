import { isInterrupted, isTerminal } from "../../agents/index.js";
import { announce, button, copyButton, fill, h } from "./dom.js";
import { beforeFrame } from "./frames.js";
import {
  stateText,
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
} from "./model.js";
import { partView } from "./part-view.js";
import type { Session } from "./session.js";
import { brief, LongText } from "./text.js";

/** Actions on the task of a turn. */
export interface TurnActions {
  readonly session: Session;
  readonly cancel: (id: string) => void;
  readonly subscribe: (id: string) => void;
  readonly hook: (id: string) => void;
  /** Called with the task and its state, so that the next message can continue the task. */
  readonly changed: (task: Pick<Task, "id" | "contextId">, state: string) => void;
}

/**
 * Maximum time in milliseconds for displaying events in a frame. Further events wait for the next
 * frame.
 */
const frameBudget = 8;

/** Number of events that may wait for a frame before the stream is paused. */
const maxPending = 1_000;

/** Number of artifacts that are displayed. A stream can contain any number of artifacts. */
const shownArtifacts = 100;

/** Number of progress messages that are displayed. Agents can send thousands. */
const shownProgress = 20;

/** The agent's response to a message: its task with progress and artifacts, or its reply. */
export class TurnView {
  readonly element: HTMLElement;
  readonly #actions: TurnActions;
  readonly #head = h("div", { class: "turn-head", hidden: true });
  readonly #progress = h("ol", { class: "progress" });
  readonly #skipped = h("small", { hidden: true });
  readonly #content = h("div", { class: "content" });
  readonly #note = h("p", { class: "note", hidden: true });
  readonly #artifacts = new Map<string, ArtifactView>();
  readonly #pending: StreamResponse[] = [];
  #wake: (() => void) | undefined;
  /** Artifacts from earlier turns of the same task, which snapshots of the task contain again. */
  readonly #known: ReadonlySet<string>;
  #progressCount = 0;
  #task: Pick<Task, "id" | "contextId"> | undefined;
  #state = "";

  constructor(actions: TurnActions, known: ReadonlySet<string> = new Set()) {
    this.#actions = actions;
    this.#known = known;
    const parts = [this.#head, this.#skipped, this.#progress, this.#content, this.#note];
    this.element = h("article", { class: "turn agent", "aria-label": "Agent" }, ...parts);
  }

  /** The ids of the artifacts of this turn. */
  get artifactIds(): Iterable<string> {
    return this.#artifacts.keys();
  }

  /**
   * Adds an event. All events in a frame are displayed together. Resolves when the turn can accept
   * another event.
   */
  async add(event: StreamResponse): Promise<void> {
    this.#pending.push(event);
    beforeFrame(this.#draw);
    if (this.#pending.length < maxPending) return;
    // An endless stream must not collect events faster than the page displays them.
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Displays an error or a remark below the content. */
  note(text: string, { isError = false }: { readonly isError?: boolean } = {}): void {
    this.#note.hidden = false;
    this.#note.className = isError ? "note error" : "note";
    fill(this.#note, new LongText(text, 600).element);
    announce(brief(text, 300));
  }

  readonly #draw = (): void => {
    const started = performance.now();
    let count = 0;
    for (const event of this.#pending) {
      this.#apply(event);
      count += 1;
      if (performance.now() - started > frameBudget) break;
    }
    this.#pending.splice(0, count);
    if (this.#pending.length > 0) beforeFrame(this.#draw);
    if (this.#pending.length < maxPending) this.#wake?.();
  };

  #apply(event: StreamResponse): void {
    if (event.message !== undefined) this.#reply(event.message);
    else if (event.task !== undefined) this.#snapshot(event.task);
    else if (event.statusUpdate !== undefined) {
      const { taskId, contextId, status } = event.statusUpdate;
      this.#setState({ id: taskId, contextId }, status);
    } else {
      const { taskId, contextId, artifact, append = false } = event.artifactUpdate;
      if (this.#task === undefined)
        this.#setState({ id: taskId, contextId }, { state: "TASK_STATE_WORKING" });
      this.#artifact(artifact, { append });
    }
  }

  #reply({ parts, contextId }: Message): void {
    // A reply has no task, but the next message belongs to its context.
    this.#actions.changed({ id: "", ...(contextId !== undefined && { contextId }) }, "");
    for (const part of parts) this.#content.append(partView(part, this.#actions.session));
    announce(`Agent: ${brief(textOf(parts), 300)}`);
  }

  #snapshot(task: Task): void {
    this.#setState(task, task.status);
    for (const artifact of task.artifacts ?? [])
      if (!this.#known.has(artifact.artifactId)) this.#artifact(artifact);
  }

  #artifact(artifact: Artifact, { append = false }: { readonly append?: boolean } = {}): void {
    const id = artifact.artifactId;
    const known = this.#artifacts.get(id);
    if (known === undefined && this.#artifacts.size === shownArtifacts) {
      if (this.#note.hidden) this.note("More artifacts are in the call");
      return;
    }
    const view = known ?? new ArtifactView(artifact, this.#actions.session);
    if (known === undefined) this.#content.append(view.element);
    else if (!append) view.clear();
    this.#artifacts.set(id, view);
    view.add(artifact.parts);
  }

  #setState(task: Pick<Task, "id" | "contextId">, { state, message }: Task["status"]): void {
    const hasChanged = state !== this.#state || this.#task === undefined;
    this.#task = task;
    this.#state = state;
    if (message !== undefined) this.#addProgress(message, state);
    if (!hasChanged) return;
    this.#actions.changed(task, state);
    this.#drawHead(task, state);
    announce(`Task ${stateText(state)}`);
  }

  #addProgress(message: Message, state: string): void {
    this.#progressCount += 1;
    const parts = message.parts.map((part) => partView(part, this.#actions.session));
    const kind = isTerminal(state) ? "end" : "";
    this.#progress.append(h("li", { class: isInterrupted(state) ? "question" : kind }, ...parts));
    const skipped = this.#progressCount - shownProgress;
    if (skipped <= 0) return;
    this.#progress.firstChild?.remove();
    this.#skipped.hidden = false;
    this.#skipped.textContent = `${skipped.toLocaleString("en")} earlier messages are in the call`;
  }

  #drawHead({ id }: Pick<Task, "id">, state: string): void {
    const { cancel, subscribe, hook } = this.#actions;
    const actions = isTerminal(state)
      ? []
      : [
          button("Cancel", () => cancel(id), { class: "quiet" }),
          button("Subscribe", () => subscribe(id), { class: "quiet" }),
          button("Add webhook", () => hook(id), { class: "quiet" }),
        ];
    this.#head.hidden = false;
    fill(
      this.#head,
      h("span", { class: `state ${stateClass(state)}` }, stateText(brief(state, 60))),
      h("code", { title: brief(id, 500) }, brief(id, 14)),
      h(
        "span",
        { class: "actions" },
        copyButton("Copy id", () => id),
        ...actions,
      ),
    );
  }
}

function stateClass(state: string): string {
  if (state === "TASK_STATE_COMPLETED") return "good";
  if (isTerminal(state)) return "bad";
  return isInterrupted(state) ? "waits" : "busy";
}

/** Returns the text of parts, for screen readers. */
function textOf(parts: readonly Part[]): string {
  return parts.map(({ text, filename }) => text ?? filename ?? "data").join(" ");
}

/** Number of parts of an artifact that are displayed, not counting text, which is joined. */
const shownParts = 100;

/** An artifact, to which chunks are appended. Consecutive text is displayed as one text. */
class ArtifactView {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #parts = h("div", { class: "parts" });
  readonly #note = h("small", { hidden: true });
  #last: LongText | undefined;
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
        this.#addText(part.text);
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

  #addText(text: string): void {
    if (this.#last === undefined) {
      this.#last = new LongText();
      this.#parts.append(this.#last.element);
    }
    this.#last.append(text);
  }
}
