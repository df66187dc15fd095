import { chain, type HttpHandler, type HttpPart } from "../http/server.js";
import type { Core } from "./core.js";
import { type CorsOptions, withCors } from "./cors.js";
import { observed } from "./observer.js";
import { ServedService } from "./served-service.js";

/** One or several services of a server. */
export type Services = ServedService | readonly ServedService[];

/**
 * Returns the cores of services, by the names of the services. Throws a `TypeError` if the
 * list is empty, or a service occurs twice.
 */
export function coresOf(services: Services): ReadonlyMap<string, Core> {
  const cores = new Map<string, Core>();
  const list = services instanceof ServedService ? [services] : services;
  for (const service of list) {
    if (cores.has(service.name))
      throw new TypeError(`The service ${service.name} occurs twice: remove one`);
    cores.set(service.name, ServedService.coreOf(service));
  }
  if (cores.size === 0) throw new TypeError("A server requires at least one service");
  return cores;
}

/** A service of a server. */
export interface Neighbour {
  readonly core: Core;
  readonly name: string;
  /** Options for bindings whose paths do not contain the name of the service. */
  readonly shared: {
    /** The cores of all services of the server, by their names. */
    readonly cores: ReadonlyMap<string, Core>;
    /** Whether requests for unknown paths are passed to the other services. */
    readonly passUnknown: boolean;
  };
}

/** Returns the handlers of a service. A handler is `false` if the user has disabled it. */
export type PartsOf = (service: Neighbour) => (HttpPart | false)[];

/**
 * Returns a handler for all HTTP transports of services. The last service responds to requests for
 * unknown paths. Throws the errors of {@link coresOf} and of `partsOf`.
 */
export function serviceHandler(
  services: Services,
  partsOf: PartsOf,
  cors: CorsOptions | boolean | undefined,
): HttpHandler {
  const cores = coresOf(services);
  const handlers = Array.from(cores, ([name, core], index) => {
    const shared = { cores, passUnknown: index < cores.size - 1 };
    const parts = partsOf({ core, name, shared });
    const served = parts.filter((part) => part !== false).map((part) => withCors(part, core, cors));
    const probe = (request: Parameters<HttpPart>[0]): boolean =>
      served.some((part) => part(request, true) !== undefined);
    return { handle: observed(chain(...served), core), probe };
  });
  const last = handlers.pop();
  return (request) => {
    const found = handlers.find(({ probe }) => probe(request)) ?? last;
    return found?.handle(request) ?? Promise.resolve(undefined);
  };
}
