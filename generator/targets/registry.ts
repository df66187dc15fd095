import { client } from "./client.js";
import { errors } from "./errors.js";
import { models } from "./models.js";
import { operations } from "./operations.js";
import { protobuf } from "./protobuf.js";
import { server } from "./server.js";
import { grpc, jsonrpc, rest } from "./transports.js";
import type { Target } from "./types.js";
import { validators } from "./validators.js";

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
];

/** Gives the chosen targets and all that they need, or the first name that is no target. */
export function chooseTargets(
  names: readonly string[],
): { readonly unknown: string } | { readonly chosen: readonly Target[] } {
  const chosen = new Set<string>();
  const queue = [...names];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const target = targets.find((candidate) => candidate.name === name);
    if (target === undefined) return { unknown: name };
    if (chosen.has(name)) continue;
    chosen.add(name);
    queue.push(...target.needs);
  }
  return { chosen: targets.filter(({ name }) => chosen.has(name)) };
}

/** The names of all targets. */
export function allTargets(): string[] {
  return targets.map(({ name }) => name);
}
