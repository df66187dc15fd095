import type { Shapes } from "../correlate/shape.js";
import type { OperationDef, Protocol, TypeRef } from "../model/types.js";
import { propertyPath } from "./property-paths.js";

/** The segments of a resource name. */
export type Parts = readonly string[];

/** Finds the properties of a version that are resource names, according to its routes. */
export class ResourceNames {
  readonly #patterns = new Map<string, Parts>();
  readonly #bodies = new Map<string, string>();

  constructor({ operations }: Protocol, shapes: Shapes) {
    for (const operation of operations) this.#read(operation, shapes);
  }

  /** Returns the segments of a resource name, with `*` for each id. */
  pattern(type: string, property: string): Parts | undefined {
    return this.#patterns.get(propertyPath([type], [property]));
  }

  /** Returns the property of a request that contains the resource. */
  body(type: string): string | undefined {
    return this.#bodies.get(type);
  }

  #read({ request, response, http }: OperationDef, shapes: Shapes): void {
    const route = http.find(({ use }) => use === undefined);
    const type = nameOf(request);
    const has = (owner: string, name: string): boolean =>
      shapes.properties(shapes.reference(owner))?.has(name) === true;
    for (const [, name = "", pattern = ""] of route?.path.matchAll(/\{(\w+)=([^}]*\/\*[^}]*)\}/g) ??
      [])
      for (const owner of [type, nameOf(response)])
        if (has(owner, name)) this.#patterns.set(propertyPath([owner], [name]), pattern.split("/"));
    if (route?.body !== undefined && has(type, route.body)) this.#bodies.set(type, route.body);
  }
}

function nameOf(ref: TypeRef): string {
  return ref.kind === "named" ? ref.name : "";
}
