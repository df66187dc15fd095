import { withoutHold } from "../timer.js";
import { isAddress, isPublicAddress } from "../../runtime/base/address.js";
import { type LookUpCaller, LookUps } from "./look-ups.js";
import type {
  Address,
  ConnectLookup,
  NodeAgent,
  NodeModules,
  NodeRequest,
  NodeResponse,
  NodeSocket,
} from "./node-modules.js";
import {
  PrivateAddressError,
  type PushRequest,
  type PushResponse,
  type PushTransport,
} from "./push-transport.js";

/**
 * Maximum size of a response to read, and maximum time for reading the response. A response must be
 * read before its connection can be reused.
 */
const maxResponseBytes = 16 * 1024;
const responseWithinMs = 1_000;

/** Maximum number of interim responses, and maximum length of their headers in characters. */
const maxInterim = 8;
const maxInterimLength = 16 * 1024;

/** Time in milliseconds after which an unused connection is closed. */
const idleMs = 30_000;

/**
 * Returns a transport that uses Node's built-in modules. The transport only connects to addresses
 * that it has checked, because the check and the connection share one look-up of the name.
 */
export function nodeTransport(modules: NodeModules, maxLookups = 16): PushTransport {
  return new NodeTransport(modules, maxLookups);
}

class NodeTransport implements PushTransport {
  readonly #modules: NodeModules;
  readonly #lookUps: LookUps;
  readonly #agents = new Map<string, NodeAgent>();

  constructor(modules: NodeModules, maxLookups: number) {
    this.#modules = modules;
    this.#lookUps = new LookUps(modules.Resolver, maxLookups);
  }

  post({ url, headers, body, mayBePrivate, owner, signal }: PushRequest): Promise<PushResponse> {
    // Connections do not look up a literal address, so check it here.
    if (!mayBePrivate && isAddress(url.hostname) && !isPublicAddress(url.hostname))
      return Promise.reject(new PrivateAddressError(url.hostname));
    const { http, https } = this.#modules;
    const module = url.protocol === "https:" ? https : http;
    // Use separate agents, because a connection that was made without the check must not be reused
    // for a URL that requires the check.
    const agent = this.#agent(`${url.protocol}${String(mayBePrivate)}`, module.Agent);
    return new Promise((resolve, reject) => {
      const lookup = mayBePrivate ? {} : { lookup: publicLookup(this.#lookUps, { owner, signal }) };
      const request = module.request(
        url,
        { method: "POST", headers, agent, signal, ...lookup },
        (response) => {
          const retryAfter = response.headers["retry-after"];
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
          });
          skim(response);
        },
      );
      request.on("error", reject);
      limitInterim(request);
      // If a webhook switches to another protocol, the request closes without a response and
      // without an error.
      request.on("close", () => {
        reject(new Error("The webhook closed the connection without a response"));
      });
      request.end(body);
    });
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent(key: string, Agent: NodeModules["http"]["Agent"]): NodeAgent {
    const agent = this.#agents.get(key) ?? agentOf(Agent);
    this.#agents.set(key, agent);
    return agent;
  }
}

/**
 * Returns an agent that keeps idle connections for a while, and closes them if they receive
 * unrequested data. Otherwise, Node would read and drop such data without a limit, and would never
 * treat the connection as idle.
 */
function agentOf(Agent: NodeModules["http"]["Agent"]): NodeAgent {
  class QuietAgent extends Agent {
    override keepSocketAlive(socket: NodeSocket): boolean {
      socket.on("data", end);
      return super.keepSocketAlive(socket);
    }

    override reuseSocket(socket: NodeSocket, request: NodeRequest): void {
      socket.off("data", end);
      super.reuseSocket(socket, request);
    }
  }
  return new QuietAgent({ keepAlive: true, timeout: idleMs });
}

function end(this: NodeSocket): void {
  this.destroy();
}

/** Reads a short response to its end, and aborts a long response. */
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

/**
 * Aborts a request that receives too many interim responses. A malicious host could send interim
 * responses forever, and processing each of them costs as much as processing a response.
 */
function limitInterim(request: NodeRequest): void {
  let [count, length] = [0, 0];
  request.on("information", ({ rawHeaders }) => {
    count += 1;
    for (const text of rawHeaders) length += text.length;
    if (count > maxInterim || length > maxInterimLength)
      request.destroy(new Error("The webhook sent too many interim responses"));
  });
}

/**
 * Returns a look-up that fails if any address of the name is not public. The connection uses the
 * checked addresses, because a second look-up could return different addresses (DNS rebinding).
 */
function publicLookup(lookUps: LookUps, caller: LookUpCaller): ConnectLookup {
  return (name, options, callback) => {
    const settle = (addresses: readonly Address[]): void => {
      const first = addresses.at(0);
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new PrivateAddressError(name), "");
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    };
    lookUps.find(name, caller).then(settle, (error: unknown) => {
      callback(error instanceof Error ? error : new Error(String(error)), "");
    });
  };
}
