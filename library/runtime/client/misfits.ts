import { interfaceProblem } from "../protocol/interface-problem.js";
import type { ProtocolFacts } from "../protocol/operation.js";
import type { AgentInterface, TransportFactory } from "../protocol/transport.js";
import { adviceOn, shorten } from "../protocol/version-advice.js";
import type { NamedVersion } from "../protocol/version.js";
import type { CardFacts } from "./versions.js";

// This module imports no values that other parts of a client use, because bundlers would move them
// out of the file that every client loads.

/** Maximum number of interfaces in a message. */
const maxShown = 10;

/** A card without a usable interface, and what the client supports. */
interface Misfit {
  readonly card: unknown;
  readonly offered: readonly AgentInterface[];
  readonly factories: readonly TransportFactory[];
  /** The versions that the client supports. */
  readonly spoken: readonly string[];
  /** The versions in the card. */
  readonly named: readonly NamedVersion[];
}

/** Returns whether a factory supports the binding and the version of an interface. */
type Speaks = (
  factory: TransportFactory,
  target: AgentInterface,
  protocol: ProtocolFacts,
) => boolean;

/**
 * Returns the message about a card without a usable interface, with a reason for each interface.
 */
export function describeMisfits(misfit: Misfit, facts: CardFacts, speaks: Speaks): string {
  const { offered, factories, spoken, named } = misfit;
  const { protocol } = facts;
  const known = factories
    .map(({ binding, version = protocol.version }) => `${binding} ${version}`)
    .join(", ");
  const shown = offered.slice(0, maxShown).map((target) => {
    const { binding, version, url } = target;
    const reason = misfitOf(target, factories, facts, speaks);
    return `${shorten(`${binding} ${version} at ${url}`, 200)} (${reason})`;
  });
  const offers = shown.join(", ") + (offered.length > maxShown ? ", …" : "");
  const advice =
    adviceOn(named, protocol.version, spoken) ??
    (offered.length === 0 ? formAdvice(misfit, facts) : undefined);
  const message =
    `The agent offers ${offers || "no interface"}; this client supports ` + (known || "nothing");
  return advice === undefined ? message : `${message}; ${advice}`;
}

/** Returns a hint for a card without any interface that can be read. */
function formAdvice(
  { card, named, spoken }: Misfit,
  { protocol, discovery }: CardFacts,
): string | undefined {
  const { list = "", url, binding } = discovery.interfaces;
  if (typeof card !== "object" || card === null || Array.isArray(card)) return undefined;
  const { [list]: listed } = card as Readonly<Record<string, unknown>>;
  if (Array.isArray(listed) && listed.length > 0)
    return (
      `the interfaces in ${list} must have the members ` +
      [url, binding].filter(Boolean).join(" and ")
    );
  const { assumedVersion: assumed } = protocol;
  const mayHaveAssumedVersion = list !== "" && named.length === 0;
  if (!mayHaveAssumedVersion || spoken.includes(assumed))
    return `the card has no ${list || "interface"}`;
  return (
    `the card has no ${list} and no version, as cards of ${assumed}: ` +
    `generate with --versions ${assumed}, and pass the adapter to connect in versions`
  );
}

/** Returns the reason why an interface is not usable. */
function misfitOf(
  target: AgentInterface,
  factories: readonly TransportFactory[],
  { protocol }: CardFacts,
  speaks: Speaks,
): string {
  const { url, binding } = target;
  const isSpoken = factories.some((factory) => speaks(factory, target, protocol));
  const hasBinding = factories.some((factory) => factory.binding === binding);
  if (!isSpoken && hasBinding) return "no transport for this version";
  const hint = interfaceProblem(url, binding, protocol)?.hint;
  if (hint !== undefined) return `in the card, ${hint}`;
  if (!isSpoken) return "no transport for this binding";
  return "a socket on the client's machine is not allowed";
}
