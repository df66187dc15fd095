import { setImmediate } from "node:timers/promises";
import type { AgentCard } from "../../../generated/1.0/index.js";
import { extension } from "./card.js";
import type { Dialect } from "./dialect.js";
import { asJson, at, isObject, textAt, type Json } from "./json.js";
import { Gate, type Asked } from "./peers.js";
import { actsFor, type Act } from "./play.js";
import { canceled } from "./scenes.js";
import { isLastEvent, isTerminal, StoredTask } from "./stored-task.js";

/** The errors of a version that the agent answers with. */
interface Errors {
  readonly TaskNotFoundError: new (message?: string) => Error;
  readonly TaskNotCancelableError: new (message?: string) => Error;
  readonly UnsupportedOperationError: new (message?: string) => Error;
}

/** Context of a call that a service receives. */
interface Context {
  readonly signal: AbortSignal;
  readonly extensions: readonly string[];
  activateExtension(uri: string): void;
}

type Method = (request: Json, context: Context) => unknown;

/**
 * An agent on a generated server that plays scenes, in the JSON of any version. Its errors have the
 * texts of the SDK.
 */
export class Player {
  readonly dialect: Dialect;
  readonly asked: Asked[] = [];
  readonly gate = new Gate();
  readonly #errors: Errors;
  readonly #extendedCard: AgentCard;
  readonly #tasks = new Map<string, StoredTask>();

  constructor(dialect: Dialect, errors: Errors, extendedCard: AgentCard) {
    this.dialect = dialect;
    this.#errors = errors;
    this.#extendedCard = extendedCard;
  }

  /** The methods of the service, each of which remembers what it is asked. */
  service(): Record<string, (request: never, context: Context) => never> {
    const methods: Readonly<Record<string, Method>> = {
      sendMessage: (request, context) => this.#send(request, context),
      sendStreamingMessage: (request, context) => this.#stream(request, context),
      getTask: ({ id, historyLength }) => this.#task(id).shown(historyLength),
      listTasks: (request) => this.#list(request),
      cancelTask: ({ id }) => this.#cancel(this.#task(id)),
      subscribeToTask: ({ id }, context) => this.#subscribe(this.#task(id), context),
      createTaskPushNotificationConfig: (request) =>
        this.#task(request["taskId"]).register(request),
      getTaskPushNotificationConfig: (request) => this.#config(request),
      listTaskPushNotificationConfigs: (request) => this.#configs(request),
      deleteTaskPushNotificationConfig: (request) =>
        void this.#configTask(request).configs.delete(configIdOf(request)),
      getExtendedAgentCard: () => asJson(this.dialect.card(this.#extendedCard)),
    };
    return Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [name, this.#recorded(name, method)]),
    );
  }

  #recorded(method: string, run: Method): (request: never, context: Context) => never {
    return (request: Json, context) => {
      this.asked.push({ method, request, extensions: context.extensions });
      return run(request, context) as never;
    };
  }

  #task(id: unknown): StoredTask {
    const task = this.#tasks.get(String(id));
    if (task === undefined)
      throw new this.#errors.TaskNotFoundError(`Task not found: ${String(id)}`);
    return task;
  }

  async #send(request: Json, context: Context): Promise<unknown> {
    const { task, answer } = this.#begin(request, context);
    if (task === undefined) return answer;
    const updates = task.updates(isLastEvent, context.signal);
    const atOnce = at(request, "configuration", "returnImmediately") === true;
    if (!atOnce && at(request, "configuration", "blocking") !== false) await ended(updates);
    return this.#wrapped(task.shown(at(request, "configuration", "historyLength")));
  }

  async *#stream(request: Json, context: Context): AsyncGenerator<Json> {
    const { task, answer } = this.#begin(request, context);
    if (task === undefined) {
      yield answer;
      return;
    }
    const updates = task.updates(isLastEvent, context.signal);
    yield this.#wrapped(task.shown());
    yield* updates;
  }

  /** Starts the scene that a message requests: returns its task, or its reply if it has no task. */
  #begin(
    { message }: Json,
    context: Context,
  ): { readonly task?: StoredTask; readonly answer: Json } {
    if (!isObject(message)) throw new Error("A request has a message");
    if (context.extensions.includes(extension)) context.activateExtension(extension);
    const given = message["contextId"] === undefined ? undefined : textAt(message, "contextId");
    const earlier = message["taskId"] === undefined ? undefined : this.#open(message["taskId"]);
    const taskId = earlier?.id ?? crypto.randomUUID();
    const contextId = earlier?.contextId ?? given ?? crypto.randomUUID();
    const known = { ...message, taskId, contextId };
    const [first = "wait", ...acts] = actsFor(known, { taskId, contextId }, this.dialect);
    if (first === "wait") throw new Error("A scene begins with an event");
    if ((first["message"] ?? first["messageId"]) !== undefined) return { answer: first };
    const task = earlier ?? new StoredTask(taskId, contextId);
    this.#tasks.set(taskId, task);
    if (earlier !== undefined) earlier.remember(known);
    task.apply(first);
    void this.#play(task, acts);
    return { task, answer: first };
  }

  #open(id: unknown): StoredTask {
    const task = this.#task(id);
    if (!isTerminal(task.state)) return task;
    throw new this.#errors.UnsupportedOperationError(`Task ${task.id} has ended`);
  }

  async #play(task: StoredTask, acts: readonly Act[]): Promise<void> {
    for (const act of acts) {
      await setImmediate();
      if (act !== "wait") task.apply(act);
      else if (!(await this.gate.wait(task.id))) return;
    }
  }

  #cancel(task: StoredTask): unknown {
    if (isTerminal(task.state))
      throw new this.#errors.TaskNotCancelableError(`Task not cancelable: ${task.id}`);
    this.gate.cancel(task.id);
    task.apply(this.dialect.event(canceled({ taskId: task.id, contextId: task.contextId })));
    return task.shown();
  }

  async *#subscribe(task: StoredTask, context: Context): AsyncGenerator<Json> {
    if (isTerminal(task.state))
      throw new this.#errors.UnsupportedOperationError(`Task ${task.id} has ended`);
    const updates = task.updates(isLastEvent, context.signal);
    yield this.#wrapped(task.shown());
    yield* updates;
  }

  #list({ contextId, status, pageSize, pageToken, historyLength, includeArtifacts }: Json): Json {
    const all = [...this.#tasks.values()].filter(
      (task) => (!contextId || task.contextId === contextId) && (!status || task.state === status),
    );
    const start = Number(pageToken ?? 0);
    const size = Number(pageSize ?? 50);
    const tasks = all.slice(start, start + size).map((task) => {
      const { artifacts, ...rest } = task.shown(historyLength);
      return includeArtifacts === true ? { ...rest, artifacts } : rest;
    });
    const nextPageToken = start + size < all.length ? String(start + size) : "";
    return { tasks, nextPageToken, pageSize: size, totalSize: all.length };
  }

  #config(request: Json): Json {
    const config = this.#configTask(request).configs.get(configIdOf(request));
    if (config === undefined)
      throw new this.#errors.TaskNotFoundError("Push notification config not found");
    return config;
  }

  #configs(request: Json): unknown {
    const configs = [...this.#configTask(request).configs.values()];
    return this.dialect.version === "1.0" ? { configs, nextPageToken: "" } : configs;
  }

  #configTask(request: Json): StoredTask {
    return this.#task(request["taskId"] ?? request["id"]);
  }

  #wrapped(task: Json): Json {
    return this.dialect.version === "1.0" ? { task } : task;
  }
}

function configIdOf(request: Json) {
  return textAt(request, request["taskId"] === undefined ? "pushNotificationConfigId" : "id");
}

async function ended(stream: AsyncIterable<unknown>) {
  const iterator = stream[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}
