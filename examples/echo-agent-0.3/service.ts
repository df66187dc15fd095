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
  type DeleteTaskPushNotificationConfigParams,
  type GetTaskPushNotificationConfigInput,
  type ListTaskPushNotificationConfigParams,
  type MessageSendParams,
  type PushNotificationConfig,
  type SendMessageResult,
  type StreamResponse,
  type Task,
  type TaskIdParams,
  type TaskPushNotificationConfig,
  type TaskQueryParams,
} from "../../generated/0.3.0/index.js";
import type { Environment } from "../shared/environment.js";
import type { PushOptions } from "../shared/poster.js";
import { extendedCard } from "./card.js";
import { quickReply, work } from "./echo.js";
import { checkWebhookUrl, invalid, Webhook } from "./push.js";
import { TaskStore, withHistory } from "./store.js";
import { isTerminal, type LiveTask } from "./task.js";

/** Dependencies of the service. */
export interface EchoServiceOptions {
  readonly environment: Environment;
  /** The public card. */
  readonly card: AgentCard;
  /** Whether only authenticated callers may read the extended card. */
  readonly hasUsers: boolean;
  readonly push: PushOptions;
}

/**
 * An agent that echoes messages. The first word of the text selects its behavior:
 *
 * - `message: …` responds with a message instead of a task
 * - `ask …` pauses the task with a question; the next message to the task is echoed
 * - `auth …` pauses the task until the caller has signed in elsewhere; the next message to the task
 *   is echoed
 * - `slow N …` echoes with a delay of N milliseconds before each chunk
 * - `fail …` and `reject …` end the task in these states, with a reason
 *
 * Any other message becomes an artifact: text in up to four chunks, other parts unchanged. A
 * message to a running task waits for its turn. Callers only see the tasks of their user.
 */
export class EchoService implements A2AService {
  readonly #options: EchoServiceOptions;
  readonly #store: TaskStore;

  constructor(options: EchoServiceOptions) {
    this.#options = options;
    this.#store = new TaskStore(options.environment);
  }

  async sendMessage(request: MessageSendParams, context: CallContext): Promise<SendMessageResult> {
    const message = quickReply(request.message, this.#options.environment);
    if (message !== undefined) return message;
    const task = this.#accept(request, context);
    this.#start(task);
    const { blocking = true, historyLength } = request.configuration ?? {};
    const snapshot = blocking ? await task.settled(context.signal) : task.snapshot;
    return withHistory(snapshot, historyLength);
  }

  sendStreamingMessage(
    request: MessageSendParams,
    context: CallContext,
  ): AsyncIterable<StreamResponse> {
    const message = quickReply(request.message, this.#options.environment);
    if (message !== undefined) return streamOf(message);
    const task = this.#accept(request, context);
    const first = withHistory(task.snapshot, request.configuration?.historyLength);
    const stream = streamOf(first, task.updates(context.signal));
    this.#start(task);
    return stream;
  }

  getTask({ id, historyLength }: TaskQueryParams, context: CallContext): Task {
    return withHistory(this.#store.task(ownerOf(context), id).snapshot, historyLength);
  }

  cancelTask({ id }: TaskIdParams, context: CallContext): Task {
    const task = this.#store.task(ownerOf(context), id);
    if (isTerminal(task.state))
      throw new TaskNotCancelableError(undefined, { metadata: { taskId: id } });
    this.#cancel(task);
    return task.snapshot;
  }

  subscribeToTask({ id }: TaskIdParams, context: CallContext): AsyncIterable<StreamResponse> {
    const task = this.#store.task(ownerOf(context), id);
    if (isTerminal(task.state)) throw ended(task);
    return streamOf(task.snapshot, task.updates(context.signal));
  }

  createTaskPushNotificationConfig(
    { taskId, pushNotificationConfig }: TaskPushNotificationConfig,
    context: CallContext,
  ): TaskPushNotificationConfig {
    const task = this.#store.task(ownerOf(context), taskId);
    checkWebhookUrl(pushNotificationConfig.url, "pushNotificationConfig.url", this.#options.push);
    return this.#register(task, pushNotificationConfig, context);
  }

  /**
   * Returns the webhook with the id in the request, or the oldest webhook if the request has no id.
   */
  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigInput,
    context: CallContext,
  ): TaskPushNotificationConfig {
    const webhooks = this.#store.webhooks(ownerOf(context), request.id);
    const configId =
      "pushNotificationConfigId" in request ? request.pushNotificationConfigId : undefined;
    const webhook = configId === undefined ? [...webhooks.values()][0] : webhooks.get(configId);
    if (webhook === undefined) {
      const metadata = { taskId: request.id, ...(configId === undefined ? {} : { configId }) };
      throw new TaskNotFoundError("The task has no such webhook", { metadata });
    }
    return webhook.config;
  }

  listTaskPushNotificationConfigs(
    { id }: ListTaskPushNotificationConfigParams,
    context: CallContext,
  ): TaskPushNotificationConfig[] {
    return [...this.#store.webhooks(ownerOf(context), id).values()].map(({ config }) => config);
  }

  deleteTaskPushNotificationConfig(
    { id, pushNotificationConfigId }: DeleteTaskPushNotificationConfigParams,
    context: CallContext,
  ): void {
    const webhooks = this.#store.webhooks(ownerOf(context), id);
    webhooks.get(pushNotificationConfigId)?.stop();
    webhooks.delete(pushNotificationConfigId);
  }

  getExtendedAgentCard(_request: Record<string, never>, { user }: CallContext): AgentCard {
    const { card, hasUsers } = this.#options;
    if (hasUsers && typeof user !== "string")
      throw new UnauthenticatedError("The extended card is for known callers");
    return extendedCard(card);
  }

  /** Stops all tasks and all deliveries. */
  close(): void {
    for (const webhook of this.#store.allWebhooks()) webhook.stop();
    for (const task of this.#store.allTasks()) if (!isTerminal(task.state)) this.#cancel(task);
  }

  /**
   * Finds or creates the task of a message, and adds the message to its inbox. An invalid request
   * changes nothing.
   */
  #accept(
    { message, configuration = {}, metadata }: MessageSendParams,
    context: CallContext,
  ): LiveTask {
    const { historyLength = 0, pushNotificationConfig: webhook } = configuration;
    if (historyLength < 0) throw invalid("configuration.historyLength", "must not be negative");
    if (webhook !== undefined) this.#checkWebhook(webhook);
    const task = message.taskId
      ? this.#resume(message.taskId, message.contextId, context)
      : this.#store.create(ownerOf(context), message.contextId);
    task.receive({ ...message, taskId: task.id, contextId: task.contextId }, metadata);
    if (webhook !== undefined) this.#register(task, webhook, context);
    return task;
  }

  #resume(taskId: string, contextId: string | undefined, context: CallContext): LiveTask {
    const task = this.#store.task(ownerOf(context), taskId);
    if (contextId !== undefined && contextId !== task.contextId) {
      throw invalid("message.contextId", "must be the one of the task");
    }
    if (isTerminal(task.state)) throw ended(task);
    return task;
  }

  #checkWebhook({ url }: PushNotificationConfig): void {
    const { card, push } = this.#options;
    if (card.capabilities.pushNotifications !== true) throw new PushNotificationNotSupportedError();
    checkWebhookUrl(url, "configuration.pushNotificationConfig.url", push);
  }

  #register(
    task: LiveTask,
    config: PushNotificationConfig,
    context: CallContext,
  ): TaskPushNotificationConfig {
    const { environment, push } = this.#options;
    const id = config.id ?? environment.newId();
    const webhooks = this.#store.webhooks(ownerOf(context), task.id);
    const webhook = new Webhook(
      { taskId: task.id, pushNotificationConfig: { ...config, id } },
      push,
    );
    webhooks.get(id)?.stop();
    webhooks.set(id, webhook);
    return webhook.config;
  }

  /**
   * Starts work on the task, unless it is already running: then the running work finds the message
   * in the inbox.
   */
  #start(task: LiveTask): void {
    if (task.state !== TaskState.Working) void work(task, this.#options.environment);
  }

  #cancel(task: LiveTask): void {
    task.setStatus({
      state: TaskState.Canceled,
      timestamp: this.#options.environment.now().toISOString(),
    });
  }
}

function ownerOf({ user }: CallContext): string {
  return typeof user === "string" ? user : "";
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
