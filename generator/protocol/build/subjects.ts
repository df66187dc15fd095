import type { OperationDef, Protocol, TypeDef, TypeRef } from "../model/types.js";
import { matchesName } from "./legacy.js";
import { referencesOf } from "./references.js";

/**
 * The root types of each subject, by the name of the subject. In the name of a type, `*` matches
 * any characters.
 */
export type SubjectRoots = Readonly<Record<string, readonly string[]>>;

/**
 * The maximum number of types in one file. If a protocol has more types, they are split by subject.
 */
const maxTypesTogether = 24;

/** The maximum number of types of a subject. A larger subject is split into numbered parts. */
const maxTypesOfSubject = 60;

/**
 * The subject of the requests and responses of operations, and of types that only requests and
 * responses refer to.
 */
const calls = "calls";

/** The subject of types that are used by several subjects or by no subject. */
export const commonSubject = "common";

/**
 * Partitions types by subject, so that types stay in their files of the output when the
 * specification changes. A type belongs to the subject whose roots refer to it, directly or through
 * other types. If several subjects refer to a type, the type belongs to the only one of them that
 * does not refer to the others; otherwise, it is common. A new field only moves a type to another
 * subject if the field belongs to a different subject and refers to the type. Returns the subject
 * of each type by the type's name. A small protocol has one subject for all types.
 */
export function subjectsOf(
  types: readonly TypeDef[],
  operations: readonly OperationDef[],
  roots: SubjectRoots = {},
): ReadonlyMap<string, string> {
  if (types.length <= maxTypesTogether)
    return new Map(types.map(({ name }) => [name, commonSubject]));
  const references = new Map(types.map((type) => [type.name, referencesOf(type)] as const));
  const rootSubjects = rootSubjectsOf(references, operations, roots);
  const names = [...new Set(rootSubjects.values())];
  const claims = new Map(
    names.map((name) => [name, reach(name, rootSubjects, references)] as const),
  );
  const uses = new Map(
    names.map((name) => [name, subjectsReached(name, claims, rootSubjects, references)] as const),
  );
  const subjects = types.map(({ name }) => {
    const claiming = names.filter((subject) => claims.get(subject)?.has(name) === true);
    return [name, rootSubjects.get(name) ?? innermostOf(claiming, uses)] as const;
  });
  return cut(subjects);
}

/** Returns the subject of the first name that belongs to a type, or the common subject. */
export function subjectOf(
  { subjects }: Pick<Protocol, "subjects">,
  ...names: readonly string[]
): string {
  return subjects.get(names.find((name) => subjects.has(name)) ?? "") ?? commonSubject;
}

/**
 * Returns the subject of each root. Requests and responses are roots of `calls`, unless the
 * manifest assigns them to another subject.
 */
function rootSubjectsOf(
  references: ReadonlyMap<string, ReadonlySet<string>>,
  operations: readonly OperationDef[],
  roots: SubjectRoots,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const all = [...references.keys()];
  const add = (pattern: string, subject: string): void => {
    const names = pattern.includes("*")
      ? all.filter((name) => matchesName(pattern, name))
      : [pattern];
    for (const name of names)
      if (references.has(name) && !found.has(name)) found.set(name, subject);
  };
  for (const [subject, patterns] of Object.entries(roots))
    for (const pattern of patterns) add(pattern, subject);
  const used = operations.flatMap(({ request, response }) => [
    ...namesIn(request),
    ...namesIn(response),
  ]);
  for (const name of used) add(name, calls);
  return found;
}

function namesIn(ref: TypeRef): string[] {
  return ref.kind === "named" ? [ref.name] : [];
}

/**
 * Returns the roots of a subject and the types that they refer to. Does not include or follow the
 * roots of other subjects.
 */
function reach(
  subject: string,
  rootSubjects: ReadonlyMap<string, string>,
  references: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const reached = new Set(
    [...rootSubjects.keys()].filter((root) => rootSubjects.get(root) === subject),
  );
  // Iterating over a set includes the elements that are added during the iteration.
  for (const name of reached)
    for (const used of references.get(name) ?? []) if (!rootSubjects.has(used)) reached.add(used);
  return reached;
}

/** Returns the subjects that a subject directly refers to. */
function subjectsReached(
  subject: string,
  claims: ReadonlyMap<string, ReadonlySet<string>>,
  rootSubjects: ReadonlyMap<string, string>,
  references: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const used = [...(claims.get(subject) ?? [])].flatMap((name) => [
    ...(references.get(name) ?? []),
  ]);
  return new Set(
    used.flatMap((name) => rootSubjects.get(name) ?? []).filter((name) => name !== subject),
  );
}

/**
 * Returns the only subject that does not refer to any of the other subjects, or the common subject
 * if no subject or several subjects qualify.
 */
function innermostOf(
  claiming: readonly string[],
  uses: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const innermost = claiming.filter(
    (name) => !claiming.some((other) => uses.get(name)?.has(other) === true),
  );
  return innermost.length === 1 ? (innermost[0] ?? commonSubject) : commonSubject;
}

/** Splits subjects with too many types into numbered parts, in the order of the types. */
function cut(
  subjects: readonly (readonly [name: string, subject: string])[],
): ReadonlyMap<string, string> {
  const sizes = new Map<string, number>();
  const positions = subjects.map(([, subject]) => {
    const position = sizes.get(subject) ?? 0;
    sizes.set(subject, position + 1);
    return position;
  });
  const cutName = (subject: string, position: number): string =>
    (sizes.get(subject) ?? 0) <= maxTypesOfSubject
      ? subject
      : `${subject}-${String(Math.floor(position / maxTypesOfSubject) + 1)}`;
  return new Map(
    subjects.map(([name, subject], index) => [name, cutName(subject, positions[index] ?? 0)]),
  );
}
