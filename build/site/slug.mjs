/** Returns the anchor of a heading as forges make it, so that links in the pages work in both. */
export function slugify(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, "")
    .replaceAll(" ", "-");
}

/** Returns a function that returns the anchors of the headings of a page, in order. */
export function anchors() {
  const counts = new Map();
  return (heading) => {
    const slug = slugify(heading);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${String(count)}`;
  };
}
