import { probe, type ProbeArguments } from "./probe.js";
import { protocol } from "../../generated/1.0/operations.js";
import { UnreachableAgent } from "../probe/probe.js";
import type { Run } from "./agent.js";
import { extensionsOf } from "./credentials.js";
import { CheckFailed, CliError, usage } from "./errors.js";

/** Arguments of `a2a conformance`. The agent and the caller are in the settings. */
export type ConformanceArguments = Omit<ProbeArguments, "cwd" | "url" | "client" | "verbose">;

/** Runs `a2a conformance`, which is the probe with the settings of `a2a`. */
export async function conformanceCommand(run: Run, values: ConformanceArguments): Promise<void> {
  const { settings, output, environment, signal } = run;
  const url = settings.text("agent-card");
  if (url === undefined) throw usage("no agent is given", "Add its URL, or set A2ACLI_AGENT_CARD");
  const extensions = extensionsOf(settings);
  const negotiation =
    extensions.length === 0 ? [] : [`${protocol.headers.extensions}:${extensions.join(",")}`];
  try {
    const code = await probe({
      ...values,
      ...{ cwd: environment.cwd, env: environment.env, signal, url, client: false },
      json: output.isJson || values.json,
      header: [...settings.list("svc-param"), ...negotiation],
      bearer: settings.text("bearer"),
      origin: settings.list("origin"),
      verbose: settings.isSet("verbose"),
    });
    if (code !== 0) throw new CheckFailed();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof UnreachableAgent)
      throw new CliError(
        "A2ACLI_ERR_CARD_NOT_FOUND",
        error.message,
        "Check that the agent is running, and the URL",
      );
    throw error;
  }
}
