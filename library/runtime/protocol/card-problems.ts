import { isObject } from "../base/json.js";
import { pointerOf } from "../schema/issue.js";
import type { Type } from "../schema/schema.js";
import { interfaceProblem } from "./interface-problem.js";
import type { DiscoveryFacts, ServiceFacts } from "./operation.js";

/** Mistake in a valid agent card that may cause clients to misinterpret the card. */
export interface CardProblem {
  /** The location as a JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly problem: string;
  /** The change that fixes the mistake. */
  readonly hint: string;
}

/** Facts about a version, for {@link findCardProblems}. */
export interface CardRules {
  readonly protocol: ServiceFacts;
  readonly discovery: DiscoveryFacts;
  /** The type of the card. */
  readonly type: Type<unknown>;
}

type Path = readonly (string | number)[];

/**
 * Returns the likely mistakes in a valid card: unusable bindings and URLs, undeclared security
 * schemes, and misspelled members.
 */
export function findCardProblems(card: unknown, rules: CardRules): CardProblem[] {
  return [
    ...interfaceProblems(card, rules),
    ...schemeProblems(card, rules),
    ...misspelledMembers(card, rules.type),
  ];
}

/** Object in a card that describes an interface, and the keys of its members. */
interface InterfaceEntry {
  readonly path: Path;
  readonly holder: unknown;
  readonly keys: { readonly url: string; readonly binding: string | undefined };
  readonly defaultBinding?: string;
}

function interfaceProblems(card: unknown, { protocol, discovery }: CardRules): CardProblem[] {
  return entriesIn(card, discovery).flatMap(({ path, holder, keys, defaultBinding }) => {
    const url = memberOf(holder, keys.url);
    const binding = memberOf(holder, keys.binding) ?? defaultBinding;
    if (typeof url !== "string" || typeof binding !== "string") return [];
    const found = interfaceProblem(url, binding, protocol);
    if (found === undefined) return [];
    const { of: member, problem, hint } = found;
    return [{ path: pointerOf([...path, keys[member] ?? ""]), problem, hint }];
  });
}

function entriesIn(card: unknown, { interfaces }: DiscoveryFacts): InterfaceEntry[] {
  const { list = "", url = "url", binding = "binding", main } = interfaces;
  const listed = memberOf(card, list);
  const items: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const entries: InterfaceEntry[] = items.map((holder, at) => ({
    path: [list, at],
    holder,
    keys: { url, binding },
  }));
  if (main === undefined) return entries;
  const { binding: key, defaultBinding } = main;
  return [
    { path: [], holder: card, keys: { url: main.url, binding: key }, defaultBinding },
    ...entries,
  ];
}

/**
 * Returns a problem for each required scheme that the card does not declare, because no caller can
 * satisfy such a requirement.
 */
function schemeProblems(card: unknown, { discovery: { security } }: CardRules): CardProblem[] {
  const required = memberOf(card, security?.list);
  if (security?.declared === undefined || !Array.isArray(required)) return [];
  const { list, schemes: key, declared } = security;
  const known = memberOf(card, declared);
  return required.flatMap((requirement: unknown, at) => {
    const schemes = key === undefined ? requirement : memberOf(requirement, key);
    if (!isObject(schemes)) return [];
    const missing = Object.keys(schemes).filter((name) => memberOf(known, name) === undefined);
    return missing.map((name) => ({
      path: pointerOf([list, at, ...(key === undefined ? [] : [key]), name]),
      problem: `unknown security scheme "${name}"`,
      hint: `declare it in ${declared}`,
    }));
  });
}

/**
 * Returns a problem for each unknown member whose name differs by one letter from the name of an
 * absent member.
 */
export function misspelledMembers(
  value: unknown,
  type: Type<unknown> | undefined,
  path: readonly (string | number)[] = [],
): CardProblem[] {
  if (type === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((item: unknown, at) =>
      misspelledMembers(item, type.element, [...path, at]),
    );
  if (!isObject(value) || type.field === undefined) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = type.field?.(name);
    if (known !== undefined) return misspelledMembers(member, known, [...path, name]);
    const meant = neighborsOf(name).find(
      (candidate) => type.field?.(candidate) !== undefined && value[candidate] === undefined,
    );
    if (meant === undefined) return [];
    return [
      {
        path: pointerOf([...path, name]),
        problem: `unknown member "${name}"`,
        hint: `write "${meant}"`,
      },
    ];
  });
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Returns the words that result from removing, adding or replacing one letter of a word, or from
 * swapping two adjacent letters.
 */
function neighborsOf(word: string): string[] {
  // No member has a longer name, and a longer word would have thousands of candidates.
  if (word.length > 40) return [];
  return Array.from({ length: word.length + 1 }, (_, at) => {
    const before = word.slice(0, at);
    const here = word.charAt(at);
    const after = word.slice(at + 1);
    const removed = before + after;
    const swapped = before + after.charAt(0) + here + after.slice(1);
    const added = Array.from(letters, (letter) => before + letter + here + after);
    const replaced = Array.from(letters, (letter) => before + letter + after);
    return [removed, swapped, ...added, ...replaced];
  }).flat();
}

function memberOf(value: unknown, key: string | undefined): unknown {
  return key !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Maximum number of problems in a warning. */
const maxShown = 10;

/**
 * Returns a warning that lists the mistakes in a card; `undefined` if the card contains no
 * mistakes.
 */
export function cardWarning(problems: readonly CardProblem[]): Error | undefined {
  if (problems.length === 0) return undefined;
  const shown = problems
    .slice(0, maxShown)
    .map(({ path, problem, hint }) => `${path}: ${problem}, ${hint}`);
  return new Error(`Clients may misread the agent card: ${shown.join("; ")}`);
}
