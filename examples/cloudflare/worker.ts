import {
  durableObjectStore,
  type ObjectStorage,
} from "a2a-codegen-runtime/stores/sqlite";
import {
  createAgent,
  fetchHandler,
  type Agent,
  type AgentCard,
  type AgentOptions,
} from "../../generated/1.0/index.js";
import {
  asleep,
  completed,
  taskService,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";

/** The bindings and variables in wrangler.jsonc. */
interface Env {
  readonly AGENTS: {
    getByName(name: string): { fetch(request: Request): Promise<Response> };
  };
  readonly PUBLIC_URL: string;
  /** The owner of each token. Only for a first try: check the tokens of your issuer instead. */
  readonly TOKENS: Readonly<Record<string, string>>;
}

/** Returns the owner of the token in a header; `undefined` without a valid token. */
function ownerOf({ TOKENS }: Env, header: string | null | undefined): string | undefined {
  return Object.entries(TOKENS).find(([token]) => header === `Bearer ${token}`)?.[1];
}

function agentOf(env: Env, service: AgentOptions["service"]): Agent {
  const card: AgentCard = {
    name: "Reminders",
    description: "Reminds its callers of something after some seconds.",
    version: "1.0.0",
    supportedInterfaces: [
      { url: env.PUBLIC_URL, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [
      { id: "remind", name: "Remind", description: "Such as: 10 tea", tags: ["time"] },
    ],
  };
  const authenticate: AgentOptions["authenticate"] = ({ headers }) =>
    ownerOf(env, headers.get("authorization"));
  return createAgent({ card, authenticate, service });
}

/** The agent of one owner, with a database of its own. */
export class OwnerAgent {
  readonly #service;
  readonly #handle;

  constructor({ storage }: { readonly storage: ObjectStorage }, env: Env) {
    this.#service = taskService({
      store: durableObjectStore(storage),
      *run({ message, woken }) {
        if (woken?.by === "time") return completed(`Time for: ${textOf(message)}`);
        const seconds = parseInt(textOf(message), 10) || 10;
        yield working(`You will be reminded in ${String(seconds)} seconds`);
        return asleep({ until: new Date(Date.now() + seconds * 1_000) });
      },
    });
    this.#handle = fetchHandler(agentOf(env, this.#service));
  }

  fetch(request: Request): Promise<Response> {
    return this.#handle(request);
  }

  /** Called when a task wakes, a webhook is due, or a turn was interrupted. */
  alarm(): Promise<void> {
    return this.#service.workDue();
  }
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const owner = ownerOf(env, request.headers.get("authorization"));
    // Without an owner, the Worker itself responds: with the card, or with a refusal.
    if (owner === undefined) return fetchHandler(agentOf(env, {}))(request);
    return env.AGENTS.getByName(owner).fetch(request);
  },
};
