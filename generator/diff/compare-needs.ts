import type { FieldDef, OperationDef, TypeDef, ValueType } from "../protocol/types.js";
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
  ];
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
