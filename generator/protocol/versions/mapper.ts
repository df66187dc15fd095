import type { Diagnostics } from "../../../support/diagnostics.js";
import { describe } from "../correlate/fits.js";
import { Shapes } from "../correlate/shape.js";
import type { Protocol, ValueType } from "../model/types.js";
import { Accounts } from "./accounts.js";
import { alternativesOf } from "./choices.js";
import { mapEnum } from "./enums.js";
import { filledField } from "./fields.js";
import { digitsOf, formsOf, haveCommonForm, isWithin, phrase, Sameness, zeroOf } from "./forms.js";
import { mapObject } from "./objects.js";
import { OldNames } from "./old-names.js";
import type { MappingContext, Move, PropertyPaths } from "./context.js";
import { ResourceNames } from "./resource-names.js";
import { both, earlier, later, opposite } from "./sides.js";
import type { Conversion, Member, Path, Side, Sides, TypeMapping } from "./types.js";

/** Creates the mappings between the types of two versions, starting with the requested types. */
export class Mapper implements MappingContext {
  readonly shapes: Sides<Shapes>;
  readonly protocols: Sides<Protocol>;
  readonly resources: Sides<ResourceNames>;
  readonly names: OldNames;
  readonly accounts: Accounts;
  readonly #diagnostics: Diagnostics;
  readonly #sameness: Sameness;
  readonly #types = new Map<string, TypeMapping | undefined>();
  readonly #keys = new Map<string, string>();
  readonly #known = new Map<string, readonly Move[]>();

  constructor(protocols: Sides<Protocol>, diagnostics: Diagnostics) {
    this.protocols = protocols;
    this.shapes = both((side) => new Shapes(protocols[side].types));
    this.resources = both((side) => new ResourceNames(protocols[side], this.shapes[side]));
    this.names = new OldNames(protocols[later]);
    this.#diagnostics = diagnostics;
    this.accounts = new Accounts(this.names, (message, hint) => {
      this.report(message, hint);
    });
    this.#sameness = new Sameness(this.shapes);
  }

  /** The mappings of types that differ, by their names in conversions. */
  get types(): Readonly<Record<string, TypeMapping>> {
    const found = [...this.#types].flatMap(([key, mapping]) =>
      mapping === undefined ? [] : [[key, mapping] as const],
    );
    return Object.fromEntries(found.sort(([name], [other]) => (name < other ? -1 : 1)));
  }

  /** Reports elements that are missing from the later version and its manifest. */
  report(message: string, hint: string): void {
    this.#diagnostics.add(this.protocols[later].versions?.locations?.[""], message, hint);
  }

  /** Records which properties have moved between two types. */
  know(types: Sides<ValueType>, moves: readonly Move[]): void {
    this.#known.set(JSON.stringify(types), moves);
  }

  /**
   * Returns the conversion between the values of two types. `more` lists properties that have
   * moved, according to the manifest.
   */
  value(
    from: ValueType,
    to: ValueType,
    paths: PropertyPaths,
    more: readonly Move[] = [],
  ): Conversion {
    const moves = more.length > 0 ? more : (this.#known.get(JSON.stringify([from, to])) ?? []);
    if (moves.length === 0 && this.#sameness.of(from, to)) return { kind: "same" };
    const [older, newer] = [this.shapes[earlier].resolve(from), this.shapes[later].resolve(to)];
    if (older.kind === "list" && newer.kind === "list") {
      if ((newer.minItems ?? 0) > (older.minItems ?? 0))
        this.accounts.narrow(earlier, paths, "it must not be empty in the other version");
      const element = this.value(older.element, newer.element, paths);
      return element.kind === "same" ? element : { kind: "list", element };
    }
    if (older.kind === "map" && newer.kind === "map") {
      const value = this.value(older.value, newer.value, paths);
      return value.kind === "same" ? value : { kind: "map", value };
    }
    return this.#named(older, newer, paths, moves) ?? this.#plain(older, newer, paths);
  }

  /**
   * Returns the conversion of types that have members or enum values; `undefined` for other types.
   */
  #named(
    older: ValueType,
    newer: ValueType,
    paths: PropertyPaths,
    moves: readonly Move[],
  ): Conversion | undefined {
    const createMapping = this.#mappingFactory(older, newer, moves);
    if (createMapping === undefined) return undefined;
    const id = JSON.stringify([older, newer, moves]);
    const known = this.#keys.get(id);
    if (known !== undefined) return { kind: "type", name: known };
    const name = this.#nameFor(older, newer, paths);
    // Register the name before building the mapping, because the type may refer to itself.
    this.#keys.set(id, name);
    this.#types.set(name, undefined);
    this.#types.set(name, createMapping());
    return { kind: "type", name };
  }

  /**
   * Returns the mapping that adds a property that one version requires and the other version does
   * not have.
   */
  filled(side: Side, path: Path, type: ValueType, paths: readonly string[]): Member {
    return filledField(this, side, path, type, paths);
  }

  /**
   * Returns the replacement for a value that is required in one version and may be absent in the
   * other.
   */
  zero(side: Side, type: ValueType, path: string): unknown {
    const found = zeroOf(type, this.shapes[side], (name) => this.#zeroValue(side, name));
    const hint = "Specify its counterpart under legacy.properties of the later version";
    if (found === undefined)
      this.report(`${path} is required, but may be absent in the other version`, hint);
    return found;
  }

  /**
   * Returns the enum value that corresponds to the first value of the other version's enum, if the
   * first value is the default.
   */
  #zeroValue(side: Side, name: string): string | undefined {
    const other = opposite(side);
    const found = [...this.#keys].find(([id]) => {
      const type = (JSON.parse(id) as readonly ValueType[])[side];
      return type?.kind === "enum" && type.name === name;
    });
    const mapping = found && this.#types.get(found[later]);
    if (mapping?.kind !== "enum") return undefined;
    const type = (JSON.parse(found?.[earlier] ?? "[]") as readonly ValueType[])[other];
    const first = type?.kind === "enum" ? this.shapes[other].find(type.name) : undefined;
    const [zero] = first?.kind === "enum" ? first.values : [];
    return zero?.number === 0
      ? mapping.values.find((pair) => pair[other] === zero.name)?.[side]
      : undefined;
  }

  #mappingFactory(
    older: ValueType,
    newer: ValueType,
    moves: readonly Move[],
  ): (() => TypeMapping) | undefined {
    const [from, to] = [older, newer].map((type, side) =>
      "name" in type ? this.shapes[side as Side].find(type.name) : undefined,
    );
    if (from?.kind === "enum" && to?.kind === "enum") return () => mapEnum(this, [from, to]);
    const alternatives = alternativesOf(this, [older, newer]);
    if (alternatives !== undefined) return alternatives;
    const areObjects =
      this.shapes[earlier].properties(older) !== undefined &&
      this.shapes[later].properties(newer) !== undefined;
    const isWrapped =
      (older.kind === "list" || older.kind === "map") && this.#wrapped(older, newer) !== undefined;
    if (isWrapped)
      return () =>
        mapObject(this, [older, newer], [{ at: [[], this.#wrapped(older, newer) ?? []] }]);
    return areObjects ? () => mapObject(this, [older, newer], moves) : undefined;
  }

  /**
   * Returns the keys of the only list or map of a message that replaces a list or map of the
   * earlier version.
   */
  #wrapped(older: ValueType, newer: ValueType): Path | undefined {
    const fields = [...(this.shapes[later].properties(newer) ?? [])];
    const fitting = fields.filter(
      ([, { type }]) => this.shapes[later].resolve(type).kind === older.kind,
    );
    return newer.kind === "message" && fitting.length === 1
      ? fitting.map(([name]) => name)
      : undefined;
  }

  #plain(older: ValueType, newer: ValueType, paths: PropertyPaths): Conversion {
    const forms = [
      formsOf(older, this.shapes[earlier]),
      formsOf(newer, this.shapes[later]),
    ] as const;
    const digits = digitsOf(older, newer, forms);
    if (digits !== undefined) {
      this.accounts.narrow(opposite(digits), paths, "the other version has a number");
      return { kind: "digits", number: digits };
    }
    const isObject = [older, newer].some(
      (type) => type.kind === "message" || type.kind === "union",
    );
    if (isObject || !haveCommonForm(...forms)) {
      const message =
        `${paths[earlier]} is ${describe(older)}, and ` + `${paths[later]} is ${describe(newer)}`;
      this.report(message, "Specify its counterpart under legacy.properties of the later version");
      return { kind: "same" };
    }
    if (!isWithin(older, newer, this.shapes))
      this.accounts.narrow(earlier, paths, `the other version only accepts ${phrase(newer)}`);
    if (!isWithin(newer, older, [this.shapes[later], this.shapes[earlier]]))
      this.accounts.narrow(later, paths, `the other version only accepts ${phrase(older)}`);
    return { kind: "same" };
  }

  #nameFor(older: ValueType, newer: ValueType, paths: PropertyPaths): string {
    const own = "name" in older ? older.name : undefined;
    const other = "name" in newer ? newer.name : paths[later];
    const isSame = own === undefined || own === other;
    const base = isSame ? other : `${own}~${other}`;
    let name = base;
    for (let count = 2; this.#types.has(name); count += 1) name = `${base}~${count}`;
    return name;
  }
}
