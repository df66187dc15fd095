const term = "(${escapeRegExp(term)})";
const before = `\`${term}\``;
const after = `\`(?<!\\\\w)${term}(?!\\\\w)\``;

/** Makes the search mark whole words only: VitePress also marks "task" in "subtasks". */
export const markWholeWords = {
  name: "mark-whole-words",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("VPLocalSearchBox.vue")) return undefined;
    if (!code.includes(before)) throw new Error(`${id} has changed: it does not contain ${before}`);
    return code.replace(before, () => after);
  },
};
