import { jsonRpcTransport } from "../../../generated/1.0/client/jsonrpc.js";
import { protocol } from "../../../generated/1.0/operations.js";
import {
  openClient,
  probeInterfaces,
  readCard,
  recorded,
  signatureStatus,
  versions,
  type A2AClient,
  type CardReport,
  type ClientSettings,
  type Exchange,
  type Fetch,
  type ListedInterface,
  type ProbeResult,
  type PublicKey,
  type Recorder,
  type SignatureStatus,
  type TransportFactory,
} from "../../agents/index.js";
import {
  ConversationLog,
  type Conversation,
  type ConversationAgent,
} from "../../agents/conversation/index.js";
import { grpcUrl, type Command } from "./command.js";
import { Credentials, schemesOf, type Scheme } from "./credentials.js";
import type { Link } from "./link.js";
import { problemOf, type Called, type Problem } from "./problems.js";
import { Signal } from "./signal.js";

/** Progress of opening an agent. */
export interface Opening {
  readonly state: "none" | "loading" | "open" | "failed";
  /** The step of the page, while it waits. */
  readonly message?: string;
  /** The reason if the agent could not be opened. */
  readonly problem?: Problem;
}

/** A file that the page has loaded. */
export interface Download {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Size of the largest file that the page loads, in bytes. */
const maxDownload = 2 ** 25;

/** The agent on the page: its card, its interfaces, the credentials, and the calls so far. */
export class Session {
  readonly command: Command;
  readonly opening = new Signal<Opening>({ state: "none" });
  readonly report = new Signal<CardReport | undefined>(undefined);
  readonly signatures = new Signal<SignatureStatus | undefined>(undefined);
  readonly probes = new Signal<ReadonlyMap<ListedInterface, ProbeResult>>(new Map());
  readonly selected = new Signal<ListedInterface | undefined>(undefined);
  readonly credentials = new Credentials();
  /** Changes whenever an exchange changes. */
  readonly changed = new Signal<Exchange | undefined>(undefined);
  /** Changes when the conversation has another number of messages. */
  readonly conversationChanged = new Signal<undefined>(undefined);
  /** The conversation in the chat. */
  log = this.#newLog();
  /** The conversation before the current one. */
  previous: Conversation | undefined;
  readonly #recorder: Recorder;
  /** The agent of the latest call. */
  #called: ConversationAgent | undefined;
  #url = "";
  #schemes: readonly Scheme[] = [];

  constructor(command: Command) {
    this.command = command;
    this.#recorder = recorded((url, init) => command.fetch(url, init), {
      onChange: (exchange) => this.changed.set(exchange),
    });
  }

  /** The recorded calls. */
  get exchanges(): readonly Exchange[] {
    return this.#recorder.exchanges;
  }

  /** The URL that the user has entered. */
  get url(): string {
    return this.#url;
  }

  /** The schemes of the card. */
  get schemes(): readonly Scheme[] {
    return this.#schemes;
  }

  /** Names of headers and query parameters that contain credentials. */
  get secrets(): readonly string[] {
    return [...this.#schemes.map(({ parameter }) => parameter), ...this.credentials.headerNames];
  }

  /**
   * Reads the card of an agent, and calls its interfaces. Selects the interface named in the link,
   * or the first supported interface.
   */
  async open(url: string, link: Pick<Link, "interface"> = { interface: "" }): Promise<void> {
    this.opening.set({ state: "loading", message: `Reading the card of ${url}` });
    try {
      if (this.#url !== url) this.#schemes = [];
      this.#url = url;
      const { fetch, headers, transports } = this.#settings();
      const report = await readCard(url, { fetch, headers, transports });
      // The user has opened a different agent in the meantime.
      if (this.#url !== url) return;
      this.#schemes = schemesOf(report.raw);
      this.probes.set(new Map());
      this.report.set(report);
      this.select(findInterface(report.interfaces, link.interface));
      this.opening.set({ state: "open" });
      void signatureStatus(report.raw).then((status) => this.#setSignatures(report, status));
      this.probe(report);
    } catch (error) {
      if (this.#url !== url) return;
      this.opening.set({ state: "failed", problem: this.problemOf(error, { isCard: true }) });
    }
  }

  /** Returns what has happened in a call, and what the user can do. */
  problemOf(error: unknown, called: Called = {}): Problem {
    return problemOf(error, { hasCredentials: this.credentials.areSet, ...called });
  }

  /**
   * Verifies the signatures of the card with keys that the user trusts: a JWK, a JWK set, or the
   * URL of a set.
   */
  async verify(trusted: string): Promise<void> {
    const report = this.report.value;
    const raw = report?.raw;
    const { fetch } = this.#recorder;
    try {
      const keys = trusted.startsWith("{") ? { keys: keysOf(trusted) } : { urls: [trusted], fetch };
      this.#setSignatures(report, await signatureStatus(raw, keys));
    } catch (error) {
      const known = await signatureStatus(raw);
      const detail = this.problemOf(error).headline;
      this.#setSignatures(report, { ...known, state: "invalid", detail });
    }
  }

  /** The user may have opened a different agent during the check. */
  #setSignatures(report: CardReport | undefined, status: SignatureStatus): void {
    if (this.report.value === report) this.signatures.set(status);
  }

  /** Calls every interface whose origin does not require a confirmation by the user. */
  probe(report: CardReport): void {
    // Do not record these calls, because the list only contains the user's calls.
    const fetch: Fetch = (url, init) => this.command.fetch(url, init, { isQuiet: true });
    void probeInterfaces(report, this.#settings(fetch), (result, index) => {
      const target = report.interfaces[index];
      if (target !== undefined && this.report.value === report)
        this.probes.set(new Map(this.probes.value).set(target, result));
    });
  }

  select(target: ListedInterface | undefined): void {
    this.selected.set(target);
  }

  /** Returns a client for the selected interface, with the current credentials. */
  client(validate?: boolean): A2AClient {
    this.#called = this.agent;
    return this.#open({ validate, interceptors: [this.log.interceptor] });
  }

  /** Returns a client whose calls do not belong to the conversation. */
  unrecordedClient(): A2AClient {
    return this.#open({});
  }

  /** The agent and the selected interface, as conversations contain them. */
  get agent(): ConversationAgent {
    const { binding = "", version = "" } = this.selected.value ?? {};
    const name = this.report.value?.card?.name ?? "";
    return { url: withScheme(this.#url), name, binding, version };
  }

  /**
   * Returns the conversation in the chat.
   * @throws {ConversationError} if it is too long
   */
  conversation(): Conversation {
    return this.log.conversation(this.#called ?? this.agent);
  }

  /** Ends the conversation in the chat. */
  endConversation(): void {
    try {
      if (this.log.length > 0) this.previous = this.conversation();
    } catch {
      // It is too long.
      this.previous = undefined;
    }
    // Calls that have not ended yet keep the log of their conversation.
    this.log = this.#newLog();
    this.conversationChanged.set(undefined);
  }

  #newLog(): ConversationLog {
    return new ConversationLog(() => this.conversationChanged.set(undefined));
  }

  #open(settings: Pick<ClientSettings, "interceptors" | "validate">): A2AClient {
    const target = this.selected.value;
    if (target === undefined)
      throw new Error("The agent has no interface that the inspector can call");
    return openClient(target, { ...this.#settings(), ...settings }, this.report.value?.card);
  }

  /** Loads a file that an agent links to. The request has no credentials. */
  async download(url: string): Promise<Download> {
    const response = await this.#recorder.fetch(url, { method: "GET" });
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxDownload)
        throw new Error(`The file is larger than ${maxDownload / 2 ** 20} MiB`);
      chunks.push(chunk);
    }
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
    return { bytes, type: response.headers.get("content-type")?.split(";")[0] ?? "" };
  }

  #settings(send: Fetch = this.#recorder.fetch): ClientSettings {
    const query = this.credentials.queryFor(this.#schemes);
    const origin = withScheme(this.#url);
    const fetch: Fetch = (url, init) =>
      send(isSameOrigin(url, origin) ? withQuery(url, query) : url, init);
    return {
      fetch,
      headers: this.credentials.headersFor(this.#schemes),
      transports: this.#transports(fetch),
      ...(!this.credentials.everywhere.value && { trustedOrigins: [origin] }),
    };
  }

  /**
   * Returns factories for gRPC transports. A page cannot send gRPC calls, so the command converts
   * JSON-RPC to gRPC.
   */
  #transports(fetch: Fetch): TransportFactory[] {
    if (!this.command.config.grpc) return [];
    const factoryFor = (version?: string): TransportFactory => ({
      binding: protocol.bindings.grpc,
      ...(version !== undefined && { version }),
      open({ url, version: wanted }) {
        const transport = jsonRpcTransport(grpcUrl(url, version ?? protocol.version), { fetch });
        return {
          ...transport,
          binding: protocol.bindings.grpc,
          ...(version !== undefined && { version: wanted }),
        };
      },
    });
    // A factory without a version is for the current version, which is the first.
    return [undefined, ...versions.slice(1)].map(factoryFor);
  }
}

function keysOf(text: string): readonly PublicKey[] {
  const parsed = JSON.parse(text) as PublicKey & { readonly keys?: readonly PublicKey[] };
  return parsed.keys ?? [parsed];
}

/** Returns the name of an interface in links: its binding and version. */
export function nameOf({ binding, version }: ListedInterface): string {
  return `${binding} ${version}`;
}

function findInterface(all: readonly ListedInterface[], name: string): ListedInterface | undefined {
  return (
    all.find((target) => nameOf(target) === name) ??
    all.find(({ isSupported }) => isSupported) ??
    all[0]
  );
}

/** Returns the URL of an input such as `localhost:4000`. */
export function withScheme(url: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(url)) return url;
  const isLoopback = /^(?:localhost|127\.|\[::1\])/i.test(url);
  return `${isLoopback ? "http" : "https"}://${url}`;
}

function isSameOrigin(url: string, base: string): boolean {
  return URL.canParse(url) && URL.canParse(base) && new URL(url).origin === new URL(base).origin;
}

function withQuery(url: string, query: readonly (readonly [string, string])[]): string {
  if (query.length === 0) return url;
  const result = new URL(url);
  for (const [name, value] of query) result.searchParams.set(name, value);
  return result.href;
}
