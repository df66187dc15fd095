import type { OperationDef, RequirementDef } from "../../protocol/model/types.js";

/** Returns the first sentence of a text as a list item: on one line and without the full stop. */
export function summaryOf(docs: string): string {
  const [first = ""] = docs.trim().split(/\n\s*\n/, 1);
  const line = first.replaceAll(/\s*\n\s*/g, " ");
  const [sentence = ""] = /^.*?[.!?](?= [A-Z`]|$)/.exec(line) ?? [line];
  return sentence.replace(/\.$/, "");
}

/** Joins strings as paragraphs. Omits empty strings. */
export function paragraphs(...texts: readonly (string | false)[]): string {
  return texts.filter((text) => text !== false && text !== "").join("\n\n");
}

/**
 * Describes the conditions of an operation: fields that must not be empty, ranges, errors, and the
 * capabilities that the card must declare. `pathOf` converts a path of the model to a path of the
 * request.
 */
export function conditionsOf(
  { nonEmpty = [], ranges = [], errors = [], requires, fieldRequires = [] }: OperationDef,
  pathOf: (path: readonly string[]) => readonly string[] = (path) => path,
): string[] {
  const named = (path: readonly string[]): string => `\`${pathOf(path).join(".")}\``;
  const declared = ({ capability, error }: RequirementDef, where = ""): string =>
    `The agent card must declare \`${capability.join(".")}\`${where}. Otherwise, the response is ` +
    `\`${error}\`.`;
  const lists = nonEmpty.map(named).join(", ");
  return [
    ...(lists === "" ? [] : [`The request must not be empty in ${lists}.`]),
    ...ranges.map(({ path, least, most }) =>
      most === undefined
        ? `${named(path)} must be at least ${least}.`
        : `${named(path)} must be from ${least} to ${most}.`,
    ),
    ...errors.map(({ error, condition }) => `The response is \`${error}\` if ${condition}.`),
    ...(requires === undefined ? [] : [declared(requires)]),
    ...fieldRequires.map((each) => declared(each, ` if the request has ${named(each.path)}`)),
  ];
}
