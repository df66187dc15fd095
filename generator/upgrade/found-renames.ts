import type { Matches } from "../diff/compare.js";
import type { Change } from "../diff/types.js";
import { unionNameOf } from "../protocol/names/names.js";
import { serviceNames } from "../protocol/names/output-names.js";
import type {
  FieldDef,
  LegacyDef,
  LegacyKind,
  OperationDef,
  Protocol,
} from "../protocol/model/types.js";
import { messageOf, messagesOf } from "./parts.js";

/** Kinds of names in a manifest, by the subject of a change. */
const kinds: Readonly<Partial<Record<Change["subject"], LegacyKind>>> = {
  type: "types",
  field: "properties",
  value: "keys",
};

/**
 * Returns the later version with the renames that its manifest does not list, but that the
 * comparison has found: types, enum keys, and fields that have kept their numbers.
 */
export function withFoundRenames(
  before: Protocol,
  after: Protocol,
  changes: readonly Change[],
  { types }: Pick<Matches, "types">,
): Protocol {
  const since = after.binding?.version ?? "";
  const listed = new Set(after.legacy.map(({ kind, old }) => `${kind} ${old}`));
  const found = changes.flatMap(({ subject, action, name, to }): LegacyDef[] => {
    const kind = kinds[subject];
    if (kind === undefined || action !== "renamed" || to === undefined) return [];
    const [type = "", member] = name.split(".");
    if (member === undefined) return [{ kind, old: name, now: to, since, value: "same" }];
    const owner = types.rename(type);
    const isRenumbered =
      numberOf(before, type, member) !== numberOf(after, owner, to) && subject === "field";
    return isRenumbered
      ? []
      : [{ kind, old: `${owner}.${member}`, type: owner, now: `${owner}.${to}`, since }];
  });
  const added = found.filter(({ kind, old }) => !listed.has(`${kind} ${old}`));
  return { ...after, legacy: [...after.legacy, ...added] };
}

function numberOf(protocol: Protocol, type: string, name: string): number | undefined {
  const isNamed = (field: FieldDef): boolean => field.name === name;
  return messageOf(protocol, type)?.fields.find(isNamed)?.proto?.number;
}

/**
 * Returns the new names of the unions of oneofs: the union in the counterpart of the message that
 * has a member of the oneof. `types` and `members` contain the new names of types and members.
 */
export function renamedUnions(
  before: Protocol,
  after: Protocol,
  {
    types,
    members,
  }: {
    readonly types: ReadonlyMap<string, string>;
    readonly members: ReadonlyMap<string, string>;
  },
): [string, string][] {
  return messagesOf(before).flatMap((message) => {
    const { name, oneofs } = message;
    const target = messageOf(after, types.get(name) ?? name);
    return oneofs.flatMap((oneof): [string, string][] => {
      const kept = oneof.members.map((key) => members.get(`${name}.${key}`) ?? key);
      const same = target?.oneofs.find((other) => other.members.some((key) => kept.includes(key)));
      if (target === undefined || same === undefined) return [];
      const [old, now] = [unionNameOf(message, oneof), unionNameOf(target, same)];
      return old === now || old === name ? [] : [[old, now]];
    });
  });
}

/** Returns the new names of the exports of renamed services. */
export function renamedServices({ services }: Pick<Matches, "services">): [string, string][] {
  return services.pairs.flatMap(({ from, to }): [string, string][] =>
    from.name === to.name
      ? []
      : serviceNames.map(([first, last]) => [first + from.name + last, first + to.name + last]),
  );
}

/** Names of the interfaces in the output of an agent that have a method for each operation. */
const agentOwners = ["A2AClient", "A2AService"] as const;

/** Returns the names of the interfaces in the output that have a method for each operation. */
export function operationOwners({ services }: Pick<Protocol, "services">): string[] {
  return services === undefined
    ? [...agentOwners]
    : services.flatMap(({ name }) => [`${name}Client`, `${name}Service`]);
}

/** Returns the paths of an operation's method in its client and in its service. */
export function methodPaths(
  { services }: Pick<Protocol, "services">,
  { method, ownMethod = method, rpc }: OperationDef,
): string[] {
  const owners = operationOwners(
    services === undefined
      ? {}
      : { services: services.filter(({ fullName }) => fullName === rpc?.service) },
  );
  return owners.map((owner) => `${owner}.${ownMethod}`);
}
