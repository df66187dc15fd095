import { withoutHold } from "../timer.js";
import { isAddress, isPublicAddress } from "./address.js";
import type { ConnectLookup, Lookup, NodeAgent, NodeModules, NodeResponse } from "./node-modules.js";
import { PrivateAddressError, type PushRequest, type PushResponse, type PushTransport } from "./push-transport.js";

/** How much of a response is taken in, and for how long, so that its connection can be used again. */
const maxResponseBytes = 16 * 1024;
const responseWithinMs = 1_000;

/** How long a connection is kept that nobody uses. */
const idleMs = 30_000;

/**
 * Returns a transport over the modules of Node. It connects to no address but those that it has checked: the look-up of a
 * name is that of the connection.
 */
export function nodeTransport(modules: NodeModules): PushTransport {
  return new NodeTransport(modules);
}

class NodeTransport implements PushTransport {
  readonly #modules: NodeModules;
  readonly #lookup: ConnectLookup;
  readonly #agents = new Map<string, NodeAgent>();

  constructor(modules: NodeModules) {
    this.#modules = modules;
    this.#lookup = publicLookup(modules.lookup);
  }

  post({ url, headers, body, mayBePrivate, signal }: PushRequest): Promise<PushResponse> {
    // An address is not looked up.
    if (!mayBePrivate && isAddress(url.hostname) && !isPublicAddress(url.hostname))
      return Promise.reject(new PrivateAddressError(url.hostname));
    const { http, https } = this.#modules;
    const module = url.protocol === "https:" ? https : http;
    // A connection that was made unchecked must not serve a URL that needs the check.
    const agent = this.#agent(`${url.protocol}${String(mayBePrivate)}`, module.Agent);
    return new Promise((resolve, reject) => {
      const lookup = mayBePrivate ? {} : { lookup: this.#lookup };
      const request = module.request(url, { method: "POST", headers, agent, signal, ...lookup }, (response) => {
        const retryAfter = response.headers["retry-after"];
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
        });
        skim(response);
      });
      request.on("error", reject);
      // A webhook that would rather speak another protocol ends without a response, and without an error.
      request.on("close", () => {
        reject(new Error("The webhook has not responded"));
      });
      request.end(body);
    });
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent(key: string, Agent: NodeModules["http"]["Agent"]): NodeAgent {
    const agent = this.#agents.get(key) ?? new Agent({ keepAlive: true, timeout: idleMs });
    this.#agents.set(key, agent);
    return agent;
  }
}

/** Lets a short response pass, and breaks a longer one off. */
function skim(response: NodeResponse): void {
  let size = 0;
  const limit = withoutHold(setTimeout(() => response.destroy(), responseWithinMs));
  response.on("data", ({ length }) => {
    size += length;
    if (size > maxResponseBytes) response.destroy();
  });
  response.on("error", () => undefined);
  response.on("close", () => {
    clearTimeout(limit);
  });
}

/** Returns a look-up that fails for a name which leads to any address that is not public. */
function publicLookup(lookup: Lookup): ConnectLookup {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      const first = error === null ? addresses.at(0) : undefined;
      if (error !== null) callback(error, "");
      else if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new PrivateAddressError(name), "");
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
