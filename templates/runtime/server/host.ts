import { isObject } from "../base/json.js";
import type { CardCaller } from "./context.js";

/** What an agent offers to a service that is made for it. `Card` is the type of its agent card. */
export interface ServiceHost<Card = object> {
  /** Returns the agent card for whoever sent the headers. */
  card(caller: CardCaller): Card | Promise<Card>;
  /** Reports an error that no caller is told about to the agent's `onError`. Never throws. */
  readonly report: (error: unknown) => void;
  /** Returns what webhooks get that a caller of another version has registered; `undefined` for one of the agent's. */
  webhookForm(version: string): WebhookForm | undefined;
}

/** What a version other than the agent's posts to webhooks. */
export interface WebhookForm {
  /** The type of the agent's version that the body follows from. */
  readonly type: string;
  readonly contentType: string;
  /** Returns the body for a value of that type. Throws a `ValidationError` for what the version does not have. */
  readonly bodyOf: (value: unknown) => unknown;
}

/** Makes a service for the agent that it is given to. */
export type ServiceFactory<Service, Card = object> = (host: ServiceHost<Card>) => Service;

/** Returns a service, made for a host where it is a factory. Throws a `TypeError` for what is none. */
export function serviceFor(service: object | ServiceFactory<object>, host: ServiceHost): object {
  const made: unknown = typeof service === "function" ? Reflect.apply(service, undefined, [host]) : service;
  if (isObject(made)) return made;
  throw new TypeError(`service is ${String(made)}: pass an object with methods, or a function that returns one`);
}
