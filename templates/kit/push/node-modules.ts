/** What is used of the modules of Node, spelled out: projects for browsers have no types of it. */
export interface NodeModules {
  readonly http: NodeHttp;
  readonly https: NodeHttp;
  /** That of `node:dns/promises`. */
  readonly Resolver: new (options: { readonly timeout: number; readonly tries: number }) => NodeResolver;
}

/** What is used of `node:http` and `node:https`. */
export interface NodeHttp {
  readonly Agent: new (options: { readonly keepAlive: boolean; readonly timeout: number }) => NodeAgent;
  request(url: URL, options: NodeRequestOptions, onResponse: (response: NodeResponse) => void): NodeRequest;
}

export interface NodeAgent {
  /** Is called with a connection that has no request any more. */
  keepSocketAlive(socket: NodeSocket): boolean;
  /** Is called with a connection that was kept, for the next request. */
  reuseSocket(socket: NodeSocket, request: NodeRequest): void;
  destroy(): void;
}

/** Members that the kit uses of a connection of Node. */
export interface NodeSocket {
  on(event: "data", listener: (this: NodeSocket) => void): unknown;
  off(event: "data", listener: (this: NodeSocket) => void): unknown;
  destroy(): unknown;
}

export interface NodeRequestOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: NodeAgent;
  readonly signal: AbortSignal;
  readonly lookup?: ConnectLookup;
}

export interface NodeRequest {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  on(event: "information", listener: (head: { readonly rawHeaders: readonly string[] }) => void): unknown;
  end(body: string): unknown;
  destroy(error: Error): unknown;
}

export interface NodeResponse {
  readonly statusCode?: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  on(event: "data", listener: (chunk: { readonly length: number }) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

/** An address that a name leads to. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Asks name servers. An instance for each look-up, since `cancel` ends all queries of an instance. */
export interface NodeResolver {
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
  cancel(): void;
}

/** As a connection calls it: for all addresses, or for one. */
export type ConnectLookup = (
  name: string,
  options: { readonly all?: boolean | undefined },
  callback: (error: Error | null, found: string | readonly Address[], family?: number) => void,
) => void;

/** What is used of the `process` of Node, and of platforms that have one like it. */
interface NodeProcess {
  readonly versions?: { readonly node?: string };
  readonly getBuiltinModule?: (name: string) => unknown;
}

/**
 * Returns the modules of Node, or `undefined` on a platform without them. Bundlers see no import, so that code for other
 * platforms can be bundled. Throws an `Error` for a Node that is too old.
 */
export function platformModules(): NodeModules | undefined {
  // What these globals are is known from the documents of the platforms, and not to the types of all projects.
  const { process, navigator } = globalThis as {
    readonly process?: NodeProcess;
    readonly navigator?: { readonly userAgent?: string };
  };
  // Workers of Cloudflare have these modules, too, but connect with `fetch` below them.
  if (process?.versions?.node === undefined || navigator?.userAgent === "Cloudflare-Workers") return undefined;
  const load = process.getBuiltinModule;
  if (load === undefined)
    throw new Error("Push notifications need Node 20.16 or later: what a name leads to cannot be checked otherwise");
  const { promises } = load("node:dns") as { readonly promises: Pick<NodeModules, "Resolver"> };
  return {
    http: load("node:http") as NodeHttp,
    https: load("node:https") as NodeHttp,
    Resolver: promises.Resolver,
  };
}
