import { packageFolder } from "../../../../../support/package-folder.js";
import { specRegistry } from "../../../../../generator/input/registry.js";
import { matchesName } from "../../../../../generator/protocol/build/legacy.js";
import {
  legacyKinds,
  type LegacyDef,
  type LegacyKind,
  type Protocol,
  type RemovedDef,
} from "../../../../../generator/protocol/model/types.js";
import { findSource } from "../../../../support/output.js";
import { readSource } from "../../input/proto/reading.js";

/** A bundled version, with those before it. */
export interface Version {
  readonly id: string;
  readonly protocol: Protocol;
  readonly names: Names;
  readonly earlier: readonly Version[];
}

/** Everything that a version calls by a name, by kind; members carry the name of their type. */
export type Names = Readonly<Record<LegacyKind, ReadonlySet<string>>>;

/** Every bundled version, the oldest first. */
export function readVersions(): readonly Version[] {
  const ids = specRegistry(packageFolder)
    .list()
    .map(({ id }) => id)
    .toReversed();
  const versions: Version[] = [];
  for (const id of ids) {
    const protocol = readSource(findSource(id));
    versions.push({ id, protocol, names: namesOf(protocol), earlier: [...versions] });
  }
  return versions;
}

function namesOf({ types, operations, binding }: Protocol): Names {
  const enums = types.flatMap((type) => (type.kind === "enum" ? [type] : []));
  return {
    types: new Set(types.map(({ name }) => name)),
    properties: new Set(
      types.flatMap((type) =>
        type.kind === "message" ? type.fields.map(({ name }) => `${type.name}.${name}`) : [],
      ),
    ),
    keys: new Set(enums.flatMap(({ name, values }) => values.map(({ key }) => `${name}.${key}`))),
    values: new Set(
      enums.flatMap(({ name, values }) =>
        values.flatMap((value) =>
          [value.name, ...(value.aliases ?? [])].map((text) => `${name}.${text}`),
        ),
      ),
    ),
    methods: new Set(operations.flatMap(({ jsonRpc }) => jsonRpc ?? [])),
    errors: new Set((binding?.errors ?? []).map(({ name }) => name)),
  };
}

/** The messages of the proto of a version, after which codecs are named. */
const messagesOf = ({ protocol: { wire } }: Version): readonly string[] =>
  (wire?.messages ?? []).map(({ name }) => name);

/** Names of earlier versions that a version neither has nor covers, as `kind name`. */
export function unaccounted(version: Version): string[] {
  const lost = version.earlier.flatMap((one) => [
    ...legacyKinds.flatMap((kind) =>
      [...one.names[kind]]
        .filter((name) => !isKnown(version, kind, name))
        .map((name) => `${kind} ${name}`),
    ),
    ...messagesOf(one)
      .filter((name) => !messagesOf(version).includes(name) && !isKnown(version, "types", name))
      .map((name) => `messages ${name}`),
  ]);
  return [...new Set(lost)].sort();
}

function isKnown(version: Version, kind: LegacyKind, name: string) {
  if (!name.includes(".") || kind === "types" || kind === "methods" || kind === "errors")
    return version.names[kind].has(name) || isExplained(version, kind, name);
  const [type = "", ...rest] = name.split(".");
  // A removed type includes its members. The current type has the members, or covers them.
  if (!version.names.types.has(type) && isRemoved(version, "types", type)) return true;
  return [type, ...nowOf(version, type)]
    .map((owner) => [owner, ...rest].join("."))
    .some((member) => version.names[kind].has(member) || isExplained(version, kind, member));
}

function isExplained(version: Version, kind: LegacyKind, name: string) {
  const renamed = version.protocol.legacy.some(
    (entry) => entry.kind === kind && (entry.old === name || entry.old.startsWith(`${name}.`)),
  );
  return renamed || isRemoved(version, kind, name);
}

/**
 * Returns whether earlier versions have a name that matches a pattern, with current names of types.
 */
export function isUsed(version: Version, { kind, old }: RemovedDef): boolean {
  const present = (name: string) => {
    const [type = "", ...rest] = name.split(".");
    return [name, ...nowOf(version, type).map((owner) => [owner, ...rest].join("."))];
  };
  return version.earlier.some((one) =>
    [...one.names[kind], ...(kind === "types" ? messagesOf(one) : [])]
      .flatMap(present)
      .some((name) => matchesName(old, name)),
  );
}

function isRemoved({ protocol }: Version, kind: LegacyKind, name: string) {
  return protocol.removed.some((entry) => entry.kind === kind && matchesName(entry.old, name));
}

function nowOf({ protocol }: Version, type: string) {
  return protocol.legacy.flatMap(({ kind, old, now }) =>
    kind === "types" && old === type ? [now] : [],
  );
}

/** Returns whether a version has an old name, with the type name of a later version. */
export function has(
  version: Version,
  { kind, old }: Pick<LegacyDef, "kind" | "old">,
  later: Version,
): boolean {
  if (
    kind === "types" &&
    version !== later &&
    messagesOf(version).includes(old) &&
    !messagesOf(later).includes(old)
  )
    return true;
  if (kind === "types" || kind === "methods" || kind === "errors")
    return version.names[kind].has(old);
  const [type = "", ...path] = old.split(".");
  const rest = kind === "properties" ? path : [path.join(".")];
  const before = later.protocol.legacy.flatMap((entry) =>
    entry.kind === "types" && entry.now === type ? [entry.old] : [],
  );
  return [type, ...before].some((owner) => hasMember(version, kind, owner, rest));
}

/** Follows a path from type to type, into each member of a union. */
function hasMember(
  version: Version,
  kind: LegacyKind,
  owner: string,
  path: readonly string[],
): boolean {
  const [member = "", ...rest] = path;
  const type = version.protocol.types.find(({ name }) => name === owner);
  if (type?.kind === "union")
    return type.members.some((one) => "name" in one && hasMember(version, kind, one.name, path));
  if (type?.kind === "alias")
    return "name" in type.type && hasMember(version, kind, type.type.name, path);
  if (rest.length === 0) return version.names[kind].has(`${owner}.${member}`);
  const field =
    type?.kind === "message" ? type.fields.find(({ name }) => name === member) : undefined;
  if (field === undefined) return false;
  const types =
    field.type.kind === "anyOf" || field.type.kind === "oneOf" ? field.type.members : [field.type];
  return types.some((one) => "name" in one && hasMember(version, kind, one.name, rest));
}
