import type { Diagnostics } from "../../support/diagnostics.js";
import type { Definition, SchemaDocument } from "./document.js";
import { itemsOf, memberOf, type JsonNode } from "./json.js";

/**
 * Reports circular aliases, and definitions whose names are invalid as object keys or only differ in case. Returns
 * whether all definitions are valid.
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
      const message = `the definitions "${earlier.name}" (line ${earlier.location.line ?? 1}) and "${name}" only differ in case`;
      diagnostics.add(location, message, "Rename one of them");
    } else continue;
    isSound = false;
  }
  return isSound;
}

/** The maximum length of a chain of aliases. */
const longest = 100;

/** Reports each cycle of definitions once, at its first definition, and the first chain that is too long. */
function checkCircles(document: SchemaDocument, diagnostics: Diagnostics): boolean {
  const lengths = new Map<string, number>();
  let isSound = true;
  const report = (name: string, message: string, hint: string): void => {
    isSound = false;
    diagnostics.add(document.locationOf([name]), message, hint);
  };
  const visit = (definition: Definition, chain: readonly string[]): number => {
    const { name, node } = definition;
    const start = chain.indexOf(name);
    const known = start < 0 ? lengths.get(name) : 0;
    if (start >= 0) {
      const circle = [...chain.slice(start), name].map((step) => `"${step}"`).join(" → ");
      report(
        chain[start] ?? name,
        `${circle} is a recursive alias without a base type`,
        "Declare one of them as an object or a union",
      );
    }
    if (known !== undefined || chain.length > longest) return known ?? 0;
    const length = 1 + Math.max(0, ...aliasTargets(document, node).map((target) => visit(target, [...chain, name])));
    lengths.set(name, length);
    return length;
  };
  for (const definition of document.definitions.values()) {
    if (visit(definition, []) <= longest) continue;
    report(definition.name, `"${definition.name}" is a chain of more than ${longest} references`, "Shorten the chain");
    break;
  }
  return isSound;
}

/** Returns the definitions that a schema refers to directly, not inside a property or an element. */
function aliasTargets(document: SchemaDocument, node: JsonNode): Definition[] {
  const target = document.targetOf(node);
  const inner = [
    ...["allOf", "anyOf", "oneOf"].flatMap((key) => itemsOf(memberOf(node, key))),
    ...["not", "if", "then", "else"].flatMap((key) => memberOf(node, key) ?? []),
  ];
  return [...(target ? [target] : []), ...inner.flatMap((part) => aliasTargets(document, part))];
}
