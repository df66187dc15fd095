/** A set of sample characters, as a bit mask. */
type Characters = bigint;

/** The positions of a part of a pattern, as in Glushkov's construction of an automaton. */
interface Part {
  /** Whether the part matches the empty string. */
  readonly isOptional: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const empty: Part = { isOptional: true, first: [], last: [] };

/** The maximum length of a pattern. Longer patterns are not examined. */
const longest = 1_000;

/** The maximum number of positions. Larger patterns are not examined. */
const mostPositions = 100;

/** The maximum number of steps of the search. Patterns that require more steps are not reported. */
const mostSteps = 200_000;

/** Repetitions with a larger count are examined as if they had this count. */
const mostCopies = 3;

/**
 * Returns whether a regular expression may take exponential time, because a repetition can match
 * the same text in several ways, as in `(a+)+` and `(a|a)*`. The pattern must be valid with the
 * flag `u`.
 *
 * Slow patterns may be missed: large patterns, back-references, and patterns that take polynomial
 * time, such as `a*a*b`.
 */
export function isSlowPattern(source: string): boolean {
  if (source.length > longest) return false;
  const automaton = new Automaton(source);
  automaton.read();
  return automaton.positions <= mostPositions && automaton.isAmbiguous();
}

function add(map: Map<number, number[]>, key: number, value: number): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/**
 * The automaton of a pattern: a position for each character of the pattern, and the positions that
 * may follow it.
 */
class Automaton {
  readonly #source: string;
  readonly #samples: readonly string[];
  readonly #accepted: Characters[] = [];
  /** For each position, the number of ways to each position that may follow it. */
  readonly #follows: Map<number, number>[] = [];
  #at = 0;
  #steps = 0;

  constructor(source: string) {
    this.#source = source;
    const common = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    this.#samples = [...new Set([...common, ...Array.from(`Жא中😀\u2028${source}`)])].slice(
      0,
      1_000,
    );
  }

  /** Number of positions. */
  get positions(): number {
    return this.#accepted.length;
  }

  /** Reads alternatives up to the end of the pattern or of a group. */
  read(): Part {
    const alternatives = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      alternatives.push(this.#sequence());
    }
    return {
      isOptional: alternatives.some(({ isOptional }) => isOptional),
      first: alternatives.flatMap(({ first }) => first),
      last: alternatives.flatMap(({ last }) => last),
    };
  }

  /** Returns whether there are two ways from a position to itself that read the same text. */
  isAmbiguous(): boolean {
    return this.#accepted.some((_, position) => this.#isAmbiguousAt(position));
  }

  #isAmbiguousAt(position: number): boolean {
    const start = this.#pair(position, position);
    const before = new Map<number, number[]>();
    const reached = new Set([start]);
    // The set grows while it is iterated.
    for (const pair of reached) {
      const [left, right] = [Math.floor(pair / this.positions), pair % this.positions];
      for (const [one, ways] of this.#follows[left] ?? [])
        for (const other of this.#follows[right]?.keys() ?? []) {
          if ((this.#steps += 1) > mostSteps) return false;
          if (((this.#accepted[one] ?? 0n) & (this.#accepted[other] ?? 0n)) === 0n) continue;
          const next = this.#pair(one, other);
          // Two ways along the same edge count as a pair of different positions.
          const mark = ways > 1 && left === right && one === other ? [-1 - next] : [];
          for (const key of [next, ...mark]) add(before, key, pair);
          for (const key of mark) add(before, next, key);
          reached.add(next);
        }
    }
    const leading = new Set([start]);
    for (const pair of leading) for (const earlier of before.get(pair) ?? []) leading.add(earlier);
    return [...leading].some(
      (pair) => pair < 0 || Math.floor(pair / this.positions) !== pair % this.positions,
    );
  }

  #pair(left: number, right: number): number {
    return left * this.positions + right;
  }

  #sequence(): Part {
    let sequence = empty;
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] ?? ""))
      sequence = this.#joined(sequence, this.#repeated());
    return sequence;
  }

  #joined(left: Part, right: Part): Part {
    this.#connect(left.last, right.first);
    return {
      isOptional: left.isOptional && right.isOptional,
      first: left.isOptional ? [...left.first, ...right.first] : left.first,
      last: right.isOptional ? [...left.last, ...right.last] : right.last,
    };
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const position of from) {
      const follows = this.#follows[position];
      for (const next of to) follows?.set(next, (follows.get(next) ?? 0) + 1);
    }
  }

  /** Reads an atom with its quantifier. Counted repetitions are read several times. */
  #repeated(): Part {
    const start = this.#at;
    const once = this.#atom();
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (quantifier === null) return once;
    const end = this.#at + quantifier[0].length;
    const [text, low = "", comma, high = ""] = quantifier;
    const isCounted = text.startsWith("{");
    const isEndless = isCounted ? comma !== "" && high === "" : !text.startsWith("?");
    const least = isCounted ? Number(low) : text.startsWith("+") ? 1 : 0;
    const most = isEndless ? Math.max(least, 1) : isCounted ? Number(comma === "" ? low : high) : 1;
    let all = least > 0 ? once : { ...once, isOptional: true };
    let copy = once;
    for (let count = 1; count < Math.min(most, mostCopies) && this.#canCopy(); count += 1) {
      this.#at = start;
      copy = this.#atom();
      all = this.#joined(all, count < least ? copy : { ...copy, isOptional: true });
    }
    if (isEndless) this.#connect(copy.last, copy.first);
    this.#at = end;
    return most === 0 ? empty : all;
  }

  /**
   * Counts a step, because copies of nested groups multiply even if the groups have no positions.
   */
  #canCopy(): boolean {
    return this.positions <= mostPositions && (this.#steps += 1) <= mostSteps;
  }

  /** Reads a group, a class, an escape or a character. */
  #atom(): Part {
    const rest = this.#source.slice(this.#at);
    const group = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(rest);
    if (group !== null) {
      this.#at += group[0].length;
      const body = this.read();
      this.#at += 1;
      // Assertions consume no text.
      return /[=!]$/.test(group[0]) ? empty : body;
    }
    const assertion = /^(?:[$^]|\\[bB]|\\[1-9]\d*|\\k<[^>]*>)/.exec(rest);
    if (assertion !== null) {
      this.#at += assertion[0].length;
      return empty;
    }
    const escape =
      /^\\(?:u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[\da-fA-F]{4}|u.{4}|x..|c.|[pP]\{[^}]*\}|.)/su;
    const [atom = ""] =
      /^\[(?:\\.|[^\]\\])*\]/su.exec(rest) ?? escape.exec(rest) ?? /^./su.exec(rest) ?? [];
    this.#at += Math.max(atom.length, 1);
    const position = this.positions;
    this.#accepted.push(this.positions > mostPositions ? 0n : this.#charactersOf(atom));
    this.#follows.push(new Map());
    return { isOptional: false, first: [position], last: [position] };
  }

  #charactersOf(atom: string): Characters {
    const pattern = new RegExp(`^(?:${atom})$`, "u");
    return this.#samples.reduce(
      (mask, sample, index) => mask | (BigInt(pattern.test(sample)) << BigInt(index)),
      0n,
    );
  }
}
