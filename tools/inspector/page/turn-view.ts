import { isInterrupted, isTerminal } from "../../agents/index.js";
import { ArtifactView } from "./artifact-view.js";
import { announce, button, copyButton, fill, h } from "./dom.js";
import { beforeFrame } from "./frames.js";
import type { KnownTask, KnownTasks } from "./known-tasks.js";
import {
  isFailure,
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
} from "./model.js";
import { partView } from "./part-view.js";
import type { Session } from "./session.js";
import type { Problem } from "./problems.js";
import { problemView } from "./problem-view.js";
import { brief } from "./text.js";

/** Actions on the task of a turn. */
export interface TurnActions {
  readonly session: Session;
  readonly tasks: KnownTasks;
  readonly cancel: (id: string) => void;
  readonly subscribe: (id: string) => void;
  readonly hook: (id: string) => void;
  readonly timeline: (id: string) => void;
  /** Called with the context of the turn, to which the next message belongs. */
  readonly setContext: (contextId: string) => void;
  /** Called with the task of the turn. */
  readonly setTask: (task: KnownTask) => void;
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
  readonly #note = h("div", { class: "note", hidden: true });
  readonly #pending: StreamResponse[] = [];
  #wake: (() => void) | undefined;
  #progressCount = 0;
  /** Whether the turn displays why the task has failed, or that the agent gave no reason. */
  #hasReason = false;
  #task: KnownTask | undefined;

  constructor(actions: TurnActions) {
    this.#actions = actions;
    const parts = [this.#head, this.#skipped, this.#progress, this.#content, this.#note];
    this.element = h("article", { class: "turn agent", "aria-label": "Agent" }, ...parts);
  }

  /** Sets the task that the turn displays. */
  setTask(task: KnownTask): void {
    if (task === this.#task) return;
    this.#task = task;
    task.addTurn(this);
    this.#actions.setTask(task);
  }

  /** Displays the state of the task. */
  readonly refresh = (): void => beforeFrame(this.#drawHead);

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

  /** Removes the error or the remark of an earlier call. */
  clearNote(): void {
    this.#note.hidden = true;
  }

  /** Displays a remark below the content. */
  note(text: string): void {
    this.#note.hidden = false;
    this.#note.className = "note";
    fill(this.#note, text);
    announce(text);
  }

  /** Displays a problem below the content. `retry` repeats the call. */
  complain(problem: Problem, retry: () => void): void {
    this.#note.hidden = false;
    this.#note.className = "note error";
    fill(this.#note, problemView(problem, retry));
    announce(brief(problem.headline, 300));
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
      this.#setStatus(this.#taskAt(taskId, contextId), status);
    } else {
      const { taskId, contextId, artifact, append = false } = event.artifactUpdate;
      const task = this.#taskAt(taskId, contextId);
      if (task.state === "") this.#setStatus(task, { state: "TASK_STATE_WORKING" });
      this.#artifact(task, artifact, append ? "append" : "replace");
    }
  }

  #reply({ parts, contextId }: Message): void {
    // A reply has no task, but the next message belongs to its context.
    if (contextId !== undefined) this.#actions.setContext(contextId);
    for (const part of parts) this.#content.append(partView(part, this.#actions.session));
    announce(`Agent: ${brief(textOf(parts), 300)}`);
  }

  #snapshot({ id, contextId, status, artifacts = [] }: Task): void {
    const task = this.#taskAt(id, contextId);
    this.#setStatus(task, status);
    for (const artifact of artifacts) this.#artifact(task, artifact, "snapshot");
  }

  #taskAt(id: string, contextId: string | undefined): KnownTask {
    const task = this.#task?.id === id ? this.#task : this.#actions.tasks.at(id);
    if (contextId !== undefined) this.#actions.setContext((task.contextId = contextId));
    this.setTask(task);
    return task;
  }

  #artifact(task: KnownTask, artifact: Artifact, kind: "append" | "replace" | "snapshot"): void {
    const id = artifact.artifactId;
    const known = task.artifacts.get(id);
    const isHere = known?.element.parentElement === this.#content;
    // A snapshot contains the artifacts of earlier turns, too.
    if (known !== undefined && !isHere && kind === "snapshot") return;
    if (!isHere && this.#content.childElementCount >= shownArtifacts) {
      if (this.#note.hidden) this.note("More artifacts are in the call");
      return;
    }
    const isSame = known !== undefined && (isHere || kind === "append");
    const view = isSame ? known : new ArtifactView(artifact, this.#actions.session);
    if (!isHere) this.#content.append(view.element);
    if (isSame && kind !== "append") view.clear();
    task.artifacts.set(id, view);
    view.add(artifact.parts);
  }

  #setStatus(task: KnownTask, status: Task["status"]): void {
    const { state, message } = status;
    const hasChanged = task.update(status);
    if (message !== undefined) {
      if (task.isNew(message)) this.#addProgress(message, state);
    } else if (isFailure(state) && !this.#hasReason) {
      this.#hasReason = true;
      this.#progress.append(h("li", { class: "failure" }, "The agent gave no reason"));
    }
    if (hasChanged) announce(`Task ${task.text}`);
  }

  #addProgress(message: Message, state: string): void {
    this.#progressCount += 1;
    this.#hasReason ||= isFailure(state);
    const parts = message.parts.map((part) => partView(part, this.#actions.session));
    this.#progress.append(h("li", { class: messageClass(state) }, ...parts));
    const skipped = this.#progressCount - shownProgress;
    if (skipped <= 0) return;
    this.#progress.firstChild?.remove();
    this.#skipped.hidden = false;
    this.#skipped.textContent = `${skipped.toLocaleString("en")} earlier messages are in the call`;
  }

  readonly #drawHead = (): void => {
    const task = this.#task;
    if (task === undefined || task.state === "") return;
    const { id } = task;
    const { cancel, subscribe, hook, timeline } = this.#actions;
    const quiet = (label: string, title: string, action: (id: string) => void) =>
      button(label, () => action(id), { class: "quiet", title });
    // The last turn of a task displays what the actions cause.
    const actions = !task.isTerminal &&
      task.turn === this && [
        quiet("Cancel", "Asks the agent to end the task", cancel),
        quiet("Subscribe", "Follows the task in a new stream", subscribe),
        quiet("Add webhook", "Asks the agent to send updates to a webhook", hook),
      ];
    this.#head.hidden = false;
    fill(
      this.#head,
      h("span", { class: `state ${task.color}` }, brief(task.text, 60)),
      h("code", { title: brief(id, 500) }, brief(id, 14)),
      h(
        "span",
        { class: "actions" },
        copyButton("Copy id", () => id),
        quiet("Timeline", "Displays the states and events of the task with their times", timeline),
        actions,
      ),
    );
  };
}

/** Returns the class of a message with a state. */
function messageClass(state: string): string {
  if (isFailure(state)) return "failure";
  if (isTerminal(state)) return "end";
  return isInterrupted(state) ? "question" : "";
}

/** Returns the text of parts, for screen readers. */
function textOf(parts: readonly Part[]): string {
  return parts.map(({ text, filename }) => text ?? filename ?? "data").join(" ");
}
