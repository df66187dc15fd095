/**
 * The members of Node modules that the kit uses. They are declared here because projects for
 * browsers do not have Node's types.
 */
export interface NodeModules {
  readonly http: NodeHttp;
  readonly https: NodeHttp;
  /** `Resolver` of `node:dns/promises`. */
  readonly Resolver: new (options: {
    readonly timeout: number;
    readonly tries: number;
  }) => NodeResolver;
}

/** The members of `node:http` and `node:https` that the kit uses. */
export interface NodeHttp {
  readonly Agent: new (options: {
    readonly keepAlive: boolean;
    readonly timeout: number;
  }) => NodeAgent;
  request(
    url: URL,
    options: NodeRequestOptions,
    onResponse: (response: NodeResponse) => void,
  ): NodeRequest;
}

export interface NodeAgent {
  /** Called when a connection becomes idle. Returns whether to keep it. */
  keepSocketAlive(socket: NodeSocket): boolean;
  /** Called when a kept connection is used for the next request. */
  reuseSocket(socket: NodeSocket, request: NodeRequest): void;
  destroy(): void;
}

/** The members of a Node connection that the kit uses. */
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
  on(
    event: "information",
    listener: (head: { readonly rawHeaders: readonly string[] }) => void,
  ): unknown;
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

/** An address of a name. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/**
 * Sends queries to name servers. Each look-up requires a separate instance, because `cancel` ends
 * all queries of an instance.
 */
export interface NodeResolver {
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
  cancel(): void;
}

/** The look-up function of a connection, which is called for all addresses or for one address. */
export type ConnectLookup = (
  name: string,
  options: { readonly all?: boolean | undefined },
  callback: (error: Error | null, found: string | readonly Address[], family?: number) => void,
) => void;

/** The members of `process` that the kit uses, on Node and compatible platforms. */
interface NodeProcess {
  readonly versions?: { readonly node?: string };
  readonly getBuiltinModule?: (name: string) => unknown;
}

/**
 * Returns the modules of Node, or `undefined` on platforms without them. Does not use `import`, so
 * that bundlers for other platforms accept the code.
 * @throws An `Error` if Node is too old.
 */
export function platformModules(): NodeModules | undefined {
  // The platforms document these globals, but a project's types may not declare them.
  const { process, navigator } = globalThis as {
    readonly process?: NodeProcess;
    readonly navigator?: { readonly userAgent?: string };
  };
  // Cloudflare Workers have these modules, but their connections use `fetch` internally.
  if (process?.versions?.node === undefined || navigator?.userAgent === "Cloudflare-Workers")
    return undefined;
  const load = process.getBuiltinModule;
  if (load === undefined)
    throw new Error(
      "Push notifications require Node 20.16 or later, to check the addresses of webhooks",
    );
  const { promises } = load("node:dns") as { readonly promises: Pick<NodeModules, "Resolver"> };
  return {
    http: load("node:http") as NodeHttp,
    https: load("node:https") as NodeHttp,
    Resolver: promises.Resolver,
  };
}
