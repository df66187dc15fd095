import type { FieldDef, OperationDef, TypeDef, ValueType } from "../protocol/model/types.js";
import type { Resolve } from "./accepts.js";
import { changed, type About, type Change } from "./types.js";

/**
 * Compares the constraints of an operation that are not part of its types: capabilities, ranges,
 * required elements.
 */
export function compareConstraints(
  from: OperationDef,
  to: OperationDef,
  resolve: Resolve,
): Change[] {
  const on = (aspect: string): About => ({ subject: "operation", name: from.method, aspect });
  const refused = "calls that were accepted are refused";
  const otherError = "callers that check it see another error";
  const moved = "cards declare it in another field";
  const [lists, now] = [listsOf(from, resolve, to), listsOf(to, resolve, to)];
  const isNew = [...now].some((list) => !lists.has(list));
  const [capability, other] = [from, to].map(({ requires }) => requires?.capability.join("."));
  return [
    ...changed(on("capability"), capability, other, { json: moved }),
    ...changed(on("error without the capability"), from.requires?.error, to.requires?.error, {
      json: otherError,
    }),
    ...changed(on("error if it is absent"), from.missing, to.missing, { json: otherError }),
    ...changed(
      on("lists that require an element"),
      listed(lists),
      listed(now),
      isNew ? { json: refused } : {},
    ),
    ...changed(
      on("ranges"),
      rangesOf(from),
      rangesOf(to),
      isNarrower(from, to) ? { json: refused } : {},
    ),
    ...changed(
      on("capabilities of fields"),
      fieldsOf(from),
      fieldsOf(to),
      needsMore(from, to) ? { json: refused } : {},
    ),
  ];
}

function rangesOf({ ranges = [] }: OperationDef): string {
  const each = ranges.map(({ path, least, most }) => `${path.join(".")} ${least}…${most ?? ""}`);
  return each.join(", ") || "none";
}

/** Returns whether a number that was in the range may now be out of range. */
function isNarrower(
  { ranges: before = [] }: OperationDef,
  { ranges: after = [] }: OperationDef,
): boolean {
  return after.some(({ path, least, most = Infinity }) => {
    const earlier = before.find((range) => range.path.join(".") === path.join("."));
    return earlier === undefined || earlier.least < least || (earlier.most ?? Infinity) > most;
  });
}

function fieldsOf({ fieldRequires = [] }: OperationDef): string {
  const each = fieldRequires.map(
    ({ path, capability }) => `${path.join(".")} needs ${capability.join(".")}`,
  );
  return each.join(", ") || "none";
}

function needsMore(from: OperationDef, to: OperationDef): boolean {
  const before = new Set((from.fieldRequires ?? []).map(({ path }) => path.join(".")));
  return (to.fieldRequires ?? []).some(({ path }) => !before.has(path.join(".")));
}

function listed(lists: ReadonlySet<string>): string {
  return [...lists].join(", ") || "none";
}

/**
 * Returns the paths of the lists that an operation requires to be non-empty. Omits lists that the
 * types of the later version already require to be non-empty.
 */
function listsOf(
  { nonEmpty = [] }: OperationDef,
  resolve: Resolve,
  { request }: OperationDef,
): ReadonlySet<string> {
  const isTyped = (path: readonly string[]): boolean => {
    let type: ValueType | undefined =
      request.kind === "named" ? { kind: "message", name: request.name } : undefined;
    let field: FieldDef | undefined;
    for (const key of path) {
      const found: TypeDef | undefined =
        type !== undefined && "name" in type ? resolve(type.name) : undefined;
      field = found?.kind === "message" ? found.fields.find(({ name }) => name === key) : undefined;
      type = field?.type;
    }
    return field?.nonEmpty === true;
  };
  return new Set(nonEmpty.filter((path) => !isTyped(path)).map((path) => path.join(".")));
}
