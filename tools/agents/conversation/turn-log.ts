import { isInterrupted, isTerminal } from "../../../generated/1.0/kit/client/index.js";
import type { Message, StreamResponse, Task } from "../../../generated/1.0/models.js";
import type { ConversationFailure, ConversationTurn } from "./conversation.js";
import { append, isSame, partOf, withoutSecrets, type Part } from "./parts.js";

type Artifact = NonNullable<Task["artifacts"]>[number];
type Status = Task["status"];

/** A task of a conversation. */
export interface LoggedTask {
  readonly name: string;
  readonly artifacts: Map<string, Artifact>;
  status: Status | undefined;
  /** The last turn of the task. */
  turn: TurnLog;
  /** The call whose events are recorded. Other calls report the same events. */
  source: object | undefined;
}

/** State that the turns of a conversation share. */
export interface SharedLog {
  readonly tasks: Map<string, LoggedTask>;
  /** Whether the conversation is too long to be saved. */
  readonly isFull: boolean;
  /** Returns the name of an id. Ids that the user sends first are older than the conversation. */
  name(kind: "task" | "context", id: string, turn: number): string;
  /**
   * Reserves room for the parts of a new event, or of the last event, in which they replace other
   * parts. Returns whether there is room.
   */
  reserve(parts: readonly Part[], replaced?: readonly Part[]): boolean;
}

/** Records a turn. */
export class TurnLog {
  readonly #log: SharedLog;
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

  constructor(log: SharedLog, number: number, message: Message) {
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
    for (const artifact of this.#log.isFull ? [] : artifacts) {
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
    // Comparisons with long content that is known would cost more than an event.
    if (this.#log.isFull) {
      task.status = { state };
      return;
    }
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
    if (this.#log.isFull) return;
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
