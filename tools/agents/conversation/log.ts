import type { Message, StreamResponse, Task } from "../../../generated/1.0/models.js";
import type { Interceptor } from "../clients.js";
import { isTerminal, isInterrupted } from "../../../generated/1.0/kit/client/index.js";
import {
  ConversationError,
  type Conversation,
  type ConversationAgent,
  type ConversationFailure,
  type ConversationTurn,
} from "./conversation.js";
import { append, isSame, lengthOf, partOf, withoutSecrets, type Part } from "./parts.js";

type Artifact = NonNullable<Task["artifacts"]>[number];
type Status = Task["status"];

/** Maximum number of characters of all parts, and of events. */
const maxRecorded = 2 ** 24;
const maxEvents = 50_000;

/** A task of a conversation. */
interface LoggedTask {
  readonly name: string;
  readonly artifacts: Map<string, Artifact>;
  status: Status | undefined;
  /** The last turn of the task. */
  turn: TurnLog;
  /** The call whose events are recorded. Other calls report the same events. */
  source: object | undefined;
}

/** Ids of a kind, and the names that replace them. */
class Names {
  readonly #kind: string;
  readonly #names = new Map<string, string>();
  readonly #taken = new Map<string, number>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Returns the name of an id, which contains the number of the turn in which it appeared. */
  of(id: string, turn: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const base = `${this.#kind}-${turn}`;
    const count = (this.#taken.get(base) ?? 0) + 1;
    this.#taken.set(base, count);
    const name = count === 1 ? base : `${base}.${count}`;
    this.#names.set(id, name);
    return name;
  }
}

/**
 * Records a conversation: the messages of the user, and what the agent does. Ids are replaced by
 * numbers, so that two conversations can be compared.
 */
export class ConversationLog {
  readonly tasks = new Map<string, LoggedTask>();
  readonly #onChange: () => void;
  readonly #names = { task: new Names("task"), context: new Names("context") };
  readonly #turns: TurnLog[] = [];
  readonly #sent = new Map<string, TurnLog>();
  #room = maxRecorded;
  #events = 0;

  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** Number of turns. */
  get length(): number {
    return this.#turns.length;
  }

  /** Begins a turn with a message of the user. */
  begin(message: Message): TurnLog {
    const turn = new TurnLog(this, this.#turns.length + 1, message);
    this.#turns.push(turn);
    this.#onChange();
    return turn;
  }

  /** Returns the name of an id. Ids that the user sends first are older than the conversation. */
  name(kind: "task" | "context", id: string, turn: number): string {
    return this.#names[kind].of(id, turn);
  }

  /**
   * Reserves room for the parts of a new event, or of the last event, in which they take the place
   * of `replaced`. Returns whether there is room.
   */
  reserve(parts: readonly Part[], replaced?: readonly Part[]): boolean {
    if (this.#isFull) return false;
    for (const part of parts) this.#room -= lengthOf(part);
    for (const part of replaced ?? []) this.#room += lengthOf(part);
    if (replaced === undefined) this.#events += 1;
    return !this.#isFull;
  }

  get #isFull(): boolean {
    return this.#room < 0 || this.#events > maxEvents;
  }

  /**
   * Returns the conversation so far.
   * @throws {ConversationError} if it is too long
   */
  conversation({ url, name, binding, version }: ConversationAgent): Conversation {
    if (this.#isFull)
      throw new ConversationError(
        `The conversation is too long to be saved: the limits are ${maxEvents} events and ` +
          `${maxRecorded / 2 ** 20} million characters`,
      );
    return {
      format: "a2a-conversation",
      version: 1,
      agent: { url: withoutCredentials(url), name, binding, version },
      turns: this.#turns.map((turn) => turn.saved()),
    };
  }

  /** Records the calls of a client. */
  readonly interceptor: Interceptor = {
    unary: async (call, next) => {
      const recorder = this.#recorderOf(call);
      if (recorder === undefined) return next(call);
      try {
        const response = await next(call);
        if (call.name === "CancelTask") recorder.turn.cancel();
        recorder.add(eventOf(response as Task | StreamResponse), false);
        return response;
      } catch (error) {
        recorder.fail(error, call.signal);
        throw error;
      }
    },
    stream: (call, next) => {
      const recorder = this.#recorderOf(call);
      return recorder === undefined ? next(call) : recorder.recorded(next(call), call.signal);
    },
  };

  #recorderOf(call: Parameters<NonNullable<Interceptor["unary"]>>[0]): CallRecorder | undefined {
    if (call.name === "SendMessage" || call.name === "SendStreamingMessage") {
      const { message } = call.request;
      // A client may send a message again.
      const turn = this.#sent.get(message.messageId) ?? this.begin(message);
      this.#sent.set(message.messageId, turn);
      return new CallRecorder(this, turn, true);
    }
    const isAboutTask =
      call.name === "GetTask" || call.name === "SubscribeToTask" || call.name === "CancelTask";
    const turn = isAboutTask ? this.tasks.get(call.request.id)?.turn : undefined;
    return turn && new CallRecorder(this, turn, false);
  }
}

/** Records the events of a call in a turn. */
class CallRecorder {
  readonly turn: TurnLog;
  readonly #log: ConversationLog;
  readonly #isMessage: boolean;

  constructor(log: ConversationLog, turn: TurnLog, isMessage: boolean) {
    this.#log = log;
    this.turn = turn;
    this.#isMessage = isMessage;
  }

  /** Returns the same events, and records them. */
  async *recorded(events: AsyncIterable<unknown>, signal: AbortSignal | undefined): AsyncGenerator {
    try {
      for await (const event of events) {
        this.add(event as StreamResponse, true);
        yield event;
      }
    } catch (error) {
      this.fail(error, signal);
      throw error;
    } finally {
      for (const task of this.#log.tasks.values())
        if (task.source === this) task.source = undefined;
    }
  }

  add(event: StreamResponse, isStream: boolean): void {
    const id = event.task?.id ?? event.statusUpdate?.taskId ?? event.artifactUpdate?.taskId;
    const source = id === undefined ? undefined : this.#log.tasks.get(id)?.source;
    const isSource = source === undefined || source === this;
    if (isSource) this.turn.add(event);
    // The source of the task reports its artifacts.
    else if (event.task !== undefined) this.turn.add({ task: { ...event.task, artifacts: [] } });
    const task = id === undefined ? undefined : this.#log.tasks.get(id);
    if (isStream && isSource && task !== undefined) task.source = this;
  }

  /** Records an error, unless the user has ended the call. */
  fail(error: unknown, signal: AbortSignal | undefined): void {
    if (this.#isMessage && signal?.aborted !== true) this.turn.fail(failureOf(error));
  }
}

/** Records a turn. */
export class TurnLog {
  readonly #log: ConversationLog;
  readonly #number: number;
  readonly #message: Message;
  readonly #events: StreamResponse[] = [];
  #messages = 0;
  #canceled = false;
  #failure: ConversationFailure | undefined;
  /** Id of the task, as the agent has assigned it. */
  taskId: string | undefined;
  /** Id of the context, as the agent has assigned it. */
  contextId: string | undefined;

  constructor(log: ConversationLog, number: number, message: Message) {
    this.#log = log;
    this.#number = number;
    const { taskId = "", contextId = "", referenceTaskIds = [], extensions = [] } = message;
    const { parts, metadata } = message;
    const nameOf = (id: string): string => log.name("task", id, 0);
    log.reserve(parts);
    this.#message = {
      messageId: `message-${number}`,
      role: "ROLE_USER",
      parts: parts.map((part) => ({
        ...partOf(part),
        ...(part.metadata && { metadata: withoutSecrets(part.metadata) }),
      })),
      ...(contextId !== "" && { contextId: log.name("context", contextId, 0) }),
      ...(taskId !== "" && { taskId: nameOf(taskId) }),
      ...(referenceTaskIds.length > 0 && { referenceTaskIds: referenceTaskIds.map(nameOf) }),
      ...(extensions.length > 0 && { extensions }),
      ...(metadata && { metadata: withoutSecrets(metadata) }),
    };
  }

  /** The state of the task; empty without a task. */
  get state(): string {
    return this.#log.tasks.get(this.taskId ?? "")?.status?.state ?? "";
  }

  saved(): ConversationTurn {
    return {
      message: this.#message,
      events: this.#events,
      ...(this.#canceled && { canceled: true }),
      ...(this.#failure && { error: this.#failure }),
    };
  }

  /** Notes that the user has canceled the task. */
  cancel(): void {
    this.#canceled = true;
  }

  fail(failure: ConversationFailure): void {
    this.#failure = failure;
  }

  /** Records an event. Only its changes to the task are saved. */
  add({ task, message, statusUpdate, artifactUpdate }: StreamResponse): void {
    this.#failure = undefined;
    if (task !== undefined) this.#addSnapshot(task);
    else if (message !== undefined) this.#addReply(message);
    else if (statusUpdate !== undefined)
      this.#addStatus(this.#taskAt(statusUpdate), statusUpdate.status);
    // A later version may have other events.
    else if ((artifactUpdate as unknown) !== undefined) {
      const { artifact, append: isAppended = false } = artifactUpdate;
      this.#addArtifact(this.#taskAt(artifactUpdate), artifact, isAppended);
    }
  }

  #taskAt({ taskId, contextId }: { taskId: string; contextId?: string }): LoggedTask {
    this.taskId ??= taskId;
    if (contextId !== undefined && contextId !== "") this.contextId ??= contextId;
    const { tasks } = this.#log;
    const task: LoggedTask = tasks.get(taskId) ?? {
      name: this.#log.name("task", taskId, this.#number),
      artifacts: new Map(),
      status: undefined,
      turn: this,
      source: undefined,
    };
    task.turn = this;
    tasks.set(taskId, task);
    return task;
  }

  #ids({ name }: LoggedTask): { readonly taskId: string; readonly contextId: string } {
    const { contextId } = this;
    return { taskId: name, contextId: contextId === undefined ? "" : this.#context(contextId) };
  }

  #context(id: string): string {
    return this.#log.name("context", id, this.#number);
  }

  #addSnapshot({ id, contextId, status, artifacts = [] }: Task): void {
    const task = this.#taskAt({ taskId: id, ...(contextId !== undefined && { contextId }) });
    const isLast = isTerminal(status.state) || isInterrupted(status.state);
    if (!isLast) this.#addStatus(task, status);
    for (const artifact of artifacts) {
      const known = task.artifacts.get(artifact.artifactId);
      if (known === undefined || !isSame(known, artifactOf(artifact, known.artifactId)))
        this.#addArtifact(task, artifact, false);
    }
    if (isLast) this.#addStatus(task, status);
  }

  #addReply({ parts, contextId = "" }: Message): void {
    if (contextId !== "") this.contextId ??= contextId;
    const context = contextId !== "" && { contextId: this.#context(contextId) };
    if (this.#log.reserve(parts))
      this.#events.push({ message: { ...this.#said(parts), ...context } });
  }

  #addStatus(task: LoggedTask, status: Status): void {
    const { state, message } = status;
    const known = task.status;
    const isKnown =
      message === undefined ||
      (message.messageId === known?.message?.messageId &&
        isSame(message.parts, known.message.parts));
    if (state === known?.state && isKnown) return;
    task.status = status;
    if (!this.#log.reserve(message?.parts ?? [])) return;
    const said = message && { message: this.#said(message.parts) };
    this.#events.push({ statusUpdate: { ...this.#ids(task), status: { state, ...said } } });
  }

  #addArtifact(task: LoggedTask, artifact: Artifact, isAppended: boolean): void {
    const known = task.artifacts.get(artifact.artifactId);
    const id = known?.artifactId ?? `artifact-${task.artifacts.size + 1}`;
    const chunk = artifactOf(artifact, id);
    const continues = isAppended && known !== undefined;
    const last = this.#events.at(-1)?.artifactUpdate;
    const isSameEvent = last?.taskId === task.name && last.artifact.artifactId === id;
    const replaced = continues ? [] : last?.artifact.parts;
    if (!this.#log.reserve(chunk.parts, isSameEvent ? replaced : undefined)) return;
    if (continues) append(known.parts, chunk.parts);
    else task.artifacts.set(artifact.artifactId, chunk);
    const copy = artifactOf(artifact, id);
    if (!isSameEvent)
      this.#events.push({
        artifactUpdate: {
          ...this.#ids(task),
          artifact: copy,
          ...(continues && { append: true }),
        },
      });
    else if (continues) append(last.artifact.parts, copy.parts);
    else {
      last.artifact = copy;
      delete last.append;
    }
  }

  /** Returns a message of the agent. */
  #said(parts: readonly Part[]): Message {
    this.#messages += 1;
    const messageId = `message-${this.#number}.${this.#messages}`;
    return { messageId, role: "ROLE_AGENT", parts: parts.map(partOf) };
  }
}

/** Returns an artifact in the form in which it is saved, with parts that can be appended to. */
function artifactOf({ name, description, parts }: Artifact, artifactId: string): Artifact {
  const joined: Part[] = [];
  append(joined, parts.map(partOf));
  return {
    artifactId,
    ...(name !== undefined && name !== "" && { name }),
    ...(description !== undefined && description !== "" && { description }),
    parts: joined,
  };
}

/** Returns the event that is equivalent to the response of a call without a stream. */
function eventOf(response: Task | StreamResponse): StreamResponse {
  return "status" in response ? { task: response } : response;
}

/** Returns an error in the form in which it is saved. */
export function failureOf(error: unknown): ConversationFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message.slice(0, 2_000) };
}

/** Returns a URL without a user, a query and a fragment, which may contain credentials. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return "";
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
