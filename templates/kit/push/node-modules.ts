/** What is used of the modules of Node, spelled out: projects for browsers have no types of it. */
export interface NodeModules {
  readonly http: NodeHttp;
  readonly https: NodeHttp;
  /** Looks up all addresses of a name, as `lookup` of `node:dns` does. */
  readonly lookup: Lookup;
}

/** What is used of `node:http` and `node:https`. */
export interface NodeHttp {
  readonly Agent: new (options: { readonly keepAlive: boolean; readonly timeout: number }) => NodeAgent;
  request(url: URL, options: NodeRequestOptions, onResponse: (response: NodeResponse) => void): NodeRequest;
}

export interface NodeAgent {
  destroy(): void;
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
  end(body: string): unknown;
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

export type Lookup = (
  name: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: readonly Address[]) => void,
) => void;

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
  const { lookup } = load("node:dns") as Pick<NodeModules, "lookup">;
  return { http: load("node:http") as NodeHttp, https: load("node:https") as NodeHttp, lookup };
}
