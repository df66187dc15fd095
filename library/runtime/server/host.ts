import { isObject } from "../base/json.js";
import type { CardCaller } from "./context.js";
import type { ServerExtension } from "./extension.js";

/** Ids of the object that an error is about, by name. */
export type ErrorSubject = Readonly<Record<string, string>>;

/** Functions of an agent that its service may use. `Card` is the type of its agent card. */
export interface ServiceHost<Card = object> {
  /** Returns the agent card for the caller with these headers. */
  card(caller: CardCaller): Card | Promise<Card>;
  /**
   * Passes an error that callers do not see, and the ids of its subject, to the agent's `onError`.
   * Never throws.
   */
  readonly report: (error: unknown, subject?: ErrorSubject) => void;
  /** The extensions of the agent; absent if the agent has no extensions. */
  readonly extensions?: readonly ServerExtension[];
  /**
   * Returns the form of requests to webhooks for callers of another version; `undefined` for the
   * agent's version.
   */
  webhookForm(version: string): WebhookForm | undefined;
}

/** Form of the requests to webhooks in a version other than the agent's. */
export interface WebhookForm {
  /** The type in the agent's version from which the body is created. */
  readonly type: string;
  readonly contentType: string;
  /**
   * Returns the body for a value of that type. Throws a `ValidationError` for values that the
   * version does not have.
   */
  readonly bodyOf: (value: unknown) => unknown;
}

/** Function that creates a service for an agent. */
export type ServiceFactory<Service, Card = object> = (host: ServiceHost<Card>) => Service;

/**
 * Returns the service, or the result of a service factory. Throws a `TypeError` if it is not an
 * object.
 */
export function serviceFor(service: object | ServiceFactory<object>, host: ServiceHost): object {
  const made: unknown =
    typeof service === "function" ? Reflect.apply(service, undefined, [host]) : service;
  if (isObject(made)) return made;
  throw new TypeError(
    `service must be an object with methods, or a function that returns it, got ${String(made)}`,
  );
}
