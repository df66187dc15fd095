import { invalid } from "../../kit/invalid.js";
import type { ReceiverFacts } from "../../kit/kit-facts.js";
import { type Task, type TaskPushNotificationConfig, TaskState } from "../../kit/model.js";
import { keyHeader, postHeaders, type PushBody } from "../../kit/push/notification.js";
import { fetchTransport, platformTransport } from "../../kit/push/platform-transport.js";
import { checkConfig, shownConfig, withDefaultId } from "../../kit/push/push-configs.js";
import type { PushEvent } from "../../kit/push/push-event.js";
import type { PushOptions } from "../../kit/push/push-options.js";
import type { PushResponse, PushTransport } from "../../kit/push/push-transport.js";
import { busy, readPost, type ReadPostOptions, Refusal } from "../../kit/push/read-post.js";
import { failureFrom } from "../../kit/push/retry.js";
import { fitsHeader } from "../../kit/push/secrets.js";
import { formReader } from "../../kit/push/version-reader.js";
import { maxUrlLength, mayBePrivate, refusalOf } from "../../kit/push/webhook-url.js";
import { isTerminal } from "../../kit/states.js";
import { isObject } from "../../runtime/base/json.js";
import { openScope } from "../../runtime/client/scope.js";
import {
  type HttpPart,
  type HttpRequest,
  type HttpResponse,
  probed,
  splitTarget,
} from "../../runtime/http/server.js";
import type { Operation, ProtocolFacts } from "../../runtime/protocol/operation.js";
import { memberAt, withMember } from "../../runtime/protocol/requirements.js";
import type { CallOptions } from "../../runtime/protocol/transport.js";
import type { ReceivedWebhookForm } from "../../runtime/protocol/webhook-form.js";
import type { CallContext } from "../../runtime/server/context.js";
import type { WebhookForm } from "../../runtime/server/host.js";
import type { Relay } from "./calls.js";
import { type Sealer, sealerFor } from "./seal.js";

/** Options for webhooks that a gateway passes on. */
export interface GatewayPushOptions extends Pick<
  PushOptions,
  "allow" | "allowPrivateAddresses" | "fetch" | "maxParallel" | "transport"
> {
  /**
   * Secret of at least 32 random characters, the same in all processes of the gateway. It encrypts
   * the webhooks of callers in the URLs that the upstream posts to. To replace it, pass the new
   * secret followed by the old secret.
   */
  readonly secret: string | readonly string[];
  /** Time-out for passing on an event, in milliseconds; 8,000 by default. */
  readonly timeoutMs?: number;
  /** Maximum size of an event in bytes; 10 MiB by default. */
  readonly maxBodyBytes?: number;
}

/** Dependencies of a {@link WebhookRelay}. */
export interface RelayParts {
  /** URL of the gateway. */
  readonly url: string;
  readonly protocol: ProtocolFacts;
  readonly receiver: ReceiverFacts;
  /** The keys that lead to the capability for webhooks. */
  readonly capability: readonly string[] | undefined;
  /** Forms of the requests to webhooks in the upstream's other versions. */
  readonly received: readonly (ReceivedWebhookForm | undefined)[];
  /** Returns the form of requests to webhooks in the version of a caller. */
  readonly formOf: (version: string) => WebhookForm | undefined;
  /** Reads a task from the upstream. */
  readonly taskOf: (
    request: { readonly id: string; readonly tenant?: string },
    options: CallOptions,
  ) => Promise<Task>;
  readonly report: (error: unknown) => void;
}

/** The webhook of a caller. */
interface SealedWebhook {
  readonly config: Pick<TaskPushNotificationConfig, "url" | "token" | "authentication">;
  /** Version of the caller. */
  readonly version: string;
  /** How to read the task. Only set if the webhook receives tasks instead of events. */
  readonly reading?: {
    readonly headers: Readonly<Record<string, string>>;
    readonly tenant?: string;
  };
}

/** Path below the gateway at which the upstream posts events. */
const relayPath = "/webhooks/";

/**
 * Passes on webhooks without a store. The upstream posts to a URL of the gateway that contains the
 * caller's webhook in encrypted form. The response to the upstream is the status of the caller's
 * webhook, so that the upstream repeats events that the webhook did not accept.
 */
export class WebhookRelay implements Relay {
  readonly #options: GatewayPushOptions;
  readonly #parts: RelayParts;
  readonly #sealer: Sealer;
  readonly #base: string;
  readonly #reading: ReadPostOptions;
  #transport: PushTransport | undefined;
  #posts = 0;

  constructor(options: GatewayPushOptions, parts: RelayParts) {
    this.#options = options;
    this.#parts = parts;
    this.#base = (parts.url.endsWith("/") ? parts.url.slice(0, -1) : parts.url) + relayPath;
    this.#sealer = sealerFor(options.secret, this.#base);
    const read = formReader(parts.received, parts.receiver);
    this.#reading = { read, maxBodyBytes: options.maxBodyBytes };
  }

  /** Handles the events of the upstream. */
  readonly part: HttpPart = (request, isProbe) => {
    const seal = sealPattern.exec(splitTarget(request.url).path)?.at(1);
    if (seal === undefined || request.method !== "POST") return undefined;
    return isProbe === true ? probed() : this.#respond(seal, request);
  };

  /** Closes all connections to webhooks. */
  close(): void {
    this.#transport?.close?.();
  }

  async request(
    { urls = [] }: Operation,
    request: unknown,
    context: CallContext,
    headers: Readonly<Record<string, string>>,
  ): Promise<unknown> {
    let changed = request;
    for (const path of urls) {
      const holder = path.slice(0, -1);
      const config = memberAt(request, holder);
      if (!isObject(changed) || !isObject(config)) continue;
      const prefix = holder.map((key) => `${key}.`).join("");
      // The request was checked before the service receives it.
      const given = config as unknown as TaskPushNotificationConfig;
      changed = withMember(changed, holder, await this.#sealed(given, prefix, context, headers));
    }
    return changed;
  }

  response({ requires }: Operation, response: unknown): unknown {
    const { capability } = this.#parts;
    const isForWebhooks = String(requires?.capability) === String(capability);
    return isForWebhooks ? this.#shown(response) : response;
  }

  /** Returns a configuration whose URL leads to the gateway and contains the given webhook. */
  async #sealed(
    given: TaskPushNotificationConfig,
    prefix: string,
    { version, tenant }: CallContext,
    headers: Readonly<Record<string, string>>,
  ): Promise<object> {
    const named = withDefaultId(given, version);
    checkConfig(named, prefix, this.#options);
    const { url, token, authentication, ...rest } = named;
    const receivesTasks = this.#parts.formOf(version)?.type === "Task";
    const webhook = {
      config: { url, token, authentication },
      version,
      ...(receivesTasks && { reading: { headers, tenant } }),
    };
    const sealed = this.#base + (await this.#sealer.seal(webhook));
    if (sealed.length > maxUrlLength)
      throw invalid(
        `${prefix}url`,
        "is too long for this gateway, together with the token and the credentials: shorten them",
      );
    return { ...rest, url: sealed };
  }

  /** Replaces the sealed webhooks in a response with the webhooks of the caller. */
  async #shown(response: unknown): Promise<unknown> {
    if (Array.isArray(response)) return Promise.all(response.map((each) => this.#shown(each)));
    if (!isObject(response)) return response;
    const { url } = response;
    if (typeof url !== "string") {
      const entries = Object.entries(response).map(
        async ([key, value]) => [key, await this.#shown(value)] as const,
      );
      return Object.fromEntries(await Promise.all(entries));
    }
    if (!url.startsWith(this.#base)) return response;
    const webhook = await this.#opened(url.slice(this.#base.length));
    return webhook === undefined ? response : { ...response, ...shownConfig(webhook.config) };
  }

  async #opened(seal: string): Promise<SealedWebhook | undefined> {
    // Only the gateway can seal, so every sealed value is a webhook.
    return (await this.#sealer.open(seal)) as SealedWebhook | undefined;
  }

  /** Responds to a post of the upstream. Never rejects. */
  async #respond(seal: string, request: HttpRequest): Promise<HttpResponse> {
    try {
      const webhook = await this.#opened(seal);
      if (webhook === undefined) throw new Refusal(404, "Not Found");
      if (this.#posts >= (this.#options.maxParallel ?? 100))
        throw busy("Too many events are being passed on");
      this.#posts += 1;
      try {
        return await this.#pass(webhook, request);
      } finally {
        this.#posts -= 1;
      }
    } catch (thrown) {
      return (thrown instanceof Refusal ? thrown : this.#refusalFor(thrown)).response;
    }
  }

  /** Passes on the event in a post, and returns the response of the webhook. */
  async #pass(webhook: SealedWebhook, request: HttpRequest): Promise<HttpResponse> {
    const { event } = await readPost(request, this.#reading, this.#parts.receiver);
    const { config } = webhook;
    const refusal = refusalOf(config.url, this.#options);
    if (refusal !== undefined) throw new Refusal(403, `The URL of the webhook ${refusal}`);
    const url = new URL(config.url);
    const key = request.headers.get(keyHeader) ?? "";
    const isUsableKey = key !== "" && key.length <= maxKeyLength && fitsHeader(key);
    const scope = openScope(undefined, this.#options.timeoutMs ?? 8_000);
    try {
      const body = await scope.race(this.#bodyFor(event, webhook, scope.signal));
      const post = {
        url,
        headers: {
          ...postHeaders(config, body, this.#parts.protocol),
          ...(isUsableKey && { [keyHeader]: key }),
        },
        body: body.body,
        mayBePrivate: mayBePrivate(url, this.#options),
        owner: url.hostname,
        signal: scope.signal,
      };
      return passedOn(await scope.race(this.#transportOf().post(post)));
    } finally {
      scope.end();
    }
  }

  /** Returns the body for an event in the version of the caller. */
  async #bodyFor(
    { event, taskId }: PushEvent,
    { version, reading }: SealedWebhook,
    signal: AbortSignal,
  ): Promise<PushBody> {
    const { formOf, protocol, taskOf } = this.#parts;
    const form = formOf(version);
    if (form === undefined)
      return { contentType: protocol.mediaTypes.http, body: JSON.stringify(event), version };
    const { contentType } = form;
    const bodyOf = (value: unknown): PushBody => {
      return { contentType, body: JSON.stringify(form.bodyOf(value)), version };
    };
    if (form.type !== "Task") return bodyOf(event);
    if (event.task !== undefined) return bodyOf(event.task);
    const { headers, tenant } = reading ?? {};
    const task = await taskOf(
      { id: taskId, ...(tenant !== undefined && { tenant }) },
      { signal, headers },
    );
    // The task may have changed since the event.
    const isLater = event.artifactUpdate !== undefined && isTerminal(task.status.state);
    const before = isLater ? { state: TaskState.Working } : task.status;
    return bodyOf({ ...task, status: event.statusUpdate?.status ?? before });
  }

  /** Creates the transport at the first post, because edge platforms restrict earlier work. */
  #transportOf(): PushTransport {
    const { transport, fetch } = this.#options;
    return (this.#transport ??=
      transport ?? (fetch === undefined ? platformTransport() : fetchTransport(fetch)));
  }

  /** Returns the refusal for a failed post. The reason is only reported. */
  #refusalFor(thrown: unknown): Refusal {
    this.#parts.report(thrown);
    const { kind, isSilent } = failureFrom(thrown);
    if (kind === "gone") return new Refusal(410, "The webhook cannot receive this event");
    if (kind === "refused")
      return new Refusal(403, "The webhook has an address that is not public");
    return isSilent === true
      ? new Refusal(504, "The webhook did not respond in time")
      : new Refusal(502, "The webhook cannot be reached");
  }
}

/** Matches the path of a seal, which is longer than any name of the protocol's routes. */
const sealPattern = /^\/webhooks\/([\w-]{40,4000})$/;

/** Maximum length of a key that is passed on. */
const maxKeyLength = 1_024;

/** Returns the response to the upstream for the response of a webhook. */
function passedOn({ status, retryAfter }: PushResponse): HttpResponse {
  if (status >= 200 && status < 300) return { status: 204, headers: {} };
  const isUsable = retryAfter !== undefined && fitsHeader(retryAfter);
  return {
    status: status >= 300 && status < 600 ? status : 502,
    headers: isUsable ? { "retry-after": retryAfter } : {},
  };
}
