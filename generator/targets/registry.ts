import { didYouMean } from "../support/near-names.js";
import { openapi } from "./documents/openapi.js";
import { openrpc } from "./documents/openrpc.js";
import { client } from "./client/client.js";
import { errors } from "./errors/errors.js";
import { legacy } from "./legacy/legacy.js";
import { models } from "./models/models.js";
import { operations } from "./operations/operations.js";
import { protobuf } from "./protobuf/protobuf.js";
import { schema } from "./documents/schema.js";
import { server } from "./server/server.js";
import { grpc, jsonrpc, rest } from "./transports/transports.js";
import type { Target } from "../emit/plan.js";
import { validators } from "./validators/validators.js";

/** Every target, in the order in which they are listed and planned. */
export const targets: readonly Target[] = [
  models,
  validators,
  errors,
  operations,
  protobuf,
  jsonrpc,
  rest,
  grpc,
  client,
  server,
  legacy,
  schema,
  openapi,
  openrpc,
];

/** Returns the chosen targets and all that they need and bring along, or what is wrong with the choice, and which one. */
export function chooseTargets(
  names: readonly string[],
):
  | { readonly wrong: string; readonly problem: string; readonly remedy: string }
  | { readonly chosen: readonly Target[] } {
  const chosen = new Set<string>();
  const queue = [...names];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const target = targets.find((candidate) => candidate.name === name);
    if (target === undefined) {
      const known = targets.map((candidate) => candidate.name);
      const remedy = `${didYouMean(name, known)}\`a2a-codegen list\` shows the targets`;
      return { wrong: name, problem: `"${name}" is no target`, remedy };
    }
    if (chosen.has(name)) continue;
    chosen.add(name);
    queue.push(...target.needs, ...(target.brings ?? []));
  }
  const transport = ["jsonrpc", "rest"].find((name) => chosen.has(name));
  if (transport !== undefined && !chosen.has("client") && !chosen.has("server")) {
    return {
      wrong: transport,
      problem: `the target ${transport} alone generates nothing`,
      remedy: "Add client, server or both to the targets",
    };
  }
  return { chosen: targets.filter(({ name }) => chosen.has(name)) };
}

/** The names of the targets that were planned for the names in a lock, and are not for those of now. */
export function droppedTargets(before: readonly string[], now: readonly string[]): string[] {
  const [former, current] = [before, now].map((names) => {
    const selection = chooseTargets(names);
    return "chosen" in selection ? selection.chosen.map(({ name }) => name) : [];
  });
  return (former ?? []).filter((name) => current?.includes(name) === false);
}

/** The names of the targets that are planned where nobody names any. */
export function usualTargets(): string[] {
  return targets.filter(({ onRequest }) => onRequest !== true).map(({ name }) => name);
}
