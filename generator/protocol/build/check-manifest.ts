import type { Diagnostics } from "../../../support/diagnostics.js";
import type { LoadedManifest } from "../model/manifest.js";
import { isIdentifier, jsonName } from "../../../support/names.js";
import { withoutPackage } from "./docs.js";
import { matchesName } from "./legacy.js";
import { reservedNames } from "../names/reserved.js";
import type { FieldDef, MessageDef, OperationDef, TypeDef, ValueType } from "../model/types.js";

/** The parts of a specification that a manifest refers to. */
export interface Interface {
  readonly package: string;
  /** The types of the model. */
  readonly types: readonly TypeDef[];
  /** The types of the proto, if the specification has a proto. */
  readonly protoTypes: readonly TypeDef[];
  readonly operations: readonly OperationDef[];
}

/**
 * Reports names in a manifest that the specification does not define, and names that collide in the
 * output.
 */
export function checkManifest(
  target: Interface,
  loaded: LoadedManifest,
  diagnostics: Diagnostics,
): void {
  const { manifest } = loaded;
  const messages = new Map(
    target.types.flatMap((type) => (type.kind === "message" ? [[type.name, type] as const] : [])),
  );
  checkMethods(target, loaded, diagnostics);
  checkCard(messages, loaded, diagnostics);
  checkMembers(target, loaded, diagnostics);
  checkErrorNames(target, loaded, diagnostics);
  const names = new Set([...target.types, ...target.protoTypes].map(({ fullName }) => fullName));
  for (const fullName of Object.keys(manifest.names ?? {})) {
    if (!names.has(fullName))
      reportMissing(
        loaded,
        ["names", fullName],
        `message or enum "${fullName}"`,
        diagnostics,
        "Use the full name including the package, or the path in the schema",
      );
  }
  for (const [subject, roots] of Object.entries(manifest.subjects ?? {})) {
    for (const root of roots)
      if (!target.types.some(({ name }) => matchesName(root, name)))
        reportMissing(loaded, ["subjects", subject], `type "${root}"`, diagnostics);
  }
  const { tenant, webhook } = manifest;
  if (webhook !== undefined && !target.types.some(({ name }) => name === webhook))
    reportMissing(loaded, ["webhook"], `type "${webhook}"`, diagnostics);
  const requests = target.operations.flatMap(({ request }) =>
    request.kind === "named" ? [request.name] : [],
  );
  if (
    tenant !== undefined &&
    !requests.some((name) => fieldOf(messages.get(name), tenant) !== undefined)
  )
    reportMissing(loaded, ["tenant"], `request with a field "${tenant}"`, diagnostics);
}

/**
 * Reports an entry that names a missing element. Inherited entries are skipped, because they may
 * name elements that this version does not have.
 */
function reportMissing(
  { nearest, owns }: LoadedManifest,
  keys: readonly string[],
  what: string,
  diagnostics: Diagnostics,
  hint = "Remove it, or correct the name",
): void {
  if (owns(...keys)) diagnostics.add(nearest(...keys), `the specification has no ${what}`, hint);
}

function checkMethods(
  { operations, types }: Interface,
  loaded: LoadedManifest,
  diagnostics: Diagnostics,
): void {
  const names = new Set(operations.map(({ name }) => name));
  const methods = new Map<string, string>();
  for (const [name, { jsonRpc, returns }] of Object.entries(loaded.manifest.operations ?? {})) {
    if (returns !== undefined && !types.some((type) => type.name === returns))
      reportMissing(loaded, ["operations", name, "returns"], `type "${returns}"`, diagnostics);
    if (!names.has(name)) {
      reportMissing(loaded, ["operations", name], `operation "${name}"`, diagnostics);
      continue;
    }
    const earlier = jsonRpc === undefined ? undefined : methods.get(jsonRpc);
    if (jsonRpc !== undefined) methods.set(jsonRpc, name);
    if (earlier === undefined) continue;
    const message = `${name} has the same JSON-RPC method "${jsonRpc}" as ${earlier}`;
    const location = loaded.nearest("operations", name, "jsonRpc");
    diagnostics.add(location, message, "Use a different method for each operation");
  }
}

/** Reports entries under `card` and `capabilities` that do not name a field of the card. */
function checkCard(
  messages: ReadonlyMap<string, MessageDef>,
  loaded: LoadedManifest,
  diagnostics: Diagnostics,
): void {
  const { card, capabilities = {} } = loaded.manifest;
  if (card === undefined) return;
  const type = messages.get(card.type);
  if (type === undefined)
    return reportMissing(loaded, ["card", "type"], `message "${card.type}"`, diagnostics);
  const follow = (
    from: MessageDef | undefined,
    path: readonly string[],
    keys: readonly string[],
  ) => {
    let owner = from;
    for (const key of path) {
      if (owner === undefined) return undefined;
      const field: FieldDef | undefined = fieldOf(owner, key);
      if (field === undefined)
        reportMissing(loaded, keys, `field "${key}" in ${owner.fullName}`, diagnostics);
      owner = field && messages.get(messageIn(field.type) ?? "");
    }
    return owner;
  };
  const { list, main, ...fields } = card.interfaces;
  if (main !== undefined) {
    for (const key of ["url", "binding"] as const)
      if (main[key] !== undefined) follow(type, [main[key]], ["card", "interfaces", "main", key]);
  }
  if (list !== undefined) {
    const entry = follow(type, [list], ["card", "interfaces", "list"]);
    for (const [key, name] of Object.entries(fields))
      follow(entry, [name], ["card", "interfaces", key]);
  }
  if (card.extensions !== undefined) {
    const extension = follow(type, card.extensions.list, ["card", "extensions", "list"]);
    for (const key of ["uri", "required"] as const)
      follow(extension, [card.extensions[key]], ["card", "extensions", key]);
  }
  if (card.signatures !== undefined) follow(type, [card.signatures], ["card", "signatures"]);
  if (card.security !== undefined) {
    const { list, schemes, declared } = card.security;
    const requirement = follow(type, [list], ["card", "security", "list"]);
    if (schemes !== undefined) follow(requirement, [schemes], ["card", "security", "schemes"]);
    if (declared !== undefined) follow(type, [declared], ["card", "security", "declared"]);
  }
  for (const [name, { path }] of Object.entries(capabilities))
    follow(type, path, ["capabilities", name, "path"]);
}

function fieldOf(message: MessageDef | undefined, name: string): FieldDef | undefined {
  return message?.fields.find((field) => field.name === name);
}

function messageIn(type: ValueType): string | undefined {
  if (type.kind === "list") return messageIn(type.element);
  return type.kind === "message" ? type.name : undefined;
}

/** Returns whether a value of a type can be empty: a list, a string, a number or a boolean. */
function canBeEmpty({ kind }: ValueType): boolean {
  return ["list", "scalar", "string", "number", "boolean"].includes(kind);
}

/**
 * Reports entries under `requiredOneofs` that do not name a oneof, and entries under `maybeEmpty`
 * that do not name a field whose value can be empty, and aliases of missing fields.
 */
function checkMembers(target: Interface, loaded: LoadedManifest, diagnostics: Diagnostics): void {
  const known = { requiredOneofs: new Set<string>(), maybeEmpty: new Set<string>() };
  const fields = new Set<string>();
  for (const type of [...target.protoTypes, ...target.types]) {
    if (type.kind !== "message") continue;
    const owner = withoutPackage(type.fullName, target.package);
    for (const { name } of type.fields) fields.add(`${owner}.${name}`);
    for (const { name } of type.oneofs) known.requiredOneofs.add(`${owner}.${name}`);
    for (const { name, proto } of type.fields.filter((field) => canBeEmpty(field.type)))
      known.maybeEmpty.add(`${owner}.${jsonName(proto?.name ?? name)}`);
  }
  const kinds = { requiredOneofs: "oneof", maybeEmpty: "list, string, number or boolean" } as const;
  for (const key of ["requiredOneofs", "maybeEmpty"] as const) {
    for (const [index, name] of (loaded.manifest[key] ?? []).entries()) {
      const dot = name.lastIndexOf(".") + 1;
      if (!known[key].has(name.slice(0, dot) + jsonName(name.slice(dot))))
        reportMissing(loaded, [key, String(index)], `${kinds[key]} "${name}"`, diagnostics);
    }
  }
  for (const name of Object.keys(loaded.manifest.fieldAliases ?? {}))
    if (!fields.has(name))
      reportMissing(loaded, ["fieldAliases", name], `field "${name}"`, diagnostics);
}

/** Reports errors that the manifest itself defines and whose names cannot be class names. */
function checkErrorNames(
  { types }: Interface,
  { manifest, nearest, owns }: LoadedManifest,
  diagnostics: Diagnostics,
): void {
  const names = new Map(types.map(({ name, fullName }) => [name, fullName]));
  for (const name of Object.keys(manifest.errors ?? {}).filter((entry) => owns("errors", entry))) {
    const owner = names.get(name);
    const location = nearest("errors", name);
    if (owner !== undefined) {
      diagnostics.add(
        location,
        `the error "${name}" has the same name as ${owner}`,
        "Rename the error",
      );
    } else if (!isIdentifier(name) || reservedNames.has(name)) {
      diagnostics.add(
        location,
        `the error "${name}" has a name that is reserved in the output`,
        "Rename the error",
      );
    }
  }
}
