import type { Generated } from "../core/contract.js";
import { findDrift } from "../output/drift.js";
import { compareFile, hashesOf } from "../output/hashes.js";
import { compareAgent, type AgentFile } from "./agent.js";
import { agentIn } from "./agent-file.js";
import { noChanges, noNeeds } from "./current.js";
import type { Run } from "./input.js";
import { lockOf } from "./origin.js";
import type { GenerateResult } from "./result.js";

/** Returns the result of a run that only compares the output with the files of the folder. */
export async function comparedResult(
  { settings, origin, lock, result }: Run,
  generated: Generated,
  agent: AgentFile | undefined,
): Promise<GenerateResult> {
  const { out, agent: skeleton } = settings;
  const hashes = hashesOf(generated.files, lock);
  const expected = lockOf(origin, { generated }, hashes, agentIn(settings));
  const drift = findDrift(out, lock, expected, skeleton);
  const paths = generated.files.map(({ path }) => path);
  const formatted = paths.filter((path) => compareFile(out, path, expected) === "formatted");
  const merge = agent && (await compareAgent(agent, generated));
  const changes = { changes: noChanges, drift, formatted, generated, needs: noNeeds };
  return { ...result, ...changes, ...(merge && { merge }) };
}
