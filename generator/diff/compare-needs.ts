import type { FieldDef, OperationDef, TypeDef, ValueType } from "../protocol/model/types.js";
import type { Resolve } from "./accepts.js";
import { changed, type About, type Change } from "./types.js";

/** Compares what has to be there for an operation beyond its types. */
export function compareNeeds(from: OperationDef, to: OperationDef, resolve: Resolve): Change[] {
  const on = (aspect: string): About => ({ subject: "operation", name: from.method, aspect });
  const refused = "calls that were answered are refused";
  const told = "callers that go by it take it for another error";
  const elsewhere = "cards declare it in another place";
  const [lists, now] = [listsOf(from, resolve, to), listsOf(to, resolve, to)];
  const isNew = [...now].some((list) => !lists.has(list));
  const [capability, other] = [from, to].map(({ requires }) => requires?.capability.join("."));
  return [
    ...changed(on("capability"), capability, other, { json: elsewhere }),
    ...changed(on("error without the capability"), from.requires?.error, to.requires?.error, { json: told }),
    ...changed(on("error where it is left out"), from.missing, to.missing, { json: told }),
    ...changed(on("lists that need an element"), textOf(lists), textOf(now), isNew ? { json: refused } : {}),
    ...changed(on("ranges"), rangesOf(from), rangesOf(to), isNarrower(from, to) ? { json: refused } : {}),
    ...changed(
      on("capabilities of fields"),
      fieldsOf(from),
      fieldsOf(to),
      takesMore(from, to) ? { json: refused } : {},
    ),
  ];
}

function rangesOf({ ranges = [] }: OperationDef): string {
  const each = ranges.map(({ path, least, most }) => `${path.join(".")} ${least}…${most ?? ""}`);
  return each.join(", ") || "none";
}

/** Tells whether a number that was in its range may not be any more. */
function isNarrower({ ranges: before = [] }: OperationDef, { ranges: after = [] }: OperationDef): boolean {
  return after.some(({ path, least, most = Infinity }) => {
    const earlier = before.find((range) => range.path.join(".") === path.join("."));
    return earlier === undefined || earlier.least < least || (earlier.most ?? Infinity) > most;
  });
}

function fieldsOf({ fieldRequires = [] }: OperationDef): string {
  const each = fieldRequires.map(({ path, capability }) => `${path.join(".")} takes ${capability.join(".")}`);
  return each.join(", ") || "none";
}

function takesMore(from: OperationDef, to: OperationDef): boolean {
  const before = new Set((from.fieldRequires ?? []).map(({ path }) => path.join(".")));
  return (to.fieldRequires ?? []).some(({ path }) => !before.has(path.join(".")));
}

function textOf(lists: ReadonlySet<string>): string {
  return [...lists].join(", ") || "none";
}

/** The lists that a server wants an element of, but for those where the later version has it in the types. */
function listsOf({ demands = [] }: OperationDef, resolve: Resolve, { request }: OperationDef): ReadonlySet<string> {
  const isTyped = (path: readonly string[]): boolean => {
    let type: ValueType | undefined = request.kind === "named" ? { kind: "message", name: request.name } : undefined;
    let field: FieldDef | undefined;
    for (const key of path) {
      const found: TypeDef | undefined = type !== undefined && "name" in type ? resolve(type.name) : undefined;
      field = found?.kind === "message" ? found.fields.find(({ name }) => name === key) : undefined;
      type = field?.type;
    }
    return field?.nonEmpty === true;
  };
  return new Set(demands.filter((path) => !isTyped(path)).map((path) => path.join(".")));
}
