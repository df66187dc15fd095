import { count } from "../../tools/terminal/output.js";
import type { LossDef } from "../protocol/model/types.js";

const bindingNames = { jsonrpc: "JSON-RPC", rest: "HTTP+JSON", grpc: "gRPC" } as const;

/**
 * Returns the fidelity report as one line of text: the number of fields that bindings lose, and the
 * bindings to prefer.
 */
export function fidelitySummary(losses: readonly LossDef[]): string[] {
  const all = Object.values(bindingNames);
  const lost = losses.filter(({ bindings }) => bindings.length < all.length);
  const fields = new Set(lost.map(({ type, field }) => `${type}.${field}`));
  if (fields.size === 0)
    return losses.length === 0
      ? []
      : ["the output omits fields of the proto: --verbose lists them"];
  const lossy = new Set(lost.flatMap(({ bindings }) => bindings.map((id) => bindingNames[id])));
  const better = all.filter((name) => !lossy.has(name)).join(" or ");
  const advice = better === "" ? "" : `prefer ${better}, and `;
  const where = all.filter((name) => lossy.has(name)).join(" and ");
  const subject = `values of ${count(fields.size, "field")}`;
  return [`${subject} are lost over ${where}: ${advice}see --verbose for a list`];
}

/**
 * Returns the whole fidelity report as lines of text. For each binding, the report lists the names
 * of lost fields, and the number of fields for which the binding only supports some values or
 * cannot distinguish the default from an absent field.
 */
export function fidelityLines(losses: readonly LossDef[]): string[] {
  const lost = groupsOf(losses, "field").map(([where, fields]) => {
    const head =
      where === everywhere ? "in the proto only, neither written nor read" : `lost over ${where}`;
    return `${head}: ${fields.join(", ")}`;
  });
  const counted = (["form", "default"] as const).flatMap((kind) =>
    groupsOf(losses, kind).map(([where, fields]) =>
      summaries[kind](count(fields.length, "field"), where),
    ),
  );
  return [...lost, ...counted.map((line) => `${line}; the doc comments and --json list them`)];
}

const everywhere = Object.values(bindingNames).join(" and ");

const summaries = {
  form: (fields: string, where: string) => `some values of ${fields} are lost over ${where}`,
  default: (fields: string, where: string) =>
    `default values of ${fields} arrive as absent over ${where}`,
};

/** Returns the fields with one kind of loss, grouped by the bindings that lose them. */
function groupsOf(losses: readonly LossDef[], kind: LossDef["kind"]): [string, string[]][] {
  const groups = new Map<string, Set<string>>();
  for (const loss of losses.filter((candidate) => candidate.kind === kind)) {
    const where = loss.bindings.map((binding) => bindingNames[binding]).join(" and ");
    groups.set(where, (groups.get(where) ?? new Set()).add(`${loss.type}.${loss.field}`));
  }
  return [...groups].map(([where, fields]) => [where, [...fields]]);
}
