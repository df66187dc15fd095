import { Diagnostics, type Location } from "../../support/diagnostics.js";
import { didYouMean } from "../../support/near-names.js";
import { docs } from "./docs/docs.js";
import { openapi } from "./documents/openapi.js";
import { openrpc } from "./documents/openrpc.js";
import { client } from "./client/client.js";
import { errors } from "./errors/errors.js";
import { gateway } from "./gateway/gateway.js";
import { legacy } from "./legacy/legacy.js";
import { models } from "./models/models.js";
import { operations } from "./operations/operations.js";
import { protobuf } from "./protobuf/protobuf.js";
import { schema } from "./documents/schema.js";
import { server } from "./server/server.js";
import {
  authJwt,
  authOauth,
  otel,
  storePostgres,
  storeRedis,
  storeSharded,
  storeSqlite,
  storeTests,
} from "./tasks/stores.js";
import { tasks } from "./tasks/tasks.js";
import { transportTargets } from "./transports/transports.js";
import { transports } from "./transports/table.js";
import type { Target } from "../emit/plan.js";
import { validators } from "./validators/validators.js";

/** All targets, in the order in which they are listed and planned. */
export const targets: readonly Target[] = [
  models,
  validators,
  errors,
  operations,
  protobuf,
  ...transportTargets,
  client,
  server,
  tasks,
  gateway,
  authJwt,
  authOauth,
  otel,
  storeSqlite,
  storePostgres,
  storeRedis,
  storeSharded,
  storeTests,
  legacy,
  schema,
  openapi,
  openrpc,
  docs,
];

/**
 * Returns the named targets and their dependencies, in the order in which they are planned.
 *
 * @throws InputError if a name is not a target, or if a transport is selected without the client or
 *   the server. The error contains the location that `locationOf` returns.
 */
export function chooseTargets(
  names: readonly string[],
  locationOf: (name: string) => Location | undefined = () => undefined,
): readonly Target[] {
  const diagnostics = new Diagnostics();
  const known = targets.map(({ name }) => name);
  for (const name of expanded(names).filter((listed) => !known.includes(listed)))
    diagnostics.add(locationOf(name), `"${name}" is not a target`, unknownTargetHint(name, known));
  const chosen = withDependencies(names);
  // The codecs of gRPC are also useful without a client or server.
  const transport = transports.find(
    ({ name, carries }) => carries !== "bytes" && chosen.has(name),
  )?.name;
  const isUsed = chosen.has("client") || chosen.has("server");
  if (transport !== undefined && !isUsed) {
    const message = `the target ${transport} requires client or server`;
    diagnostics.add(locationOf(transport), message, "Add client, server or both to the targets");
  }
  diagnostics.throwIfAny();
  return targets.filter(({ name }) => chosen.has(name));
}

function unknownTargetHint(name: string, known: readonly string[]): string {
  if (name.startsWith("+"))
    return (
      "Write + before each target to add them to the configured targets, or before none to " +
      "replace them"
    );
  return `${didYouMean(name, known)}\`a2a-codegen list\` prints the targets`;
}

/** Expands a list of names. Names that begin with `+` are added to the default targets. */
function expanded(names: readonly string[]): readonly string[] {
  const added = names.filter((name) => name.startsWith("+")).map((name) => name.slice(1));
  return added.length < names.length || added.length === 0
    ? names
    : [...defaultTargets(), ...added];
}

/** Returns the names, and the names of all targets that they depend on. */
function withDependencies(names: readonly string[]): ReadonlySet<string> {
  const found = new Set(expanded(names));
  // Iterating over a set includes the elements that are added during the iteration.
  for (const name of found) {
    const target = targets.find((candidate) => candidate.name === name);
    for (const needed of target?.needs ?? []) found.add(needed);
  }
  return found;
}

/**
 * Returns the names of targets that belonged to the selection in the lock file, but not to the
 * current selection.
 */
export function droppedTargets(before: readonly string[], now: readonly string[]): string[] {
  const [former, current] = [withDependencies(before), withDependencies(now)];
  return targets.map(({ name }) => name).filter((name) => former.has(name) && !current.has(name));
}

/** Returns the names of the default targets: all targets that are not opt-in. */
export function defaultTargets(): string[] {
  return targets.filter(({ optIn }) => optIn !== true).map(({ name }) => name);
}
