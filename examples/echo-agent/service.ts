import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  TaskState,
  UnauthenticatedError,
  UnsupportedOperationError,
  type A2AService,
  type AgentCard,
  type CallContext,
  type CancelTaskRequest,
  type DeleteTaskPushNotificationConfigRequest,
  type GetExtendedAgentCardRequest,
  type GetTaskPushNotificationConfigRequest,
  type GetTaskRequest,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksRequest,
  type ListTasksResponse,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  type TaskPushNotificationConfig,
} from "../../generated/1.0/index.js";
import type { Environment } from "../shared/environment.js";
import type { PushOptions } from "../shared/poster.js";
import { extendedCard } from "./card.js";
import { quickReply, work } from "./echo.js";
import { invalid, page } from "./paging.js";
import { checkWebhookUrl, Webhook } from "./push.js";
import { TaskStore, withHistory, withoutArtifacts, type TaskSpace } from "./store.js";
import { isSettled, isTerminal, type LiveTask } from "./task.js";

/** What the service is made of. */
export interface EchoServiceOptions {
  readonly environment: Environment;
  /** The card that everybody may see. */
  readonly card: AgentCard;
  /** Whether the extended card is only for callers who say who they are. */
  readonly hasUsers: boolean;
  readonly push: PushOptions;
}

/**
 * An agent that answers with what it is sent. The first word of the text decides what it does:
 *
 * - `message: …` answers with a message instead of a task
 * - `ask …` pauses the task with a question; the next message to the task is echoed
 * - `auth …` pauses the task until the caller has signed in elsewhere; the next message to the task is echoed
 * - `slow N …` echoes with N milliseconds before each piece
 * - `fail …` and `reject …` end the task in these states, with a reason
 *
 * Everything else becomes an artifact: text in up to four pieces, and parts of any other kind unchanged. A message to a
 * task that is at work waits until its turn comes. Callers see only the tasks of their own tenant and user.
 */
export class EchoService implements A2AService {
  readonly #options: EchoServiceOptions;
  readonly #store: TaskStore;

  constructor(options: EchoServiceOptions) {
    this.#options = options;
    this.#store = new TaskStore(options.environment);
  }

  async sendMessage(request: SendMessageRequest, context: CallContext): Promise<SendMessageResponse> {
    const message = quickReply(request.message, this.#options.environment);
    if (message !== undefined) return { message };
    const task = this.#accept(request, context);
    this.#start(task);
    const { returnImmediately = false, historyLength } = request.configuration ?? {};
    const snapshot = returnImmediately ? task.snapshot : await task.settled(context.signal);
    return { task: withHistory(snapshot, historyLength) };
  }

  sendStreamingMessage(request: SendMessageRequest, context: CallContext): AsyncIterable<StreamResponse> {
    const message = quickReply(request.message, this.#options.environment);
    if (message !== undefined) return streamOf({ message });
    const task = this.#accept(request, context);
    const first = withHistory(task.snapshot, request.configuration?.historyLength);
    const stream = streamOf({ task: first }, task.updates(isSettled, context.signal));
    this.#start(task);
    return stream;
  }

  getTask({ id, historyLength }: GetTaskRequest, context: CallContext): Task {
    return withHistory(this.#space(context).task(id).snapshot, historyLength);
  }

  listTasks(request: ListTasksRequest, context: CallContext): ListTasksResponse {
    const { historyLength, includeArtifacts = false } = request;
    const { tasks, ...paging } = this.#space(context).list(request);
    const shown = tasks.map((task) => withHistory(task, historyLength));
    return { ...paging, tasks: includeArtifacts ? shown : shown.map(withoutArtifacts) };
  }

  cancelTask({ id }: CancelTaskRequest, context: CallContext): Task {
    const task = this.#space(context).task(id);
    if (isTerminal(task.state)) throw new TaskNotCancelableError(undefined, { metadata: { taskId: id } });
    this.#cancel(task);
    return task.snapshot;
  }

  subscribeToTask({ id }: SubscribeToTaskRequest, context: CallContext): AsyncIterable<StreamResponse> {
    const task = this.#space(context).task(id);
    if (isTerminal(task.state)) throw ended(task);
    return streamOf({ task: task.snapshot }, task.updates(isTerminal, context.signal));
  }

  createTaskPushNotificationConfig(
    request: TaskPushNotificationConfig,
    context: CallContext,
  ): TaskPushNotificationConfig {
    const task = this.#space(context).task(request.taskId ?? "");
    checkWebhookUrl(request.url, "url", this.#options.push);
    return this.#register(task, request, context);
  }

  getTaskPushNotificationConfig(
    { taskId, id }: GetTaskPushNotificationConfigRequest,
    context: CallContext,
  ): TaskPushNotificationConfig {
    const webhook = this.#space(context).webhooks(taskId).get(id);
    if (webhook === undefined) {
      throw new TaskNotFoundError("The task has no such webhook", { metadata: { taskId, configId: id } });
    }
    return webhook.config;
  }

  listTaskPushNotificationConfigs(
    { taskId, pageSize = 0, pageToken = "" }: ListTaskPushNotificationConfigsRequest,
    context: CallContext,
  ): ListTaskPushNotificationConfigsResponse {
    const webhooks = [...this.#space(context).webhooks(taskId)].sort(([a], [b]) => (a < b ? 1 : -1));
    const size = pageSize === 0 ? {} : { pageSize };
    const { items, nextPageToken } = page(webhooks, ([id]) => id, { ...size, pageToken });
    return { configs: items.map(([, { config }]) => config), nextPageToken };
  }

  deleteTaskPushNotificationConfig(
    { taskId, id }: DeleteTaskPushNotificationConfigRequest,
    context: CallContext,
  ): void {
    const webhooks = this.#space(context).webhooks(taskId);
    webhooks.get(id)?.stop();
    webhooks.delete(id);
  }

  getExtendedAgentCard(_request: GetExtendedAgentCardRequest, { user }: CallContext): AgentCard {
    const { card, hasUsers } = this.#options;
    if (hasUsers && user === undefined) throw new UnauthenticatedError("The extended card is for known callers");
    return extendedCard(card);
  }

  /** Ends all work and all deliveries. */
  close(): void {
    for (const webhook of this.#store.webhooks()) webhook.stop();
    for (const task of this.#store.tasks()) if (!isTerminal(task.state)) this.#cancel(task);
  }

  #space({ tenant = "", user }: CallContext): TaskSpace {
    return this.#store.space(JSON.stringify([tenant, typeof user === "string" ? user : ""]));
  }

  /** Finds or makes the task that a message is for, and hands it over. Nothing changes where the request is wrong. */
  #accept({ message, configuration = {}, metadata }: SendMessageRequest, context: CallContext): LiveTask {
    const { taskPushNotificationConfig: webhook } = configuration;
    if (webhook !== undefined) this.#checkWebhook(webhook);
    const task = message.taskId
      ? this.#resume(message.taskId, message.contextId, context)
      : this.#space(context).create(message.contextId);
    task.receive({ ...message, taskId: task.id, contextId: task.contextId }, metadata);
    if (webhook !== undefined) this.#register(task, webhook, context);
    return task;
  }

  #resume(taskId: string, contextId: string | undefined, context: CallContext): LiveTask {
    const task = this.#space(context).task(taskId);
    if (contextId !== undefined && contextId !== task.contextId) {
      throw invalid("message.contextId", "must be the one of the task");
    }
    if (isTerminal(task.state)) throw ended(task);
    return task;
  }

  #checkWebhook({ url }: TaskPushNotificationConfig): void {
    const { card, push } = this.#options;
    if (card.capabilities.pushNotifications !== true) throw new PushNotificationNotSupportedError();
    checkWebhookUrl(url, "configuration.taskPushNotificationConfig.url", push);
  }

  #register(task: LiveTask, config: TaskPushNotificationConfig, context: CallContext): TaskPushNotificationConfig {
    const { environment, push } = this.#options;
    const id = config.id ?? environment.newId();
    const webhooks = this.#space(context).webhooks(task.id);
    const webhook = new Webhook({ ...config, id, taskId: task.id }, push);
    webhooks.get(id)?.stop();
    webhooks.set(id, webhook);
    return webhook.config;
  }

  /** Has the task worked on, unless it is at work already: then the message is found in the inbox. */
  #start(task: LiveTask): void {
    if (task.state !== TaskState.Working) void work(task, this.#options.environment);
  }

  #cancel(task: LiveTask): void {
    task.setStatus({ state: TaskState.Canceled, timestamp: this.#options.environment.now().toISOString() });
  }
}

function ended({ id, state }: LiveTask): UnsupportedOperationError {
  return new UnsupportedOperationError("The task has ended", { metadata: { taskId: id, state } });
}

async function* streamOf(
  first: StreamResponse,
  updates?: AsyncIterable<StreamResponse>,
): AsyncGenerator<StreamResponse, void> {
  yield first;
  if (updates !== undefined) yield* updates;
}
