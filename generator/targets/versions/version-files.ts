import { filesOf, planTargets, type FilePlan } from "../../emit/plan.js";
import { onlyReachable } from "../../protocol/build/references.js";
import type { Protocol } from "../../protocol/model/types.js";
import { errors } from "../errors/errors.js";
import { models } from "../models/models.js";
import { operations } from "../operations/operations.js";
import { protobuf } from "../protobuf/protobuf.js";
import { transportTargets } from "../transports/transports.js";
import { schemas } from "../validators/validators.js";

/**
 * Plans the files of another version that its adapter imports. The files omit everything that calls
 * between the versions do not use: types that no request, response or card contains, validators
 * that only users call, and names of earlier versions. `types` contains additional types to keep,
 * and `chosen` contains the targets of the application.
 */
export async function planVersionFiles(
  protocol: Protocol,
  types: readonly string[],
  chosen: ReadonlySet<string>,
): Promise<readonly FilePlan[]> {
  const transports = transportTargets.filter(({ name }) => chosen.has(name));
  const codecs = transports.some(({ needs }) => needs.includes(protobuf.name)) ? [protobuf] : [];
  const targets = [models, schemas, errors, operations, ...codecs, ...transports];
  const reachable = onlyReachable({ ...protocol, legacy: [] }, types);
  return filesOf(await planTargets(targets, reachable));
}
