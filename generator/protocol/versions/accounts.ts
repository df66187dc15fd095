import type { LegacyKind } from "../model/types.js";
import type { OldNames } from "./old-names.js";
import { earlier, later, opposite } from "./sides.js";
import type { Side, Sides, VersionLoss } from "./types.js";

const kinds = {
  types: "alternative",
  values: "value",
  properties: "field",
  methods: "operation",
  errors: "error",
} as const;

/**
 * Collects the losses of conversions between two versions, such as elements that are missing from
 * one of them.
 */
export class Accounts {
  readonly #losses = new Map<string, VersionLoss>();
  readonly #pending: (() => void)[] = [];
  readonly #carried = new Set<string>();
  readonly #elsewhere = new Set<string>();
  readonly #names: OldNames;
  readonly #report: (message: string, hint: string) => void;

  constructor(names: OldNames, report: (message: string, hint: string) => void) {
    this.#names = names;
    this.#report = report;
  }

  /**
   * Returns the losses. Reports each missing element for which the manifest of the later version
   * contains no entry, except for optional elements of the later version.
   */
  reportMissing(): readonly VersionLoss[] {
    for (const look of this.#pending.splice(0)) look();
    return [...this.#losses.values()];
  }

  /** Records that the other version has an element, in a type at another path. */
  carry(side: Side, subject: string): void {
    this.#carried.add(`${side} ${subject}`);
  }

  /**
   * Records that the other version has an element at one path, but not at every path where the type
   * is used.
   */
  carrySometimes(side: Side, subject: string): void {
    this.#elsewhere.add(`${side} ${subject}`);
  }

  /**
   * Records that only one version has an element, and whether that version requires the element.
   * `names` are all names of the element; messages contain the first name.
   */
  only(
    side: Side,
    kind: keyof typeof kinds & LegacyKind,
    names: readonly string[],
    isRequired = false,
  ): void {
    const isIn = (recorded: ReadonlySet<string>): boolean =>
      names.some((name) => recorded.has(`${side} ${name}`));
    const [subject = ""] = names;
    this.#pending.push(() => {
      if (isIn(this.#carried)) return;
      if (isIn(this.#elsewhere)) {
        const text = "the other version only has it in some types";
        this.#lose({ side, kind: kinds[kind], subject, text });
        return;
      }
      const note = side === earlier ? this.#names.noteOf(kind, names) : undefined;
      const text = note === undefined ? noSuch(kinds[kind]) : sentence(note);
      this.#lose({ side, kind: kinds[kind], subject, text });
      const isExpected = side === later ? !isRequired : this.#names.acceptRemoval(kind, names);
      if (!isExpected) this.#reportMissing(side, kind, subject);
    });
  }

  #reportMissing(side: Side, kind: keyof typeof kinds & LegacyKind, subject: string): void {
    const [own, other] = side === earlier ? ["earlier", "later"] : ["later", "earlier"];
    this.#report(
      `the ${kinds[kind]} ${subject} of the ${own} version has no counterpart in the ${other} one`,
      `Map it under legacy.${kind}, or list it under legacy.removed.${kind} of the later version`,
    );
  }

  /**
   * Records the reason why one version does not allow some values of the other version at a path.
   */
  narrow(side: Side, paths: Sides<string>, text: string): void {
    this.#lose({ side, kind: "form", subject: paths[side], other: paths[opposite(side)], text });
  }

  /** Records that a value may be absent in one version, but is required in the other. */
  fill(side: Side, paths: Sides<string>): void {
    const text = "if absent, it gets a default in the other version";
    this.#lose({ side, kind: "default", subject: paths[side], other: paths[opposite(side)], text });
  }

  #lose(loss: VersionLoss): void {
    const key = [loss.side, loss.kind, loss.subject, loss.other].join(" ");
    const known = this.#losses.get(key)?.text.split("; ") ?? [];
    const all = [...new Set([...known, loss.text])];
    const notes = all.filter((note) => note !== noSuch(loss.kind));
    const text = (notes.length > 0 ? notes : all).join("; ");
    this.#losses.set(key, { ...loss, text });
  }
}

/**
 * Returns a note from a manifest as an item of a list: without a full stop, and with a lower-case
 * first letter unless the note begins with code.
 */
function sentence(note: string): string {
  return `${note.slice(0, 1).toLowerCase()}${note.slice(1)}`.replace(/\.$/, "");
}

function noSuch(what: VersionLoss["kind"]): string {
  return `the other version has no such ${what}`;
}
