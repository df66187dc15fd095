import { VersionNotSupportedError } from "../../generated/1.0/errors.js";
import { openClient, type AgentInterface, type ClientSettings } from "./clients.js";
import type { CardReport } from "./card.js";
import { A2AError, TransportError } from "a2a-codegen-runtime/internal/core";

/** Result of a call to one interface. */
export interface ProbeResult {
  readonly target: AgentInterface;
  /**
   * `responds` also if the agent requires credentials; `refuses` if it does not serve the version;
   * `fails` without a response of the protocol; `unsupported` if no client can call it.
   */
  readonly state: "responds" | "refuses" | "fails" | "unsupported";
  /** One line about the result. */
  readonly detail: string;
  /** Time until the response in milliseconds. */
  readonly ms: number;
}

/** Maximum number of interfaces to call, because a hostile card could list thousands. */
const maxProbes = 20;

/**
 * Calls the interfaces of a card, at most the first 20: requests a task that does not exist.
 * Returns the results in the order of the card. `onResult` receives each result as soon as it is
 * known.
 */
export async function probeInterfaces(
  report: CardReport,
  settings: ClientSettings & { readonly signal?: AbortSignal | undefined } = {},
  onResult: (result: ProbeResult, index: number) => void = () => undefined,
): Promise<ProbeResult[]> {
  const targets = report.interfaces.slice(0, maxProbes);
  return Promise.all(
    targets.map(async (target, index) => {
      const result = await probe(target, settings);
      onResult(result, index);
      return result;
    }),
  );
}

async function probe(
  target: AgentInterface & { readonly isSupported: boolean },
  { signal, ...settings }: ClientSettings & { readonly signal?: AbortSignal | undefined },
): Promise<ProbeResult> {
  if (!target.isSupported)
    return {
      target,
      state: "unsupported",
      detail: "no transport for this binding and version",
      ms: 0,
    };
  const client = openClient(target, { timeoutMs: 10_000, ...settings });
  const started = performance.now();
  let outcome: Pick<ProbeResult, "state" | "detail">;
  try {
    await client.getTask({ id: crypto.randomUUID() }, { signal });
    outcome = { state: "responds", detail: "returned a task for a random id" };
  } catch (error) {
    outcome = outcomeOf(error);
  } finally {
    client.close();
  }
  return { target, ...outcome, ms: Math.round(performance.now() - started) };
}

function outcomeOf(error: unknown): Pick<ProbeResult, "state" | "detail"> {
  if (!(error instanceof A2AError)) return { state: "fails", detail: detailOf(error) };
  // Versions before 1.0 do not define this error, so their clients only recognize its code.
  const isRefused =
    error.reason === "METHOD_NOT_FOUND" ||
    error.jsonRpcCode === VersionNotSupportedError.row.jsonRpc;
  if (isRefused) return { state: "refuses", detail: "the agent does not serve this version" };
  if (error.reason === "TASK_NOT_FOUND") return { state: "responds", detail: "" };
  if (error.reason === "INVALID_AGENT_RESPONSE") return { state: "fails", detail: error.message };
  return { state: "responds", detail: accessOf(error) ?? `with ${error.name}: ${error.message}` };
}

function accessOf({ httpStatus }: A2AError): string | undefined {
  if (httpStatus === 401) return "requires credentials";
  return httpStatus === 403 ? "refuses these credentials" : undefined;
}

function detailOf(error: unknown): string {
  if (error instanceof TransportError && error.status === 401) return "requires credentials";
  if (error instanceof DOMException && error.name === "TimeoutError") return "no response in time";
  return error instanceof Error ? error.message : String(error);
}
