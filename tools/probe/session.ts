import { isObject, listAt, member, textAt, type Json } from "../agents/findings.js";
import { isTerminal, type CardReport } from "../agents/index.js";
import { Inapplicable } from "./inapplicable.js";
import type { CallOptions, Lane } from "./lane.js";
import { stateOf, taskIn, type Reply } from "./reply.js";

/** An identifier that no agent has assigned. */
export const unknownId = "00000000-0000-4000-8000-000000000000";

/** Optional capability that a card declares. */
export type Capability = "streaming" | "pushNotifications" | "extendedAgentCard";

/** Options of a session. */
export interface SessionOptions {
  /** Text of the messages that the probe sends. */
  readonly message: string;
  /** Whether the user has given credentials. */
  readonly hasCredentials: boolean;
  /** Whether checks may send messages. */
  readonly allowSend: boolean;
}

/** Number of time-outs after which a session stops sending requests. */
const maxLate = 3;

/**
 * The calls of all rules to one interface. A session sends each call only once. Rules that check
 * different parts of the same response share the response.
 */
export class Session {
  readonly lane: Lane;
  readonly report: CardReport;
  readonly options: SessionOptions;
  /** Replies that the current check has used. */
  used: Reply[] = [];
  readonly #replies = new Map<string, Promise<Reply>>();
  readonly #runId = crypto.randomUUID();
  /** Last known states of the tasks that the session has created, by their ids. */
  readonly #states = new Map<string, string>();
  #lateReplies = 0;

  constructor(lane: Lane, report: CardReport, options: SessionOptions) {
    this.lane = lane;
    this.report = report;
    this.options = options;
  }

  /** Returns whether the card declares a capability. */
  declares(capability: Capability): boolean {
    if (member(member(this.report.raw, "capabilities"), capability) === true) return true;
    // Before 1.0, a member of the card itself declares the extended card, not a capability.
    return (
      capability === "extendedAgentCard" &&
      member(this.report.raw, "supportsAuthenticatedExtendedCard") === true
    );
  }

  /** Whether the card declares a security scheme. */
  get hasSchemes(): boolean {
    return isObject(member(this.report.raw, "securitySchemes"));
  }

  /** Whether the card requires credentials. */
  get requiresCredentials(): boolean {
    const { raw } = this.report;
    return listAt(raw, "securityRequirements").length + listAt(raw, "security").length > 0;
  }

  /** Whether the card requires that callers support an extension. */
  get requiresExtension(): boolean {
    const extensions = listAt(member(this.report.raw, "capabilities"), "extensions");
    return extensions.some((extension) => member(extension, "required") === true);
  }

  /** Calls an operation of the interface, with a request in the 1.0 JSON format. */
  async call(name: string, params: object = {}, options: CallOptions = {}): Promise<Reply> {
    if (this.lane.operation(name) === undefined)
      throw new Inapplicable(`A2A ${this.lane.version} has no operation ${name}`);
    return this.#sendOnce(["call", name, params, options], () =>
      this.lane.call(name, params, options),
    );
  }

  /** Requests the exact URL of the interface with GET. */
  async getUrl(): Promise<Reply> {
    const { url } = this.lane.target;
    return this.#sendOnce(["visit"], () =>
      this.lane.send({ method: "GET", url, headers: { accept: "application/json" } }),
    );
  }

  /** Sends a JSON-RPC request that the check itself creates. */
  async rpc(request: object | string, options: CallOptions = {}): Promise<Reply> {
    return this.#sendOnce(["rpc", request, options], () => this.lane.rpc(request, options));
  }

  /** Sends an HTTP+JSON request that the check itself creates. */
  async http(
    method: string,
    path: string,
    request: Parameters<Lane["http"]>[2] = {},
  ): Promise<Reply> {
    return this.#sendOnce(["http", method, path, request], () =>
      this.lane.http(method, path, request),
    );
  }

  /** Name of an operation in JSON-RPC. */
  jsonRpcName(name: string): string {
    return this.lane.operation(name)?.jsonRpc ?? name;
  }

  /** Requests an unknown task. */
  async getUnknownTask(): Promise<Reply> {
    return this.call("GetTask", { id: unknownId });
  }

  /** Returns a message from the user. `key` distinguishes the messages in a run. */
  message(key: string, more: object = {}): Json {
    return {
      messageId: `${this.#runId}-${key}`,
      role: "ROLE_USER",
      parts: [{ text: this.options.message }],
      ...more,
    };
  }

  /** Sends the user's message and waits for the result. */
  async sendMessage(): Promise<Reply> {
    return this.call("SendMessage", { message: this.message("sent") });
  }

  /** Streams the response to a message from the user. */
  async streamMessage(): Promise<Reply> {
    return this.call("SendStreamingMessage", { message: this.message("streamed") });
  }

  /** Returns the events of {@link streamMessage}. */
  async streamedEvents(): Promise<readonly unknown[]> {
    const { events } = await this.streamMessage();
    if (events === undefined || events.length === 0)
      throw new Inapplicable("the agent sent no events");
    return events;
  }

  /** Returns the task of {@link sendMessage}. */
  async task(): Promise<Json & { readonly id: string }> {
    const { result } = await this.sendMessage();
    const task = taskIn(result);
    const id = textAt(task, "id");
    if (task === undefined || id === undefined)
      throw new Inapplicable(
        "the agent created no task: choose a text with --message that creates a task",
      );
    return { ...task, id };
  }

  /** Returns the task of {@link sendMessage} if it has ended. */
  async endedTask(): Promise<Json & { readonly id: string }> {
    const task = await this.task();
    if (!isTerminal(stateOf(task)))
      throw new Inapplicable(
        `the probe's task is in the state ${stateOf(task)}: choose a text with --message whose ` +
          "task ends at once",
      );
    return task;
  }

  /** Returns the message of {@link sendMessage}, or the message of its task's status. */
  async agentMessage(): Promise<Json> {
    const { result } = await this.sendMessage();
    const message =
      member(result, "message") ?? member(member(taskIn(result), "status"), "message");
    if (!isObject(message)) throw new Inapplicable("the agent sent no message");
    return message;
  }

  /** Cancels the tasks that the session has created and that have not ended. */
  async cancelTasks(): Promise<void> {
    // An interface that does not respond would only delay the report.
    if (this.#lateReplies >= maxLate) return;
    const open = [...this.#states].filter(([, state]) => !isTerminal(state));
    await Promise.all(open.map(([id]) => this.lane.call("CancelTask", { id })));
  }

  #rememberStates({ result, events = [] }: Reply): void {
    for (const received of [result, ...events]) {
      const task = taskIn(received);
      const update = member(received, "statusUpdate");
      const id = textAt(task, "id") ?? textAt(update, "taskId");
      if (id !== undefined) this.#states.set(id, stateOf(task ?? update));
    }
  }

  async #sendOnce(key: unknown, send: () => Promise<Reply>): Promise<Reply> {
    const text = JSON.stringify(key);
    let pending = this.#replies.get(text);
    if (pending === undefined) {
      if (this.#lateReplies >= maxLate)
        throw new Inapplicable(`the interface did not respond in time ${maxLate} times`);
      pending = send();
      this.#replies.set(text, pending);
      const fresh = await pending;
      if (fresh.isLate) this.#lateReplies += 1;
      this.#rememberStates(fresh);
    }
    const reply = await pending;
    this.used.push(reply);
    return reply;
  }
}
