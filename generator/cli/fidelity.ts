import type { LossDef } from "../protocol/types.js";

const bindingNames = { jsonrpc: "JSON-RPC", rest: "HTTP+JSON", grpc: "gRPC" } as const;

/**
 * The fidelity report, for people: one line for each thing that happens to fields on some bindings, with the fields that
 * it happens to. Fields whose default arrives as if it were absent are only counted.
 */
export function fidelityLines(losses: readonly LossDef[]): string[] {
  const groups = new Map<string, string[]>();
  const worstFirst = losses.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  for (const { type, field, bindings, kind } of worstFirst) {
    const head = headOf(kind, bindings);
    groups.set(head, [...(groups.get(head) ?? []), `${type}.${field}`]);
  }
  return [...groups].map(([head, fields]) => {
    const isCounted = head.startsWith(defaults);
    return `${head}: ${isCounted ? `${fields.length} fields, which --json lists` : fields.join(", ")}`;
  });
}

const kinds: readonly LossDef["kind"][] = ["field", "form", "default"];
const defaults = "a default arrives as if it were absent";

function headOf(kind: LossDef["kind"], bindings: LossDef["bindings"]): string {
  if (bindings.length === Object.keys(bindingNames).length) return "in the proto only, neither written nor read";
  const where = bindings.map((binding) => bindingNames[binding]).join(" and ");
  if (kind === "field") return `lost over ${where}`;
  return kind === "form" ? `limited over ${where}, see the doc comments` : `${defaults} over ${where}`;
}
