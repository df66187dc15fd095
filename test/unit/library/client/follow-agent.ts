import {
  InternalError,
  UnsupportedOperationError,
} from "../../../../generated/1.1-draft/errors.js";
import {
  type AgentCard,
  type GetTaskRequest,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
  TaskState,
} from "../../../../generated/1.1-draft/models.js";
import type { TaskClient } from "../../../../library/client/unbound.js";
import { aCard } from "../../../support/cards.js";
import { applyEvent } from "../../../../library/kit/log/fold.js";
import {
  TransportError,
  type CallOptions,
} from "../../../../library/runtime/protocol/transport.js";

export const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] } as const;
export const request: SendMessageRequest = { message: { ...message, parts: [...message.parts] } };

export const lost = (): TransportError =>
  new TransportError("The connection was lost", { url: "test:" });

const ids = { taskId: "t", contextId: "c" };

/** A new status. The id of its message tells it from others. */
export function status(state: TaskState, id?: string): StreamResponse {
  const said =
    id === undefined
      ? {}
      : { message: { messageId: id, role: "ROLE_AGENT" as const, parts: [{ text: id }] } };
  return { statusUpdate: { ...ids, status: { state, ...said } } };
}

/** A text chunk of an artifact. */
export function piece(text: string, append = true, artifactId = "a"): StreamResponse {
  return { artifactUpdate: { ...ids, artifact: { artifactId, parts: [{ text }] }, append } };
}

/** Options of {@link Agent}. */
export interface AgentKind {
  /** Capabilities of the card; `undefined` is a client without a card. */
  readonly streaming: boolean | undefined;
  /** Whether tasks can be subscribed to. */
  readonly subscribes?: boolean;
  /** Whether tasks and events have their generations. */
  readonly counts?: boolean;
  /** How a task looks when it is read: as agents that join text chunks show it, for example. */
  readonly shown?: (task: Task) => Task;
  /** Returns the fault of the next event or response. */
  readonly fault?: (at: Moment) => Fault;
  /** Returns how many events a subscription repeats that its first task already contains. */
  readonly replays?: () => number;
  /** Is asked how many events happen before a task is read. */
  readonly pass?: () => number;
}

/**
 * Fault: an error, a stream that ends or becomes silent, or an event that is skipped or repeated.
 */
export type Fault = Error | "end" | "hang" | "skip" | "twice" | undefined;

/** Next action of an agent. */
export interface Moment {
  readonly method: keyof TaskClient;
  /** How many events of the log have happened. */
  readonly happened: number;
  /** The event that is sent next; absent at the beginning of a call. */
  readonly event?: StreamResponse;
}

/**
 * An agent whose only task does what a log says, as time passes with the calls; and the client of
 * it.
 */
export class Agent implements TaskClient {
  readonly card: AgentCard | undefined;
  readonly calls: { readonly method: string; readonly request: object }[] = [];
  /** Open streams. */
  open = 0;
  happened = 0;
  readonly log: readonly StreamResponse[];
  readonly #kind: AgentKind;
  readonly #tasks: readonly Task[];

  /** `begin` is the task that the log leads on from. */
  constructor(log: readonly StreamResponse[], kind: AgentKind, begin: Task = submitted) {
    const { streaming, counts = true } = kind;
    this.#kind = kind;
    this.log = counts ? log.map((event, at) => counted(event, at + 2)) : log;
    // The client asks for no more of the card.
    this.card =
      streaming === undefined ? undefined : aCard("test:", { capabilities: { streaming } });
    const tasks: Task[] = [counts ? { ...begin, generation: "1" } : begin];
    for (const event of this.log) tasks.push(applyEvent(tasks.at(-1) ?? begin, event));
    this.#tasks = tasks;
  }

  /** Current task. */
  get task(): Task {
    const task = this.#tasks[this.happened] ?? submitted;
    return this.#kind.shown?.(task) ?? task;
  }

  get methods(): string[] {
    return this.calls.map(({ method }) => method);
  }

  async sendMessage(sent: SendMessageRequest): Promise<SendMessageResponse> {
    await this.#called("sendMessage", sent);
    return { task: this.task };
  }

  async getTask(asked: GetTaskRequest): Promise<Task> {
    await this.#called("getTask", asked);
    const { pass = () => 1 } = this.#kind;
    this.happened = Math.min(this.log.length, this.happened + pass());
    return this.task;
  }

  sendStreamingMessage(
    sent: SendMessageRequest,
    options?: CallOptions,
  ): AsyncIterable<StreamResponse> {
    return this.#stream("sendStreamingMessage", sent, options);
  }

  subscribeToTask(asked: { id: string }, options?: CallOptions): AsyncIterable<StreamResponse> {
    return this.#stream("subscribeToTask", asked, options);
  }

  async *#stream(
    method: keyof TaskClient,
    asked: object,
    options?: CallOptions,
  ): AsyncGenerator<StreamResponse> {
    await this.#called(method, asked);
    if (
      method === "subscribeToTask" &&
      (this.#kind.subscribes === false || this.happened === this.log.length)
    ) {
      throw new UnsupportedOperationError();
    }
    this.open += 1;
    try {
      if ((yield* this.#events(method)) === "hang") await aborted(options?.signal);
    } finally {
      this.open -= 1;
    }
  }

  async *#events(method: keyof TaskClient): AsyncGenerator<StreamResponse, Fault> {
    let event: StreamResponse | undefined = { task: this.task };
    let at =
      method === "subscribeToTask"
        ? Math.max(0, this.happened - (this.#kind.replays?.() ?? 0))
        : this.happened;
    for (; event !== undefined; event = this.log[at++]) {
      const fault = this.#kind.fault?.({ method, happened: this.happened, event });
      if (fault instanceof Error) throw fault;
      if (fault === "end" || fault === "hang") return fault;
      if (event.task === undefined) this.happened = Math.max(this.happened, at);
      if (fault !== "skip") yield event;
      if (fault === "twice") yield event;
    }
    return undefined;
  }

  async #called(method: keyof TaskClient, asked: object): Promise<void> {
    this.calls.push({ method, request: asked });
    await Promise.resolve();
    const fault = this.#kind.fault?.({ method, happened: this.happened });
    if (fault instanceof Error) throw fault;
  }
}

export const submitted: Task = { id: "t", contextId: "c", status: { state: TaskState.Submitted } };

/** Waits until the signal aborts, like a silent stream. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => {
      reject(signal?.reason as Error);
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop);
  });
}

/** Gives an event a generation. */
export function counted(event: StreamResponse, generation: number): StreamResponse {
  const count = { generation: String(generation) };
  if (event.statusUpdate !== undefined)
    return { statusUpdate: { ...event.statusUpdate, ...count } };
  if (event.artifactUpdate !== undefined)
    return { artifactUpdate: { ...event.artifactUpdate, ...count } };
  return event;
}

/** The error of an agent that something goes wrong in. */
export const broken = (): InternalError => new InternalError();
