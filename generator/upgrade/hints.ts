import type { Protocol } from "../protocol/model/types.js";
import { inversionNote } from "./conversions.js";
import { loosenedBetween } from "./loosened.js";
import type { Restructuring } from "./restructuring.js";

/** New names of types and members. */
interface NewNames {
  readonly types: ReadonlyMap<string, string>;
  readonly members: ReadonlyMap<string, string>;
}

/** Describes what to write for code that the upgrade does not rewrite. */
export class Hints {
  readonly #structure: Restructuring;
  readonly #loosened: ReadonlyMap<string, string>;
  /** By the name of a message that was a list, the property that contains the list. */
  readonly #lists: ReadonlyMap<string, string>;

  constructor(
    before: Protocol,
    after: Protocol,
    structure: Restructuring,
    { types, members }: NewNames,
  ) {
    this.#structure = structure;
    this.#loosened = loosenedBetween(before, after, types, members);
    this.#lists = listsBetween(before, after, types);
  }

  /** Returns the hints for a member of the earlier version. */
  of(name: string): string[] {
    const { converted, last, choices } = this.#structure;
    const conversion = converted.get(name);
    const inversion = conversion?.value === "opposite" ? inversionNote(conversion) : undefined;
    const holders = new Map<string, string[]>();
    for (const { now, discriminator, cases } of choices)
      for (const [constant, { type, members }] of cases) {
        if (`${type}.${discriminator}` !== name) continue;
        const tests = members.map((member) => `${member} !== undefined`).join(" || ");
        const text = `In place of ${discriminator} === "${constant}", write ${tests} for a `;
        holders.set(text, [...(holders.get(text) ?? []), now]);
      }
    const constants = [...holders].map(([text, types]) => text + types.join(" or "));
    const end =
      name === last
        ? [
            "Leave out a test that ends a loop over a stream. In other code, test the state in " +
              "the event",
          ]
        : [];
    return [...(inversion === undefined ? [] : [inversion]), ...constants, ...end];
  }

  /** Returns the hint for a property that was required and is now optional. */
  ofAbsent(name: string): string[] {
    const now = this.#loosened.get(name);
    if (now === undefined) return [];
    const renamed = name === now ? "" : `is now ${now}, and `;
    return [
      `${name} ${renamed}may now be absent: set a default with ??, throw an error, or leave out ` +
        "the property if the value is absent",
    ];
  }

  /** Returns the hint for a type of the later version. */
  ofType(name: string): string[] {
    const list = this.#lists.get(name);
    return list === undefined
      ? []
      : [`${name} was a list: write { ${list}: … } to return it, and read ${list} ?? []`];
  }
}

/** Returns the messages that were lists, and the property that now contains each list. */
function listsBetween(
  before: Protocol,
  after: Protocol,
  types: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map(
    before.types.flatMap((type) => {
      if (type.kind !== "alias" || type.type.kind !== "list") return [];
      const now = after.types.find(({ name }) => name === (types.get(type.name) ?? type.name));
      const lists =
        now?.kind === "message" ? now.fields.filter((field) => field.type.kind === "list") : [];
      const [only, ...others] = lists;
      return now === undefined || only === undefined || others.length > 0
        ? []
        : [[now.name, only.name] as const];
    }),
  );
}
