import { anchors } from "./slug.mjs";

/** Returns where each example file is: the name and the title of its page, and the anchor. */
export function filesOf(pages) {
  const places = new Map();
  for (const [page, text] of pages) {
    const anchorOf = anchors();
    const title = /^# (.*)$/m.exec(text)?.[1] ?? page;
    let anchor = "";
    for (const [, heading, file] of text.matchAll(/^#+ (.*)$|^```\w+ file=(\S+)/gm)) {
      if (heading !== undefined) anchor = anchorOf(heading);
      else if (!places.has(file)) places.set(file, { page, title, anchor });
    }
  }
  return places;
}

/**
 * Tells below the first block of a page that imports a file of another page where this file is.
 * `places` are the files that `filesOf` returns.
 */
export function withFileLinks(text, page, places) {
  const seen = new Set();
  return text.replaceAll(/^```ts\b[^]*?^```$/gm, (block) => {
    const files = [...block.matchAll(/ from "\.\/([\w-]+)\.js"/g)]
      .map(([, name]) => `${name}.ts`)
      .filter((file) => (places.get(file)?.page ?? page) !== page && !seen.has(file));
    for (const file of files) seen.add(file);
    const links = files.map((file) => {
      const { page: other, title, anchor } = places.get(file);
      return `\`${file}\` is on the page [${title}](${other}#${anchor}).`;
    });
    return links.length === 0 ? block : `${block}\n\n${links.join(" ")}`;
  });
}
