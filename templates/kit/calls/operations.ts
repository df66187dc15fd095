import type { CallContext } from "../../runtime/server/context.js";
import type { ServiceHost } from "../../runtime/server/host.js";
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "../model.js";
import { ExtendedAgentCardNotConfiguredError, UnauthenticatedError, UnsupportedOperationError } from "../../errors.js";
import type { Background } from "../engine/background.js";
import type { Accepted } from "../engine/task-creation.js";
import type { Sending, TaskEngine } from "../engine/engine.js";
import type { Environment } from "../engine/environment.js";
import { agentMessage } from "../log/events.js";
import { applyEntries } from "../log/fold.js";
import { InputModes } from "./media-types.js";
import { checkMessage, checkScope } from "./message-checks.js";
import { stampFor } from "../extensions/respond.js";
import type { TaskServiceOptions } from "../options.js";
import { maxIdLength, type WebhookMaker, withDefaultId } from "../push/push-configs.js";
import type { Push } from "../push/push.js";
import { tooLarge } from "./refusals.js";
import { Repeats } from "./repeats.js";
import { isAnonymous, rememberedOf, scopeOf } from "./scope.js";
import { sizeOf, sizeOfCall } from "../limits/size.js";
import { isAtRest, isTerminal } from "../states.js";
import type { CallFacts, Scope, Stored } from "../store.js";
import type { Incoming, Reply } from "../turns/turn.js";
import { replyOf } from "../turns/values.js";
import { partsOf } from "../turns/updates.js";
import { invalid } from "./invalid.js";
import { emptyPage, listTasks, shown, trimmed } from "./views.js";

/** Dependencies of {@link TaskOperations}. */
export interface TaskOperationsParts {
  readonly host: ServiceHost<AgentCard>;
  readonly options: TaskServiceOptions;
  readonly environment: Environment;
  readonly engine: TaskEngine;
  readonly push: Push;
  readonly background: Background;
}

/** Implements the task operations of the protocol for the callers of one agent. */
export class TaskOperations {
  readonly #host: ServiceHost<AgentCard>;
  readonly #options: TaskServiceOptions;
  readonly #environment: Environment;
  readonly #engine: TaskEngine;
  readonly #push: Push;
  readonly #repeats: Repeats | undefined;
  readonly #background: Background;
  readonly #modes = new InputModes();

  constructor({ host, options, environment, engine, push, background }: TaskOperationsParts) {
    this.#host = host;
    this.#options = options;
    this.#environment = environment;
    this.#engine = engine;
    this.#push = push;
    this.#repeats = options.deduplicate === true ? new Repeats(environment.store) : undefined;
    this.#background = background;
  }

  async sendMessage(request: SendMessageRequest, context: CallContext): Promise<SendMessageResponse> {
    const { historyLength, returnImmediately = false } = request.configuration ?? {};
    const accepted = await this.#accept(this.#scope(context), request, context);
    if ("content" in accepted) return { message: this.#message(accepted, request, context) };
    const { first, entries, watch } = accepted;
    if (watch !== undefined && !returnImmediately)
      return { task: await this.#outcome(accepted, context, historyLength) };
    watch?.close();
    const task = applyEntries(first.task, entries);
    return { task: this.#shown({ task, generation: entries.at(-1)?.generation ?? first.generation }, historyLength) };
  }

  async sendStreamingMessage(
    request: SendMessageRequest,
    context: CallContext,
  ): Promise<AsyncIterable<StreamResponse>> {
    const scope = this.#scope(context);
    const account = this.#environment.accounts.of(scope);
    account.openStream();
    let accepted: Reply | Accepted | undefined;
    try {
      accepted = await this.#accept(scope, request, context);
    } finally {
      if (accepted === undefined || "content" in accepted) account.closeStream();
    }
    if ("content" in accepted) return only({ message: this.#message(accepted, request, context) });
    return this.#engine.follow(accepted, { account, historyLength: request.configuration?.historyLength });
  }

  async getTask(request: GetTaskRequest, context: CallContext): Promise<Task> {
    const scope = this.#scope(context);
    const { id, historyLength } = request;
    const stored = await this.#engine.read(scope, id);
    // Only later versions have this field.
    const { currentGeneration } = request as GetTaskRequest & { readonly currentGeneration?: string };
    if (currentGeneration === undefined || stored.generation > Number(currentGeneration))
      return this.#shown(stored, historyLength);
    await this.#engine.change(stored, context.signal);
    return this.#shown(await this.#engine.read(scope, id), historyLength);
  }

  async listTasks(request: ListTasksRequest, context: CallContext): Promise<ListTasksResponse> {
    const scope = this.#scope(context);
    // Anonymous callers do not know each other, but share an owner. Context ids are random, so a caller only knows the
    // id of a context if it has taken part in it.
    const isShared = isAnonymous(context) && this.#options.anonymousLists !== true;
    if (isShared && (request.contextId ?? "") === "") return emptyPage(request);
    return listTasks(this.#environment, scope, request);
  }

  async cancelTask({ id, metadata = {} }: CancelTaskRequest, context: CallContext): Promise<Task> {
    const scope = this.#scope(context);
    const canceled = await this.#engine.cancel(scope, id, metadata, context.signal);
    this.#environment.audit?.({ action: "task.cancel", ...scope, taskId: id, context });
    return this.#shown(canceled);
  }

  async subscribeToTask({ id }: SubscribeToTaskRequest, context: CallContext): Promise<AsyncIterable<StreamResponse>> {
    const scope = this.#scope(context);
    const stored = await this.#engine.read(scope, id);
    const { state } = stored.task.status;
    if (!isTerminal(state)) {
      const account = this.#environment.accounts.of(scope);
      account.openStream();
      return this.#engine.subscribe(stored, account);
    }
    throw new UnsupportedOperationError(`The task has ended: ${state}`, { metadata: { taskId: id } });
  }

  async getExtendedAgentCard(_: GetExtendedAgentCardRequest, context: CallContext): Promise<AgentCard> {
    const options = this.#options;
    if (options.extendedCard === undefined) throw new ExtendedAgentCardNotConfiguredError();
    if (isAnonymous(context)) throw new UnauthenticatedError("The extended agent card requires authentication");
    return options.extendedCard(context);
  }

  async createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    context: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    this.#push.sender.start();
    const scope = this.#scope(context);
    const account = this.#environment.accounts.of(scope);
    await account.admitWebhook();
    try {
      const config = await this.#push.configs.create(scope, request, context.version);
      const { taskId, id: webhookId } = config;
      this.#environment.audit?.({ action: "webhook.create", ...scope, taskId, webhookId, context });
      return config;
    } catch (error) {
      account.cancelWebhook();
      throw error;
    }
  }

  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    context: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    return this.#push.configs.get(this.#scope(context), request);
  }

  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    context: CallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.#push.configs.list(this.#scope(context), request);
  }

  async deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    context: CallContext,
  ): Promise<void> {
    const scope = this.#scope(context);
    await this.#push.configs.delete(scope, request);
    this.#environment.accounts.of(scope).deleted();
    const { taskId, id: webhookId } = request;
    this.#environment.audit?.({ action: "webhook.delete", ...scope, taskId, webhookId, context });
  }

  /** Waits for the result of a message, and returns the task in the form that its caller requested. */
  async #outcome(accepted: Accepted, { signal }: CallContext, historyLength: number | undefined): Promise<Task> {
    const { scope, first } = accepted;
    const following = this.#engine.follow(accepted, { keeps: true }).endWith(signal);
    await following.wait();
    // The task of the events needs no read of the store, which would read all messages and artifacts again.
    const { task } = following;
    if (isAtRest(task.status.state)) return trimmed(task, historyLength);
    // The turn answered before its end, and may have ended since.
    const stored = await this.#environment.store.read(scope, first.task.id);
    if (stored !== undefined && isAtRest(stored.task.status.state)) return this.#shown(stored, historyLength);
    // The turn continues, or the task has been deleted.
    return trimmed(task, historyLength);
  }

  /**
   * Accepts a message: returns the agent's reply, or the task of the message. Here and below, functions that seldom wait
   * are not `async`: each async function costs a promise and a turn of the microtask queue for every message.
   */
  #accept(scope: Scope, request: SendMessageRequest, context: CallContext): Promise<Reply | Accepted> {
    checkMessage(request, this.#environment.limits);
    if (this.#options.checkInputModes === false) return this.#takeOnce(scope, request, context);
    const card = this.#host.card(context);
    if (card instanceof Promise) return this.#acceptWith(card, scope, request, context);
    this.#modes.check(request.message, card);
    return this.#takeOnce(scope, request, context);
  }

  async #acceptWith(
    card: Promise<AgentCard>,
    scope: Scope,
    request: SendMessageRequest,
    context: CallContext,
  ): Promise<Reply | Accepted> {
    this.#modes.check(request.message, await card);
    return this.#takeOnce(scope, request, context);
  }

  /** Accepts a message, unless it is a repetition. */
  #takeOnce(scope: Scope, request: SendMessageRequest, context: CallContext): Promise<Reply | Accepted> {
    const { message } = request;
    // Anonymous callers share an owner: a caller that guesses another caller's message id would get its task. Messages
    // to an existing task are safe, because the task id is random.
    if (this.#repeats === undefined || (isNew(message) && isAnonymous(context)))
      return this.#take(scope, request, context);
    return this.#repeats.accept(scope, message, (newTaskId) => this.#take(scope, request, context, newTaskId));
  }

  /** Accepts a message that has not been received before. */
  #take(
    scope: Scope,
    request: SendMessageRequest,
    context: CallContext,
    newTaskId?: string,
  ): Promise<Reply | Accepted> {
    const facts = factsOf(request, context, this.#options);
    const sending = { scope, request, facts, call: context, webhook: undefined, newTaskId };
    const hasWebhook = request.configuration?.taskPushNotificationConfig !== undefined;
    return hasWebhook ? this.#sendWithWebhook(sending, context) : this.#send(sending, context);
  }

  /** Calls `#send`, and counts the message's webhook if it is created. */
  async #sendWithWebhook(sending: Omit<Sending, "bytes">, context: CallContext): Promise<Reply | Accepted> {
    const { scope, request } = sending;
    const account = this.#environment.accounts.of(scope);
    await account.admitWebhook();
    let accepted: Reply | Accepted | undefined;
    try {
      const webhook = await this.#webhook(scope, request, context);
      return (accepted = await this.#send({ ...sending, webhook }, context));
    } finally {
      if (accepted === undefined || "content" in accepted) account.cancelWebhook();
    }
  }

  /** Replies to a message, begins a task, or posts the message to its task. */
  #send(sending: Omit<Sending, "bytes">, context: CallContext): Promise<Reply | Accepted> {
    const isQuiet = this.#options.reply === undefined && this.#environment.audit === undefined;
    return isQuiet ? this.#begin(sending) : this.#replyOrBegin(sending, context);
  }

  async #replyOrBegin(sending: Omit<Sending, "bytes">, context: CallContext): Promise<Reply | Accepted> {
    const { message } = sending.request;
    const replying = isNew(message) ? this.#options.reply?.(incomingOf(message, context, sending.facts)) : undefined;
    const reply: unknown = replying === undefined ? undefined : await replying;
    if (reply !== undefined && reply !== null) return replyOf(reply);
    const accepted = await this.#begin(sending);
    if (this.#environment.audit !== undefined) this.#audit(sending, accepted, context);
    return accepted;
  }

  /** Reports an accepted message, and its webhook, to the audit. */
  #audit({ scope, webhook, request }: Omit<Sending, "bytes">, { first }: Accepted, context: CallContext): void {
    const { audit } = this.#environment;
    const about = { ...scope, taskId: first.task.id, context };
    audit?.({ action: isNew(request.message) ? "task.create" : "task.message", ...about });
    const webhookId = request.configuration?.taskPushNotificationConfig?.id;
    if (webhook !== undefined) audit?.({ action: "webhook.create", ...about, webhookId });
  }

  /** Begins a task, or posts a message to its task, unless this would exceed a limit of the owner. */
  async #begin(message: Omit<Sending, "bytes">): Promise<Accepted> {
    const { accounts, limits } = this.#environment;
    const bytes = sizeOf(message.request.message) + sizeOfCall(message.facts);
    if (bytes > limits.maxTaskBytes) throw tooLarge(limits.maxTaskBytes);
    const sending = { ...message, bytes };
    const account = accounts.of(sending.scope);
    const tasks = isNew(sending.request.message) ? 1 : 0;
    const admission = account.admit(bytes, tasks);
    if (admission !== undefined) await admission;
    try {
      if (tasks === 0) return await this.#engine.goOn(sending);
      const entering = account.pace.enter(bytes);
      const endTurn = entering && (await entering);
      const since = performance.now();
      try {
        return await this.#engine.begin(sending);
      } finally {
        // The message counts twice, because it is written and then returned as part of its task.
        account.pace.leave(2 * bytes, since, endTurn);
      }
    } catch (error) {
      account.cancel(bytes, tasks);
      throw error;
    }
  }

  /** Returns a function that creates the webhook in a request; `undefined` if the request contains no webhook. */
  async #webhook(
    scope: Scope,
    { message, configuration }: SendMessageRequest,
    { version }: CallContext,
  ): Promise<WebhookMaker | undefined> {
    const config = configuration?.taskPushNotificationConfig;
    if (config === undefined) return undefined;
    const { tenant = "" } = config;
    if (tenant !== "" && tenant !== scope.tenant)
      throw invalid(`${configField}.tenant`, "must be the tenant of the request");
    this.#push.sender.start();
    const named = withId(withDefaultId(config, version), message);
    return this.#push.configs.ofMessage(scope, named, message.taskId, version);
  }

  /** Returns the scope of a call. The first call starts the background work. */
  #scope(context: CallContext): Scope {
    this.#background.start(context);
    const scope = scopeOf(context.user, context.tenant, this.#options.owner);
    checkScope(scope, this.#environment.limits);
    return scope;
  }

  #shown(stored: Pick<Stored, "task" | "generation">, historyLength?: number): Task {
    return shown(stored, this.#environment.facts, historyLength);
  }

  #message({ content, metadata, extensions }: Reply, request: SendMessageRequest, context: CallContext): Message {
    const { newId, responders, report } = this.#environment;
    const { message } = request;
    const contextId = message.contextId === undefined || message.contextId === "" ? newId() : message.contextId;
    const own = agentMessage({ parts: partsOf(content), metadata, extensions }, newId(), { contextId });
    if (responders.length === 0) return own;
    const incoming = incomingOf(message, context, factsOf(request, context, this.#options));
    return stampFor(responders, incoming, report)?.(own) ?? own;
  }
}

/** Returns whether a message begins a task. */
function isNew({ taskId }: Message): boolean {
  return taskId === undefined || taskId === "";
}

const configField = "configuration.taskPushNotificationConfig";

/**
 * If a message to an existing task contains a webhook without an id, uses the message id as the webhook id. A caller
 * that repeats the call then does not add the webhook twice.
 */
function withId(config: TaskPushNotificationConfig, { taskId = "", messageId }: Message): TaskPushNotificationConfig {
  const hasId = config.id !== undefined && config.id !== "";
  return hasId || taskId === "" || messageId.length > maxIdLength ? config : { ...config, id: messageId };
}

function factsOf(
  { configuration, metadata }: SendMessageRequest,
  context: CallContext,
  { remember, tracing }: Pick<TaskServiceOptions, "remember" | "tracing">,
): CallFacts {
  const { extensions, version } = context;
  // Turns get the stored form of the user, so that a turn gets the same value if it is resumed or begins in another
  // process.
  const user = rememberedOf(context.user, remember);
  const { acceptedOutputModes = [] } = configuration ?? {};
  const facts = { user, extensions, acceptedOutputModes, metadata, version };
  const trace = tracing?.capture(context);
  return trace === undefined ? facts : { ...facts, trace };
}

function incomingOf(message: Message, context: CallContext, facts: CallFacts): Incoming {
  const { user, extensions, acceptedOutputModes, metadata, version } = facts;
  const activateExtension = (uri: string): void => {
    context.activateExtension(uri);
  };
  const { tenant } = context;
  return { message, user, tenant, extensions, acceptedOutputModes, metadata, version, activateExtension };
}

/** Returns a stream of one event. */
async function* only(event: StreamResponse): AsyncGenerator<StreamResponse, void> {
  yield await Promise.resolve(event);
}
