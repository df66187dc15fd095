import type { ClientErrors } from "../protocol/error.js";
import type { DiscoveryFacts, ProtocolFacts } from "../protocol/operation.js";
import { adviceOn } from "../protocol/version-advice.js";
import type { NamedVersion } from "../protocol/version.js";
import type { Issue, ValidationError } from "../schema/schema.js";
import { withoutOptional } from "./optional-members.js";

// Clients load this module after they have rejected a card. It imports no module that clients load
// before, because bundlers would move such a module out of the file that every client loads.

/** A card that is invalid, or that contains no interface of the client's version. */
interface RejectedCard {
  readonly card: unknown;
  /** The versions in the card. */
  readonly named: readonly NamedVersion[];
  /** The error of the card, if it is invalid. */
  readonly cause: Error | undefined;
  /** Returns the issues of a value in the form that a peer must send. */
  readonly issuesOf: (value: unknown) => readonly Issue[];
}

/** Facts about the client. */
interface RejectOptions {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
  readonly errors: ClientErrors;
  readonly strict?: boolean | undefined;
}

/**
 * Returns an invalid card without the optional members with issues, unless calls depend on these
 * members. Returns `undefined` if nothing can be omitted. For a card of another version, throws an
 * error with a hint about the version, which is more useful than a list of missing members.
 */
export function acceptedPart(
  url: string,
  { card, named, cause, issuesOf }: RejectedCard,
  { protocol, discovery, errors, strict }: RejectOptions,
): { readonly card: object; readonly issues: readonly Issue[] } | undefined {
  const advice = adviceOn(named, protocol.version);
  if (advice !== undefined) throw new errors.invalidResponse(`${url}: ${advice}`, { cause });
  const { issues = [] } = (cause?.cause ?? {}) as Partial<ValidationError>;
  if (typeof card !== "object" || card === null || issues.length === 0 || strict) return undefined;
  const { interfaces, security, extensions } = discovery;
  const needed = [
    interfaces.list,
    interfaces.main?.url,
    security?.list,
    security?.declared,
    extensions?.list[0],
  ];
  const rest = withoutOptional(card, issues, needed, issuesOf);
  return rest && { card: rest, issues };
}
