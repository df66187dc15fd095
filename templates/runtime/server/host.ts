import { isObject } from "../base/json.js";
import type { CardCaller } from "./context.js";

/** What an agent offers to a service that is made for it. `Card` is the type of its agent card. */
export interface ServiceHost<Card = object> {
  /** Returns the agent card for whoever sent the headers. */
  card(caller: CardCaller): Card | Promise<Card>;
  /** Reports an error that no caller is told about to the agent's `onError`. Never throws. */
  readonly report: (error: unknown) => void;
}

/** Makes a service for the agent that it is given to. */
export type ServiceFactory<Service, Card = object> = (host: ServiceHost<Card>) => Service;

/** Returns a service, made for a host where it is a factory. Throws a `TypeError` for what is none. */
export function serviceFor(service: object | ServiceFactory<object>, host: ServiceHost): object {
  const made: unknown = typeof service === "function" ? Reflect.apply(service, undefined, [host]) : service;
  if (isObject(made)) return made;
  throw new TypeError(`service is ${String(made)}: pass an object with methods, or a function that returns one`);
}
