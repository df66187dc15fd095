// Part of a2a-codegen 0.1.0. Do not edit.

import { isObject } from "../json.js";
import type { Operation } from "../operation.js";
import { Run, ValidationError } from "../schema.js";

/**
 * Checks that the lists of a request have an element which the operation demands one of. Throws a `ValidationError` that
 * names each list that is empty or absent; one in an object that is absent itself is not missed.
 */
export function checkDemands({ request: type, demands = [] }: Operation, request: unknown): void {
  const run = new Run("json");
  for (const path of demands) {
    const parent = path.slice(0, -1).reduce((value, key) => (isObject(value) ? value[key] : undefined), request);
    if (!isObject(parent)) continue;
    const list = parent[path.at(-1) ?? ""];
    if (list !== undefined && !(Array.isArray(list) && list.length === 0)) continue;
    run.path.push(...path);
    run.report("a list with at least one element", list);
    run.path.length = 0;
  }
  if (run.issues.length > 0) throw new ValidationError(type.name, run.issues);
}
