import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type { RangeDef } from "../../protocol/model/types.js";

/** The schema of the number at a path such as `a.b`, with what the operation lets it be; without a range as it was. */
export function withRange(schema: JsonSchema, path: string, ranges: readonly RangeDef[] = []): JsonSchema {
  const range = ranges.find((each) => each.path.join(".") === path);
  if (range === undefined) return schema;
  return { ...schema, minimum: range.least, ...(range.most !== undefined && { maximum: range.most }) };
}
