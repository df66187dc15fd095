import type { CallContext } from "../../runtime/server/context.js";
import type { ServiceHost } from "../../runtime/server/host.js";
import type {
  AgentCard,
  Message,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from "../model.js";
import type { Sending, TaskEngine } from "../engine/engine.js";
import type { Environment } from "../engine/environment.js";
import type { Accepted } from "../engine/task-creation.js";
import { sizeOf, sizeOfCall } from "../limits/size.js";
import type { TaskServiceOptions } from "../options.js";
import { maxIdLength, type WebhookMaker, withDefaultId } from "../push/push-configs.js";
import type { Push } from "../push/push.js";
import type { CallFacts, Scope } from "../store.js";
import type { Incoming, Reply } from "../turns/turn.js";
import { replyOf } from "../turns/values.js";
import { invalid } from "../invalid.js";
import { InputModes } from "./media-types.js";
import { checkMessage } from "./message-checks.js";
import { tooLarge } from "../refusals.js";
import { Repeats } from "./repeats.js";
import { isAnonymous, rememberedOf } from "./scope.js";

/** Dependencies of {@link MessageAcceptance}. */
export interface AcceptanceParts {
  readonly host: ServiceHost<AgentCard>;
  readonly options: TaskServiceOptions;
  readonly environment: Environment;
  readonly engine: TaskEngine;
  readonly push: Push;
}

/**
 * Accepts callers' messages: checks and counts each message, and passes the message to the engine.
 */
export class MessageAcceptance {
  readonly #host: ServiceHost<AgentCard>;
  readonly #options: TaskServiceOptions;
  readonly #environment: Environment;
  readonly #engine: TaskEngine;
  readonly #push: Push;
  readonly #repeats: Repeats | undefined;
  readonly #modes = new InputModes();

  constructor({ host, options, environment, engine, push }: AcceptanceParts) {
    this.#host = host;
    this.#options = options;
    this.#environment = environment;
    this.#engine = engine;
    this.#push = push;
    this.#repeats = options.deduplicate === true ? new Repeats(environment.store) : undefined;
  }

  /**
   * Accepts a message: returns the agent's reply, or the task of the message. This method, and
   * others in this class that seldom wait, are not `async`: an async function costs a promise and a
   * turn of the microtask queue for every message.
   */
  accept(
    scope: Scope,
    request: SendMessageRequest,
    context: CallContext,
  ): Promise<Reply | Accepted> {
    checkMessage(request, this.#environment.limits);
    if (this.#options.checkInputModes === false) return this.#acceptOnce(scope, request, context);
    const card = this.#host.card(context);
    if (card instanceof Promise) return this.#acceptWith(card, scope, request, context);
    this.#modes.check(request.message, card);
    return this.#acceptOnce(scope, request, context);
  }

  async #acceptWith(
    card: Promise<AgentCard>,
    scope: Scope,
    request: SendMessageRequest,
    context: CallContext,
  ): Promise<Reply | Accepted> {
    this.#modes.check(request.message, await card);
    return this.#acceptOnce(scope, request, context);
  }

  /** Accepts a message, unless it repeats an earlier message. */
  #acceptOnce(
    scope: Scope,
    request: SendMessageRequest,
    context: CallContext,
  ): Promise<Reply | Accepted> {
    const { message } = request;
    // Anonymous callers share an owner: a caller that guesses another caller's message id would get
    // its task. Messages to an existing task are safe, because the task id is random.
    if (this.#repeats === undefined || (isNew(message) && isAnonymous(context)))
      return this.#acceptNew(scope, request, context);
    return this.#repeats.accept(scope, message, (newTaskId) =>
      this.#acceptNew(scope, request, context, newTaskId),
    );
  }

  /** Accepts a message that has not been received before. */
  #acceptNew(
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

  /** Calls `#send`, and counts the webhook of the message if the webhook is created. */
  async #sendWithWebhook(sending: Sending, context: CallContext): Promise<Reply | Accepted> {
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
  #send(sending: Sending, context: CallContext): Promise<Reply | Accepted> {
    const isDirect = this.#options.reply === undefined && this.#environment.audit === undefined;
    return isDirect ? this.#begin(sending) : this.#replyOrBegin(sending, context);
  }

  async #replyOrBegin(sending: Sending, context: CallContext): Promise<Reply | Accepted> {
    const { scope, request, facts } = sending;
    const { message } = request;
    const replying = isNew(message)
      ? this.#options.reply?.(incomingOf(message, scope, context, facts))
      : undefined;
    const reply: unknown = replying === undefined ? undefined : await replying;
    if (reply !== undefined && reply !== null) return replyOf(reply);
    const accepted = await this.#begin(sending);
    if (this.#environment.audit !== undefined) this.#audit(sending, accepted, context);
    return accepted;
  }

  /** Reports an accepted message, and its webhook, to the option `audit`. */
  #audit({ scope, webhook, request }: Sending, { first }: Accepted, context: CallContext): void {
    const { audit } = this.#environment;
    const about = { ...scope, taskId: first.task.id, context };
    audit?.({ action: isNew(request.message) ? "task.create" : "task.message", ...about });
    const webhookId = request.configuration?.taskPushNotificationConfig?.id;
    if (webhook !== undefined) audit?.({ action: "webhook.create", ...about, webhookId });
  }

  /**
   * Begins a task, or posts a message to its task, unless this would exceed a limit of the owner.
   */
  async #begin(sending: Sending): Promise<Accepted> {
    const { accounts, limits } = this.#environment;
    const bytes = sizeOf(sending.request.message) + sizeOfCall(sending.facts);
    if (bytes > limits.maxTaskBytes) throw tooLarge(limits.maxTaskBytes);
    const account = accounts.of(sending.scope);
    const newTasks = isNew(sending.request.message) ? 1 : 0;
    const admission = account.admit(bytes, newTasks);
    if (admission !== undefined) await admission;
    try {
      if (newTasks === 0) return await this.#engine.goOn(sending, bytes);
      const entering = account.pace.enterNew(bytes);
      const endTurn = entering && (await entering);
      const since = performance.now();
      try {
        return await this.#engine.begin(sending, bytes);
      } finally {
        // The message counts twice, because it is written and then returned as part of its task.
        account.pace.leave(2 * bytes, since, endTurn);
      }
    } catch (error) {
      account.cancel(bytes, newTasks);
      throw error;
    }
  }

  /**
   * Returns the maker of the webhook in a request; `undefined` if the request contains no webhook.
   */
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
}

/** Returns whether a message begins a task. */
function isNew({ taskId }: Message): boolean {
  return taskId === undefined || taskId === "";
}

const configField = "configuration.taskPushNotificationConfig";

/**
 * If a message to an existing task contains a webhook without an id, uses the message id as the
 * webhook id. A repeated call then does not add the webhook twice.
 */
function withId(
  config: TaskPushNotificationConfig,
  { taskId = "", messageId }: Message,
): TaskPushNotificationConfig {
  const hasId = config.id !== undefined && config.id !== "";
  if (hasId || taskId === "" || messageId.length > maxIdLength) return config;
  return { ...config, id: messageId };
}

/** Returns the facts about a call that its turn receives. */
export function factsOf(
  { configuration, metadata }: SendMessageRequest,
  context: CallContext,
  { remember, tracing }: Pick<TaskServiceOptions, "remember" | "tracing">,
): CallFacts {
  const { extensions, version } = context;
  // Turns always get the stored form of the user, so that the value is the same if a turn is
  // resumed or begins in another process.
  const user = rememberedOf(context.user, remember);
  const { acceptedOutputModes = [] } = configuration ?? {};
  const facts = { user, extensions, acceptedOutputModes, metadata, version };
  const trace = tracing?.capture(context);
  return trace === undefined ? facts : { ...facts, trace };
}

/** Returns a message with the facts about its call, for the agent's callbacks. */
export function incomingOf(
  message: Message,
  { owner }: Scope,
  context: CallContext,
  facts: CallFacts,
): Incoming {
  const { user, extensions, acceptedOutputModes, metadata, version } = facts;
  const activateExtension = (uri: string): void => {
    context.activateExtension(uri);
  };
  const { tenant } = context;
  return {
    message,
    user,
    owner,
    tenant,
    extensions,
    acceptedOutputModes,
    metadata,
    version,
    activateExtension,
  };
}
