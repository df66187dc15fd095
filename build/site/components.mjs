const term = "(${escapeRegExp(term)})";

/** Changes of components of the theme: the file, and what is replaced by what. */
const changes = [
  // Marks whole words only: "task" is not marked in "subtasks".
  ["VPLocalSearchBox.vue", `\`${term}\``, `\`(?<!\\\\w)${term}(?!\\\\w)\``],
  // The box is a dialog, and the names of results are their texts.
  [
    "VPLocalSearchBox.vue",
    /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  ["VPLocalSearchBox.vue", /:aria-label="\[\.\.\.p\.titles[^"]*"/, ""],
  // The name of the button is its text, or on a phone its title.
  ["VPNavBarSearchButton.vue", ":aria-label=", ":title="],
  // Each option of the list is the link of a result, and not an item around the link.
  [
    "VPLocalSearchBox.vue",
    /(<li\s+v-for[^>]*?)((?:\s+:[\w-]+="[^"]*"){2})\s+role="option"\s*>\s*<a/,
    '$1 role="presentation"><a role="option"$2',
  ],
  ["VPLocalSearchBox.vue", /<kbd :aria-label=/g, '<kbd role="img" :aria-label='],
  // The title of a group is a button already.
  [
    "VPSidebarItem.vue",
    /role="button"\s+aria-label="toggle section"(\s+@click="onCaretClick")\s+@keydown[^>]*tabindex="0"/,
    'aria-hidden="true"$1',
  ],
];

/** Changes components of the theme for the search and for screen readers. */
export const changeComponents = {
  name: "change-components",
  enforce: "pre",
  transform(code, id) {
    const own = changes.filter(([file]) => id.endsWith(`/${file}`));
    return own.length === 0 ? undefined : own.reduce((text, change) => changed(text, change), code);
  },
};

function changed(text, [file, from, to]) {
  const result = text.replace(from, typeof from === "string" ? () => to : to);
  if (result === text) throw new Error(`${file} has changed: it does not contain ${from}`);
  return result;
}
