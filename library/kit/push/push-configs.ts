import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  TaskPushNotificationConfig,
} from "../model.js";
import { TaskNotFoundError, UnsupportedOperationError } from "../../errors.js";
import { isSameWebhook } from "../memory/same-webhook.js";
import type { Scope, TaskStore, Webhook } from "../store.js";
import { invalid } from "../invalid.js";
import type { PushOptions } from "./push-options.js";
import { fitsHeader } from "./secrets.js";
import { refusalOf, type WebhookRules } from "./webhook-url.js";

/** Dependencies of {@link PushConfigs}. */
export interface PushConfigsParts {
  readonly store: Pick<TaskStore, "read" | "putWebhook" | "webhooks" | "deleteWebhook">;
  readonly options?: PushOptions | undefined;
  readonly newId: () => string;
}

/** The webhook in a message, before the task of the message is known. */
export interface WebhookMaker {
  /** Returns the webhook for a new task. */
  make(taskId: string, generation: number): Webhook;
  /**
   * Adds the webhook to a task. Returns a function that undoes the addition.
   * @throws An `UnsupportedOperationError` if the task has too many webhooks, or a
   *   `TaskNotFoundError` if it does not exist.
   */
  add(taskId: string): Promise<() => Promise<unknown>>;
}

/** All webhooks of a task, or a page of its webhooks. */
export interface WebhookPage {
  configs: TaskPushNotificationConfig[];
  nextPageToken?: string;
}

/** Maximum length of webhook ids and scheme names, and maximum length of credentials and tokens. */
export const maxIdLength = 256;
const maxSecretLength = 4_096;

/**
 * Implements the operations for webhooks. Credentials are write-only: responses contain only the
 * scheme of `authentication`.
 */
export class PushConfigs {
  readonly #store: PushConfigsParts["store"];
  readonly #options: PushOptions & { readonly maxWebhooks: number };
  readonly #newId: () => string;

  constructor({ store, options = {}, newId }: PushConfigsParts) {
    this.#store = store;
    const { maxWebhooks = 10 } = options;
    this.#options = { ...options, maxWebhooks };
    this.#newId = newId;
  }

  /**
   * Adds a webhook to a task, or replaces the webhook with its id. The task may already have ended.
   * The webhook receives later events, in the caller's version.
   * @throws An `InvalidParamsError` if the configuration is invalid or its URL is not allowed, a
   *   `TaskNotFoundError` if the task does not exist, or an `UnsupportedOperationError` if it has
   *   too many webhooks.
   */
  async create(
    scope: Scope,
    given: TaskPushNotificationConfig,
    version: string,
  ): Promise<TaskPushNotificationConfig> {
    const config = withDefaultId(given, version);
    const { taskId = "" } = config;
    if (taskId === "") throw invalid("taskId", "is required");
    checkConfig(config, "", this.#options);
    const stored = await this.#store.read(scope, taskId);
    if (stored === undefined) throw notFound(taskId);
    const webhook = this.#webhook(scope, config, taskId, stored.generation, version);
    await this.#put(scope, webhook);
    return shownConfig(webhook.config);
  }

  /**
   * Returns a webhook. If the request contains no id, returns the first webhook, because some
   * versions do not require an id.
   * @throws A `TaskNotFoundError` if the task or the webhook does not exist.
   */
  async get(
    scope: Scope,
    { taskId, id }: GetTaskPushNotificationConfigRequest,
  ): Promise<TaskPushNotificationConfig> {
    const webhooks = await this.#webhooks(scope, taskId);
    const webhook = id === "" ? webhooks.at(0) : webhooks.find((known) => known.id === id);
    if (webhook === undefined) throw notFound(taskId, id);
    return shownConfig(webhook.config);
  }

  /**
   * Returns the webhooks of a task, or a page of its webhooks, sorted by id.
   * @throws A `TaskNotFoundError` if the task does not exist.
   */
  async list(
    scope: Scope,
    { taskId, pageSize = 0, pageToken = "" }: ListTaskPushNotificationConfigsRequest,
  ): Promise<WebhookPage> {
    if (pageSize < 0) throw invalid("pageSize", "must be at least 0");
    const webhooks = (await this.#webhooks(scope, taskId)).filter(({ id }) => id > pageToken);
    const page = pageSize === 0 ? webhooks : webhooks.slice(0, pageSize);
    const configs = page.map(({ config }) => shownConfig(config));
    const last = page.length < webhooks.length ? page.at(-1) : undefined;
    return last === undefined ? { configs } : { configs, nextPageToken: last.id };
  }

  /**
   * Removes a webhook, if it exists.
   * @throws A `TaskNotFoundError` if the task does not exist.
   */
  async delete(
    scope: Scope,
    { taskId, id }: DeleteTaskPushNotificationConfigRequest,
  ): Promise<Record<string, never>> {
    if (!(await this.#store.deleteWebhook(scope, taskId, id))) throw notFound(taskId);
    return {};
  }

  /**
   * Checks the webhook in a message to an existing or a new task. Returns an object that creates
   * the webhook.
   * @throws The errors of {@link create}, except the error for a task that does not exist.
   */
  async ofMessage(
    scope: Scope,
    config: TaskPushNotificationConfig,
    taskId: string | undefined,
    version: string,
  ): Promise<WebhookMaker> {
    checkConfig(config, "configuration.taskPushNotificationConfig.", this.#options);
    const isNew = taskId === undefined || taskId === "";
    const before = isNew ? undefined : await this.#checkRoom(scope, taskId, config.id);
    const make = (id: string, generation: number): Webhook =>
      this.#webhook(scope, config, id, generation, version);
    const add = async (id: string): Promise<() => Promise<unknown>> => {
      const stored = await this.#store.read(scope, id);
      if (stored === undefined) throw notFound(id);
      const webhook = make(id, stored.generation);
      await this.#put(scope, webhook);
      return () => this.#takeBack(scope, webhook, before);
    };
    return { make, add };
  }

  /** Undoes the addition of a webhook: removes it, or restores the webhook that it replaced. */
  async #takeBack(scope: Scope, webhook: Webhook, before: Webhook | undefined): Promise<unknown> {
    if (before === undefined) return this.#store.deleteWebhook(scope, webhook.taskId, webhook.id);
    // If the new webhook equals the replaced webhook, no data was lost.
    return isSameWebhook(before, webhook) ? undefined : this.#store.putWebhook(scope, before);
  }

  async #webhooks(scope: Scope, taskId: string): Promise<Webhook[]> {
    const webhooks = await this.#store.webhooks(scope, taskId);
    if (webhooks === undefined) throw notFound(taskId);
    return [...webhooks].sort((first, second) => (first.id < second.id ? -1 : 1));
  }

  /**
   * Adds a webhook to its task. The store checks the limit, because only the store sees concurrent
   * additions.
   */
  async #put(scope: Scope, webhook: Webhook): Promise<void> {
    const outcome = await this.#store.putWebhook(scope, webhook, this.#options.maxWebhooks);
    if (outcome === undefined) throw notFound(webhook.taskId);
    if (outcome === "full") throw this.#tooMany(webhook.taskId);
  }

  #tooMany(taskId: string): UnsupportedOperationError {
    const message =
      `The task has the maximum number of webhooks, ${String(this.#options.maxWebhooks)}: delete ` +
      "one of them";
    return new UnsupportedOperationError(message, { metadata: { taskId } });
  }

  /**
   * Returns the webhook with the given id, if it exists.
   * @throws If the webhook does not exist and the task already has the maximum number of webhooks.
   */
  async #checkRoom(
    scope: Scope,
    taskId: string,
    id: string | undefined,
  ): Promise<Webhook | undefined> {
    const webhooks = (await this.#store.webhooks(scope, taskId)) ?? [];
    const before = webhooks.find((webhook) => webhook.id === id);
    if (before === undefined && webhooks.length >= this.#options.maxWebhooks)
      throw this.#tooMany(taskId);
    return before;
  }

  #webhook(
    { tenant }: Scope,
    given: TaskPushNotificationConfig,
    taskId: string,
    generation: number,
    version: string,
  ): Webhook {
    const id = given.id === undefined || given.id === "" ? this.#newId() : given.id;
    const { url, token, authentication } = given;
    const config: TaskPushNotificationConfig = { taskId, id, url };
    if (token !== undefined) config.token = token;
    if (authentication !== undefined) config.authentication = authentication;
    if (tenant !== "") config.tenant = tenant;
    // Additional members from the caller are not stored.
    return { taskId, id, config, version, after: generation };
  }
}

/**
 * In versions before 1.0, adds a default id to a configuration without an id, because registering
 * another webhook without an id replaces the first. In 1.0, it adds a second webhook.
 */
export function withDefaultId(
  config: TaskPushNotificationConfig,
  version: string,
): TaskPushNotificationConfig {
  const isNamed = config.id !== undefined && config.id !== "";
  return isNamed || !/^0\.\d+$/.test(version) ? config : { ...config, id: "default" };
}

/** Valid scheme of an `Authorization` header. */
const schemePattern = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Checks a configuration.
 * @param prefix Beginning of the field names in errors.
 * @throws An `InvalidParamsError` that names the field that is invalid or not allowed.
 */
export function checkConfig(
  config: TaskPushNotificationConfig,
  prefix: string,
  options: WebhookRules,
): void {
  const { url, id = "", token = "", authentication } = config;
  const refusal = refusalOf(url, options);
  if (refusal !== undefined) throw invalid(`${prefix}url`, refusal);
  if (id.length > maxIdLength)
    throw invalid(`${prefix}id`, `must have at most ${String(maxIdLength)} characters`);
  checkSecret(token, `${prefix}token`);
  if (authentication === undefined) return;
  const { scheme } = authentication;
  if (scheme.length > maxIdLength || !schemePattern.test(scheme))
    throw invalid(`${prefix}authentication.scheme`, "must be a valid scheme, such as Bearer");
  checkSecret(authentication.credentials ?? "", `${prefix}authentication.credentials`);
}

function checkSecret(secret: string, field: string): void {
  if (secret.length > maxSecretLength)
    throw invalid(field, `must have at most ${String(maxSecretLength)} characters`);
  if (!fitsHeader(secret))
    throw invalid(field, "contains characters that are not allowed in a header");
}

/** Returns a configuration without its secrets, in the form that callers receive. */
export function shownConfig(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
  const { authentication } = config;
  return authentication === undefined
    ? config
    : { ...config, authentication: { scheme: authentication.scheme } };
}

function notFound(taskId: string, id?: string): TaskNotFoundError {
  const message = id === undefined ? undefined : "The task has no such webhook";
  return new TaskNotFoundError(message, {
    metadata: { taskId, ...(id !== undefined && { pushNotificationConfigId: id }) },
  });
}
