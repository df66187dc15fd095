import { withoutHold } from "../timer.js";
import { isAddress, isPublicAddress } from "./address.js";
import { type Asker, LookUps } from "./look-ups.js";
import type {
  Address,
  ConnectLookup,
  NodeAgent,
  NodeModules,
  NodeRequest,
  NodeResponse,
  NodeSocket,
} from "./node-modules.js";
import { PrivateAddressError, type PushRequest, type PushResponse, type PushTransport } from "./push-transport.js";

/** How much of a response is taken in, and for how long, so that its connection can be used again. */
const maxResponseBytes = 16 * 1024;
const responseWithinMs = 1_000;

/** How many interim responses may come before the response, and how many characters of headers they may have. */
const maxInterim = 8;
const maxInterimLength = 16 * 1024;

/** How long a connection is kept that nobody uses. */
const idleMs = 30_000;

/**
 * Returns a transport over the modules of Node. It connects to no address but those that it has checked: the look-up of a
 * name is that of the connection.
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
    // An address is not looked up.
    if (!mayBePrivate && isAddress(url.hostname) && !isPublicAddress(url.hostname))
      return Promise.reject(new PrivateAddressError(url.hostname));
    const { http, https } = this.#modules;
    const module = url.protocol === "https:" ? https : http;
    // A connection that was made unchecked must not serve a URL that needs the check.
    const agent = this.#agent(`${url.protocol}${String(mayBePrivate)}`, module.Agent);
    return new Promise((resolve, reject) => {
      const lookup = mayBePrivate ? {} : { lookup: publicLookup(this.#lookUps, { owner, signal }) };
      const request = module.request(url, { method: "POST", headers, agent, signal, ...lookup }, (response) => {
        const retryAfter = response.headers["retry-after"];
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
        });
        skim(response);
      });
      request.on("error", reject);
      limitInterim(request);
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
    const agent = this.#agents.get(key) ?? agentOf(Agent);
    this.#agents.set(key, agent);
    return agent;
  }
}

/**
 * Returns an agent that keeps connections for a while, and closes those on which anything comes that no request asked for.
 * Node would read and drop it, however much it is, and would never take such a connection for idle.
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

/**
 * Ends a request that gets too many interim responses: a host could send them forever, and each of them costs the process
 * as much as a response.
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
 * Returns a look-up that fails for a name with any address that is not public. The connection goes to the addresses that
 * were checked: a second look-up could find other ones.
 */
function publicLookup(lookUps: LookUps, asker: Asker): ConnectLookup {
  return (name, options, callback) => {
    const settle = (addresses: readonly Address[]): void => {
      const first = addresses.at(0);
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new PrivateAddressError(name), "");
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    };
    lookUps.find(name, asker).then(settle, (error: unknown) => {
      callback(error instanceof Error ? error : new Error(String(error)), "");
    });
  };
}
