import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { RangeDef } from "../../protocol/model/types.js";

/**
 * Adds the operation's range for the number at a path such as `a.b` to the schema of the number. If
 * the operation has no range for the path, returns the schema unchanged.
 */
export function withRange(
  schema: JsonSchema,
  path: string,
  ranges: readonly RangeDef[] = [],
): JsonSchema {
  const range = ranges.find((candidate) => candidate.path.join(".") === path);
  if (range === undefined) return schema;
  return {
    ...schema,
    minimum: range.least,
    ...(range.most !== undefined && { maximum: range.most }),
  };
}
