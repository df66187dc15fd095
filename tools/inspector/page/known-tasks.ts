import { isInterrupted, isTerminal } from "../../agents/index.js";
import type { ArtifactView } from "./artifact-view.js";
import { stateText } from "../../agents/state-text.js";
import { stateClass, type Message, type Task } from "./model.js";
import { Signal } from "./signal.js";

/** Number of tasks that the page keeps. */
const keptTasks = 200;

/** A turn of a task on the page. */
export interface TaskTurn {
  /** Displays the state of the task. */
  readonly refresh: () => void;
}

/** A task of the conversation. All views read its state here, so that they agree. */
export class KnownTask {
  readonly id: string;
  contextId: string | undefined;
  /** The artifacts on the page, in the turn that wrote each of them last. */
  readonly artifacts = new Map<string, ArtifactView>();
  /** The call whose events are displayed. Other calls report the same events. */
  source: AbortController | undefined;
  readonly #turns = new Set<TaskTurn>();
  readonly #changed: (task: KnownTask) => void;
  #status: Task["status"] | undefined;
  /** The last message that the page displays. */
  #message: Message | undefined;
  #isAnswered = false;

  constructor(id: string, changed: (task: KnownTask) => void) {
    this.id = id;
    this.#changed = changed;
  }

  get state(): string {
    return this.#status?.state ?? "";
  }

  get isTerminal(): boolean {
    return isTerminal(this.state);
  }

  /** Whether the user has answered, and the agent has not reported what it does since. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether the task waits for a message from the user. */
  get isWaiting(): boolean {
    return isInterrupted(this.state) && !this.#isAnswered;
  }

  /** The class of the state, which gives it its color. */
  get color(): string {
    return this.#isAnswered ? "busy" : stateClass(this.state);
  }

  /** The state as words: `input required`. */
  get text(): string {
    return this.#isAnswered ? "answered" : stateText(this.state);
  }

  /** The turn that displays what the agent does next. */
  get turn(): TaskTurn | undefined {
    return [...this.#turns].at(-1);
  }

  /** Makes a turn the last one of the task. */
  addTurn(turn: TaskTurn): void {
    if (this.#turns.has(turn)) return;
    this.#turns.add(turn);
    this.#refresh();
  }

  /** Notes that the user has answered, or that the call with the answer has ended. */
  setAnswered(isAnswered: boolean): void {
    if (this.#isAnswered === (isAnswered && isInterrupted(this.state))) return;
    this.#isAnswered = !this.#isAnswered;
    this.#refresh();
  }

  /** Updates the status. Returns whether the state has changed. */
  update(status: Task["status"]): boolean {
    const hasChanged = status.state !== this.state;
    // Calls begin with a snapshot, which still has the question that the user has just answered.
    if (hasChanged || !isSameStatus(status, this.#status)) this.#isAnswered = false;
    this.#status = status;
    if (hasChanged) this.#refresh();
    return hasChanged;
  }

  /** Returns whether the page does not display a message yet, and remembers it. */
  isNew(message: Message): boolean {
    const isKnown = this.#message !== undefined && isSameMessage(message, this.#message);
    this.#message = message;
    return !isKnown;
  }

  #refresh(): void {
    for (const turn of this.#turns) turn.refresh();
    this.#changed(this);
  }
}

/** The tasks of the conversation. */
export class KnownTasks {
  /** The task of the last turn, which the next message can continue. */
  readonly current = new Signal<KnownTask | undefined>(undefined);
  /** The task that has changed last. */
  readonly changed = new Signal<KnownTask | undefined>(undefined);
  readonly #tasks = new Map<string, KnownTask>();

  /** Returns the task with this id, if it is on the page. */
  find(id: string): KnownTask | undefined {
    return this.#tasks.get(id);
  }

  /** Returns the task with this id. */
  at(id: string): KnownTask {
    const known = this.#tasks.get(id);
    if (known !== undefined) return known;
    const task = new KnownTask(id, (changed) => {
      this.changed.set(changed);
      if (changed === this.current.value) this.current.set(changed);
    });
    this.#tasks.set(id, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > keptTasks && oldest !== undefined) this.#tasks.delete(oldest);
    return task;
  }

  /** Forgets a task whose turns are no longer on the page. */
  forget(id: string): void {
    this.#tasks.delete(id);
  }

  /** Forgets all tasks. */
  clear(): void {
    this.#tasks.clear();
    this.current.set(undefined);
  }
}

function isSameStatus(one: Task["status"], other: Task["status"] | undefined): boolean {
  return one.timestamp === other?.timestamp && one.message?.messageId === other?.message?.messageId;
}

function isSameMessage(one: Message, other: Message): boolean {
  // Some agents send the same id for all messages.
  return (
    one.messageId === other.messageId && JSON.stringify(one.parts) === JSON.stringify(other.parts)
  );
}
