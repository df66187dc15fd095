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
import {
  ExtendedAgentCardNotConfiguredError,
  UnauthenticatedError,
  UnsupportedOperationError,
} from "../../errors.js";
import type { Background } from "../engine/background.js";
import type { Accepted } from "../engine/task-creation.js";
import type { TaskEngine } from "../engine/engine.js";
import type { Environment } from "../engine/environment.js";
import { agentMessage } from "../log/events.js";
import { applyEntries } from "../log/fold.js";
import { factsOf, incomingOf, MessageAcceptance } from "./acceptance.js";
import { checkScope } from "./message-checks.js";
import { stampFor } from "../extensions/respond.js";
import type { TaskServiceOptions } from "../options.js";
import type { Push } from "../push/push.js";
import { isAnonymous, scopeOf } from "./scope.js";
import { isAtRest, isTerminal } from "../states.js";
import type { Scope, Stored } from "../store.js";
import type { Reply } from "../turns/turn.js";
import { partsOf } from "../turns/updates.js";
import { emptyPage, listTasks, shown, trimmed } from "../engine/views.js";

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
  readonly #options: TaskServiceOptions;
  readonly #environment: Environment;
  readonly #engine: TaskEngine;
  readonly #push: Push;
  readonly #background: Background;
  readonly #acceptance: MessageAcceptance;

  constructor({ host, options, environment, engine, push, background }: TaskOperationsParts) {
    this.#options = options;
    this.#environment = environment;
    this.#engine = engine;
    this.#push = push;
    this.#background = background;
    this.#acceptance = new MessageAcceptance({ host, options, environment, engine, push });
  }

  async sendMessage(
    request: SendMessageRequest,
    context: CallContext,
  ): Promise<SendMessageResponse> {
    const { historyLength, returnImmediately = false } = request.configuration ?? {};
    const scope = this.#scope(context);
    const accepted = await this.#acceptance.accept(scope, request, context);
    if ("content" in accepted) return { message: this.#message(accepted, request, scope, context) };
    const { first, entries, result, watch } = accepted;
    const waits = !returnImmediately || this.#options.backgroundTurns === false;
    if (watch !== undefined && waits)
      return { task: await this.#outcome(accepted, context, historyLength) };
    watch?.close();
    const task = result ?? applyEntries(first.task, entries);
    return {
      task: this.#shown(
        { task, generation: entries.at(-1)?.generation ?? first.generation },
        historyLength,
      ),
    };
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
      accepted = await this.#acceptance.accept(scope, request, context);
    } finally {
      if (accepted === undefined || "content" in accepted) account.closeStream();
    }
    if ("content" in accepted)
      return streamOf({ message: this.#message(accepted, request, scope, context) });
    return this.#engine.follow(accepted, {
      account,
      historyLength: request.configuration?.historyLength,
    });
  }

  async getTask(request: GetTaskRequest, context: CallContext): Promise<Task> {
    const scope = this.#scope(context);
    const { id, historyLength } = request;
    const stored = await this.#engine.read(scope, id);
    // Only later versions have this field.
    const { currentGeneration } = request as GetTaskRequest & {
      readonly currentGeneration?: string;
    };
    if (currentGeneration === undefined || stored.generation > Number(currentGeneration))
      return this.#shown(stored, historyLength);
    await this.#engine.change(scope, stored, context.signal);
    return this.#shown(await this.#engine.read(scope, id), historyLength);
  }

  async listTasks(request: ListTasksRequest, context: CallContext): Promise<ListTasksResponse> {
    const scope = this.#scope(context);
    // Anonymous callers do not know each other, but share an owner. Context ids are random, so a
    // caller can only know the id of a context in which it has taken part.
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

  async subscribeToTask(
    { id }: SubscribeToTaskRequest,
    context: CallContext,
  ): Promise<AsyncIterable<StreamResponse>> {
    const scope = this.#scope(context);
    const stored = await this.#engine.read(scope, id);
    const { state } = stored.task.status;
    if (!isTerminal(state)) {
      const account = this.#environment.accounts.of(scope);
      account.openStream();
      return this.#engine.subscribe(scope, stored, account);
    }
    throw new UnsupportedOperationError(`The task has ended: ${state}`, {
      metadata: { taskId: id },
    });
  }

  async getExtendedAgentCard(
    _: GetExtendedAgentCardRequest,
    context: CallContext,
  ): Promise<AgentCard> {
    const options = this.#options;
    if (options.extendedCard === undefined) throw new ExtendedAgentCardNotConfiguredError();
    if (isAnonymous(context))
      throw new UnauthenticatedError("The extended agent card requires authentication");
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

  /**
   * Waits for the result of a message, and returns the task in the form that its caller requested.
   */
  async #outcome(
    accepted: Accepted,
    { signal }: CallContext,
    historyLength: number | undefined,
  ): Promise<Task> {
    const { scope, first } = accepted;
    const following = this.#engine.follow(accepted, { keeps: true }).endWith(signal);
    await following.wait();
    // Read the task again, because its events do not contain messages that no turn had taken when
    // the task ended.
    const stored = await this.#environment.store.read(scope, first.task.id);
    if (stored !== undefined && isAtRest(stored.task.status.state))
      return this.#shown(stored, historyLength);
    // The task has been deleted or has continued, but the caller must see the state in which the
    // task ended or paused.
    return trimmed(following.task, historyLength);
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

  #message(
    { content, metadata, extensions }: Reply,
    request: SendMessageRequest,
    scope: Scope,
    context: CallContext,
  ): Message {
    const { newId, responders, report } = this.#environment;
    const { message } = request;
    const contextId =
      message.contextId === undefined || message.contextId === "" ? newId() : message.contextId;
    const own = agentMessage({ parts: partsOf(content), metadata, extensions }, newId(), {
      contextId,
    });
    if (responders.length === 0) return own;
    const facts = factsOf(request, context, this.#options);
    const incoming = incomingOf(message, scope, context, facts);
    return stampFor(responders, incoming, report)?.(own) ?? own;
  }
}

/** Returns a stream of one event. */
async function* streamOf(event: StreamResponse): AsyncGenerator<StreamResponse, void> {
  yield await Promise.resolve(event);
}
