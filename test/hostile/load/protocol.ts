/** Report of the agent on request. */
export interface AgentReport {
  /** The heap after garbage was collected, in bytes. */
  readonly heap: number;
  readonly rss: number;
  /** Handles that keep the process alive, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Connections to the HTTP server. */
  readonly connections: number;
  /** Streams that the service has started, and streams whose end it was notified of. */
  readonly opened: number;
  readonly returned: number;
  /** Errors that the agent did not reveal to its callers. */
  readonly faults: readonly string[];
}

/** Messages of the agent to its parent process. */
export type AgentMessage =
  | {
      readonly kind: "ready";
      readonly url: string;
      readonly grpcUrl: string;
      readonly togetherUrl: string;
    }
  | { readonly kind: "report"; readonly report: AgentReport };

/** How a stream goes: so many events, one every so many milliseconds. */
export interface Pace {
  readonly events: number;
  readonly everyMs: number;
}
