import type { Diagnostics } from "../../../support/diagnostics.js";
import type { Definition, SchemaDocument } from "./document.js";
import { itemsOf, memberOf, type JsonNode } from "./json.js";

/**
 * Reports circular aliases, and definitions whose names are invalid as object keys or only differ
 * in case. Returns whether all definitions are valid.
 */
export function checkDefinitions(document: SchemaDocument, diagnostics: Diagnostics): boolean {
  const namesAreSound = checkNames(document, diagnostics);
  return checkCircles(document, diagnostics) && namesAreSound;
}

function checkNames({ definitions }: SchemaDocument, diagnostics: Diagnostics): boolean {
  const first = new Map<string, Definition>();
  let isSound = true;
  for (const definition of definitions.values()) {
    const { name, location } = definition;
    const earlier = first.get(name.toLowerCase());
    first.set(name.toLowerCase(), earlier ?? definition);
    if (name in {}) {
      const message = `the definition "${name}" has a name that is unsafe as a key in JavaScript`;
      diagnostics.add(location, message, "Rename it");
    } else if (earlier !== undefined) {
      const message =
        `the definitions "${earlier.name}" (line ${earlier.location.line ?? 1}) and "${name}" ` +
        "only differ in case";
      diagnostics.add(location, message, "Rename one of them");
    } else continue;
    isSound = false;
  }
  return isSound;
}

/** The maximum length of a chain of aliases. */
const longest = 100;

/**
 * The maximum number of schemas that a value is compared with, apart from its members. References
 * can multiply this number: 60 definitions with two references each have 2^60 paths, and agents
 * would take every path for an invalid value.
 */
const widest = 100_000;

/**
 * The chains of references of a definition: the length of the longest chain, and the number of
 * their schemas.
 */
interface Chains {
  readonly length: number;
  readonly schemas: number;
}

/**
 * Reports each cycle of definitions once, at its first definition, and the first definition whose
 * references form a chain that is too long, or too many chains.
 */
function checkCircles(document: SchemaDocument, diagnostics: Diagnostics): boolean {
  const found = new Map<string, Chains>();
  let isSound = true;
  const report = (name: string, message: string, hint: string): void => {
    isSound = false;
    diagnostics.add(document.locationOf([name]), message, hint);
  };
  const visit = (definition: Definition, chain: readonly string[]): Chains => {
    const { name, node } = definition;
    const start = chain.indexOf(name);
    const known = start < 0 ? found.get(name) : { length: 0, schemas: 0 };
    if (start >= 0) {
      const circle = [...chain.slice(start), name].map((step) => `"${step}"`).join(" → ");
      report(
        chain[start] ?? name,
        `${circle} is a recursive alias without a base type`,
        "Declare one of them as an object or a union",
      );
    }
    if (known !== undefined || chain.length > longest) return known ?? { length: 0, schemas: 0 };
    let [length, schemas] = [0, 1];
    for (const target of aliasTargets(document, node)) {
      const inner = visit(target, [...chain, name]);
      length = Math.max(length, inner.length);
      schemas += inner.schemas;
    }
    const own = { length: length + 1, schemas };
    found.set(name, own);
    return own;
  };
  for (const definition of document.definitions.values()) {
    const { length, schemas } = visit(definition, []);
    if (length <= longest && schemas <= widest) continue;
    const [what, hint] =
      length > longest
        ? [`is a chain of more than ${longest} references`, "Shorten the chain"]
        : [`combines more than ${widest} schemas by its references`, "Refer to each schema once"];
    report(definition.name, `"${definition.name}" ${what}`, hint);
    break;
  }
  return isSound;
}

/**
 * Returns the definitions that a schema refers to directly, not inside a property or an element.
 */
function aliasTargets(document: SchemaDocument, node: JsonNode): Definition[] {
  const target = document.targetOf(node);
  const inner = [
    ...["allOf", "anyOf", "oneOf"].flatMap((key) => itemsOf(memberOf(node, key))),
    ...["not", "if", "then", "else"].flatMap((key) => memberOf(node, key) ?? []),
  ];
  return [...(target ? [target] : []), ...inner.flatMap((part) => aliasTargets(document, part))];
}
