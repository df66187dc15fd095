import { outsideCode } from "../prose.mjs";

/** Returns the names that the examples of a page import, by module. */
export function importsOf(text) {
  const found = new Map();
  for (const [, names, specifier] of text.matchAll(
    /^import (?:type )?\{([^}]*)\} from "([^"]+)"/gm,
  ))
    found.set(specifier, [
      ...(found.get(specifier) ?? []),
      ...names.split(",").map((name) => name.trim().replace(/^type | as .*$/g, "")),
    ]);
  return found;
}

/**
 * Adds links to the reference of the library: a line with the modules that the examples of a page
 * import, and a link at the first mention of each function and class.
 */
export function withApiLinks(text, { modules, values }) {
  const imports = importsOf(text);
  const known = modules.filter(({ specifier }) => imports.has(specifier));
  const seen = new Set();
  const linked = outsideCode(text, (prose) =>
    prose.replaceAll(
      /^#.*$|\[(?:[^[\]`]|`[^`]*`)*\]\([^)]*\)|`(\w+)(\([^`]*)?`/gm,
      (all, name, called) => {
        if (name === undefined || seen.has(name)) return all;
        const location = locationOf(name, called !== undefined);
        if (location === undefined) return all;
        seen.add(name);
        return `[${all}](reference/api/${location})`;
      },
    ),
  );
  if (known.length === 0) return linked;
  const list = known.map(({ title, page }) => `[${title}](reference/api/${page}.md)`).join(", ");
  const line = `Reference: ${list}\n\n`;
  const first = linked.search(/^## /m);
  return first < 0 ? `${linked}\n${line}` : linked.slice(0, first) + line + linked.slice(first);

  /**
   * A name in lower case, such as `message`, is often the name of a field, so only a call of it
   * is a function.
   */
  function locationOf(name, isCalled) {
    if (!isCalled && name === name.toLowerCase()) return undefined;
    const found = values.filter((value) => value.name === name);
    const imported = found.find(({ specifier }) => imports.get(specifier)?.includes(name));
    const locations = new Set(found.map(({ location }) => location));
    const isClear = locations.size === 1 && name !== name.toLowerCase();
    return imported?.location ?? (isClear ? found[0].location : undefined);
  }
}
