import { Shapes } from "../../generator/protocol/correlate/shape.js";
import type { Protocol, ValueType } from "../../generator/protocol/model/types.js";
import { isRecord } from "../../support/values.js";

/** Name of a path in a document. */
export interface Named {
  /** The names of the properties on the way to it, and of the types of what is around them. */
  readonly along: ReadonlySet<string>;
  /** The names of the last property, and of the types of what it is in. */
  readonly last: ReadonlySet<string>;
}

/** Names of the paths in documents: `Task.status` for the path `status` in a `Task`. */
export class Places {
  readonly #shapes: Shapes;

  constructor({ types }: Protocol) {
    this.#shapes = new Shapes(types);
  }

  /** Names a path in a document of a type. */
  at(type: ValueType, path: readonly (string | number)[]): Named {
    const along = new Set<string>();
    let [current, anchors, last]: [ValueType, readonly string[], readonly string[]] = [
      type,
      [],
      [],
    ];
    for (const key of path) {
      const resolved = this.#shapes.resolve(current);
      const property =
        typeof key === "string" ? this.#shapes.properties(current)?.get(key) : undefined;
      if (resolved.kind === "list") current = resolved.element;
      else if (property !== undefined) {
        const owners = this.#namesOf(current);
        anchors = [...owners, ...anchors].map((owner) => `${owner}.${key}`);
        last = [...owners, ...anchors];
        current = property.type;
        for (const name of last) along.add(name);
      } else if (resolved.kind === "map") current = resolved.value;
    }
    return { along, last: new Set([...last, ...this.#namesOf(current)]) };
  }

  #namesOf(type: ValueType): string[] {
    const own = "name" in type ? [type.name] : [];
    const inner = this.#shapes
      .alternatives(type)
      .flatMap((one) => ("name" in one ? [one.name] : []));
    return [...new Set([...own, ...inner])];
  }
}

/** Returns the paths at which two documents differ. */
export function differences(
  one: unknown,
  other: unknown,
  path: readonly (string | number)[] = [],
): (string | number)[][] {
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.flatMap((item, index) => differences(item, other[index], [...path, index]));
  if (isRecord(one) && isRecord(other)) {
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return keys.flatMap((key) => differences(one[key], other[key], [...path, key]));
  }
  return Object.is(one, other) ? [] : [[...path]];
}
