/** Settings of a process of the agent, as its first argument. */
export interface AgentSetting {
  /** The name of an engine, or `memory`. */
  readonly engine: string;
  readonly address: string;
  /** Whether one server serves all transports. */
  readonly isTogether: boolean;
  /** How long a lease lasts; the default of the task service if absent. */
  readonly leaseMs?: number | undefined;
}

/** Addresses of a process of the agent, which it sends at its start. */
export interface AgentAddress {
  readonly url: string;
  /** Host and port of the gRPC server. */
  readonly grpc: string;
}

/** Settings of the process of the database, as its first argument. */
export interface EngineSetting {
  /** The name of an engine. */
  readonly name: string;
}

/** Report of an agent process on request. */
export interface AgentStatistics {
  /**
   * The longest time that its event loop was blocked since it was asked before, in milliseconds.
   */
  readonly blockedMs: number;
  /** Its memory, in MiB. */
  readonly memory: number;
  /** How often each error was reported. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Settings of the attacking process, as its first argument. */
export interface AttackSetting {
  readonly urls: readonly string[];
  /** Hosts and ports of the gRPC servers. */
  readonly grpc: readonly string[];
  readonly seconds: number;
  /**
   * The port at which a server on all addresses of loopback takes connections and never responds.
   */
  readonly silentPort: number;
  /** Names of the attacks to run; all if absent. */
  readonly only?: readonly string[] | undefined;
}

/** Counts of the calls of an attack: by what was called, and by how the agent responded. */
export type AttackCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The name of the header that names the caller. */
export const userHeader = "x-user";

/** Text of a message whose turn works until its task is canceled. */
export const endless = "work until you are canceled";

/**
 * Text of a message whose turn works until another process resumes it, and then completes its task.
 */
export const untilResumed = "work until another process resumes you";

/** Text of a message whose turn writes its parts in 100 updates. */
export const manyUpdates = "write many updates";

/** The version of the protocol that the agent and its callers speak. */
export const version = "1.1";

/** Returns the body of a call. */
export function callOf(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

let count = 0;

/**
 * Returns the parameters of a message with a text, and with other parts in place of it if `more`
 * has them.
 */
export function messageOf(text: string, more: object = {}, configuration: object = {}): object {
  const messageId = `m${String(process.pid)}-${String((count += 1))}`;
  return { message: { messageId, role: "ROLE_USER", parts: [{ text }], ...more }, configuration };
}

/** Headers of a call of a user. */
export function headersOf(user: string): Readonly<Record<string, string>> {
  return { "content-type": "application/json", "a2a-version": version, [userHeader]: user };
}
