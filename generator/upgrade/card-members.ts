import type { CardInterfacesDef, Protocol } from "../protocol/model/types.js";
import { isRecord } from "../../support/values.js";
import { messageOf } from "./parts.js";

/** Interfaces of the card in both versions, if the main interface was moved into the list. */
export interface MovedInterfaces {
  readonly card: string;
  /** Type of an interface in the earlier list, if there was a list. */
  readonly element: string | undefined;
  readonly before: CardInterfacesDef & { readonly main: NonNullable<CardInterfacesDef["main"]> };
  readonly after: Required<Pick<CardInterfacesDef, "list" | "url" | "binding">> &
    Pick<CardInterfacesDef, "version">;
}

/** Properties whose values are the protocol version, by `Type.property`, and the versions. */
export interface VersionMembers {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  readonly from: string;
  readonly to: string;
}

/** Returns the interfaces of the card, if the main interface was moved into the list. */
export function interfacesBetween(
  earlier: Protocol,
  { binding: to }: Protocol,
): MovedInterfaces | undefined {
  const from = earlier.binding?.card;
  const before = from?.interfaces;
  const { main, list, url, binding, version } = to?.card?.interfaces ?? {};
  if (from === undefined || before?.main === undefined || main !== undefined) return undefined;
  if (list === undefined || url === undefined || binding === undefined) return undefined;
  const after = { list, url, binding, ...(version !== undefined && { version }) };
  const fields = messageOf(earlier, from.type)?.fields ?? [];
  const listed = fields.find(({ name }) => name === before.list)?.type;
  const hasName = listed?.kind === "list" && "name" in listed.element;
  const element = hasName ? listed.element.name : undefined;
  return { card: from.type, element, before: { ...before, main: before.main }, after };
}

/** Returns the properties that contain the protocol version in both versions. */
export function versionsBetween(before: Protocol, after: Protocol): VersionMembers | undefined {
  const from = cardVersion(before);
  const to = cardVersion(after);
  if (from === undefined || to === undefined) return undefined;
  return { before: versionMembers(before, from), after: versionMembers(after, to), from, to };
}

/**
 * Returns the version in the form that cards contain: the full version if the sample card contains
 * the full version, otherwise `Major.Minor`.
 */
export function cardVersion({ binding }: Protocol): string | undefined {
  if (binding === undefined) return undefined;
  const { version, wireVersion, card } = binding;
  const contains = (value: unknown): boolean =>
    value === version ||
    (isRecord(value) && Object.values(value).some(contains)) ||
    (Array.isArray(value) && value.some(contains));
  return contains(card?.sample) ? version : wireVersion;
}

/**
 * Returns the properties that contain the version in the sample card, or the version of an
 * interface.
 */
function versionMembers(protocol: Protocol, version: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown, type: string): void => {
    if (Array.isArray(value)) for (const element of value) visit(element, type);
    if (!isRecord(value)) return;
    for (const { name, type: held } of messageOf(protocol, type)?.fields ?? []) {
      if (value[name] === version) found.add(`${type}.${name}`);
      const inner = held.kind === "list" ? held.element : held;
      if ("name" in inner) visit(value[name], inner.name);
    }
  };
  const { card } = protocol.binding ?? {};
  if (card !== undefined) visit(card.sample, card.type);
  return found;
}
