import type { CardSession } from "./card-session.js";
import type { Capability, Session } from "./session.js";

export { Inapplicable } from "./inapplicable.js";

/** Importance of a rule, as in RFC 2119. */
export type Level = "must" | "should" | "may";

/** All levels, the most important level first. */
export const levels: readonly Level[] = ["must", "should", "may"];

/** Conditions for a rule to apply. */
export interface Needs {
  /** The only binding that the rule applies to. */
  readonly binding?: "JSONRPC" | "HTTP+JSON" | "GRPC";
  /** Whether the rule is about HTTP and therefore does not apply to gRPC. */
  readonly http?: true;
  /**
   * Whether the check sends a message or makes any other change. The user must allow such checks.
   */
  readonly sends?: true;
  /**
   * Whether the check sends a message that an agent may store although it is invalid. These checks
   * run last, after all other checks on all interfaces, because stored messages are in the lists
   * that other rules read.
   */
  readonly malformed?: true;
  /** Capability that the card must declare. */
  readonly capability?: Capability;
  /** Capability that the card must not declare. */
  readonly without?: Capability;
}

/**
 * Section of the specification, with the level of a rule in this section if it is not the usual
 * level of the rule.
 */
export type Place = string | { readonly section: string; readonly level: Level };

/** Facts about a rule. */
interface RuleFacts {
  readonly id: string;
  readonly level: Level;
  /** Section of A2A 1.0.1; absent if only 0.3.0 has the rule. */
  readonly section?: Place;
  /**
   * Sections of A2A 1.0.1 for bindings whose chapter is stricter or less strict than
   * {@link RuleFacts.section}.
   */
  readonly over?: Readonly<Record<string, Place>>;
  /** Section of A2A 0.3.0; absent if 0.3.0 has no such rule. */
  readonly earlier?: Place;
  readonly title: string;
  /**
   * Rules about the same fault. If one of them has failed, a failure of this rule adds nothing: the
   * report lists one finding for one fault. These rules run before this rule.
   */
  readonly follows?: readonly string[];
}

/**
 * Returns section and level of a rule for a version and a binding; `undefined` if that version has
 * no such rule.
 */
export function placeOf(
  { level, section, over = {}, earlier }: RuleFacts,
  isCurrent: boolean,
  binding = "",
): { readonly section: string; readonly level: Level } | undefined {
  const place = isCurrent ? (over[binding] ?? section) : earlier;
  return typeof place === "string" ? { section: place, level } : place;
}

/**
 * Result of a check: the reason why the agent breaks the rule, or `undefined` if the agent follows
 * the rule.
 */
export type Outcome = string | undefined;

/** Rule for calls over an interface. */
export interface Rule extends RuleFacts {
  readonly needs?: Needs;
  readonly check: (session: Session) => Promise<Outcome>;
}

/** Rule for the agent card. */
export interface CardRule extends RuleFacts {
  readonly check: (session: CardSession) => Outcome | Promise<Outcome>;
}
