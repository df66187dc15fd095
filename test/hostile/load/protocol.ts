/** What the agent tells about itself when asked. */
export interface AgentReport {
  /** The heap after garbage was collected, in bytes. */
  readonly heap: number;
  readonly rss: number;
  /** What keeps the process alive, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Connections to the HTTP server. */
  readonly connections: number;
  /** Streams that the service has begun, and those that it has been told the end of. */
  readonly opened: number;
  readonly returned: number;
  /** What the agent did not tell its callers. */
  readonly faults: readonly string[];
}

/** What the agent sends to the process that started it. */
export type AgentMessage =
  | { readonly kind: "ready"; readonly url: string; readonly grpcUrl: string }
  | { readonly kind: "report"; readonly report: AgentReport };

/** How a stream goes: so many events, one every so many milliseconds. */
export interface Pace {
  readonly events: number;
  readonly everyMs: number;
}
