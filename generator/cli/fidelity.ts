import type { LossDef } from "../protocol/model/types.js";

const bindingNames = { jsonrpc: "JSON-RPC", rest: "HTTP+JSON", grpc: "gRPC" } as const;

/**
 * The fidelity report, for people: the fields that a binding loses, by name, and how many there are of which it only
 * carries some values, or does not distinguish the default from absence.
 */
export function fidelityLines(losses: readonly LossDef[]): string[] {
  const lost = groupsOf(losses, "field").map(([where, fields]) => `${where}: ${fields.join(", ")}`);
  const counted = (["form", "default"] as const).flatMap((kind) =>
    groupsOf(losses, kind).map(([where, { length }]) => `${where} ${length} ${length === 1 ? "field" : "fields"}`),
  );
  return counted.length === 0
    ? lost
    : [...lost, ...counted.map((line) => `${line}; --json and the doc comments say which`)];
}

const heads = {
  field: (where: string) => `lost over ${where}`,
  form: (where: string) => `not all values are carried over ${where} of`,
  default: (where: string) => `a default arrives as if it were absent over ${where} in`,
};

/** The fields of one kind of loss, by what happens to them and where. */
function groupsOf(losses: readonly LossDef[], kind: LossDef["kind"]): [string, string[]][] {
  const groups = new Map<string, Set<string>>();
  for (const loss of losses.filter((one) => one.kind === kind)) {
    const isUnread = loss.bindings.length === Object.keys(bindingNames).length;
    const where = loss.bindings.map((binding) => bindingNames[binding]).join(" and ");
    const head = isUnread ? "in the proto only, neither written nor read" : heads[kind](where);
    groups.set(head, (groups.get(head) ?? new Set()).add(`${loss.type}.${loss.field}`));
  }
  return [...groups].map(([head, fields]) => [head, [...fields]]);
}
