import type { DiscoveryFacts } from "../protocol/operation.js";
import { Core } from "./core.js";
import type { CoreParts } from "./core-parts.js";
import type { CoreOptions } from "./hooks.js";

/** Options of a service for all of its calls, on any transport. */
export type ServiceOptions<User, Call> = Omit<
  CoreOptions<User, Call>,
  "assumeVersion" | "extensions" | "versions"
>;

/** A service that is ready to be served. Pass it to the handlers of `server/`. */
export class ServedService {
  /** The full name of the service, such as `shop.v1.Orders`. */
  readonly name: string;
  readonly #core: Core;

  constructor(name: string, core: Core) {
    this.name = name;
    this.#core = core;
  }

  /**
   * Returns the core of a service, for the handlers.
   * @internal
   */
  static coreOf(service: ServedService): Core {
    return service.#core;
  }
}

/** Services are not discovered, so no card is read. No request has this path. */
const discovery: DiscoveryFacts = { path: "/", interfaces: {} };

/**
 * Returns a service with the operations that belong to it, among all operations of a protocol.
 * Throws a `TypeError` for invalid options.
 */
export function serveService(
  name: string,
  parts: Omit<CoreParts, "card" | "cardType" | "discovery" | "signatures">,
): ServedService {
  const operations = parts.operations.filter(({ grpc }) => grpc?.startsWith(`/${name}/`));
  return new ServedService(name, new Core({ ...parts, operations, discovery, card: {} }));
}
