import type { OperationDef, RangeDef, RequirementDef } from "../../protocol/model/types.js";

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
  const lists = nonEmpty.map(named).join(", ");
  return [
    ...(lists === "" ? [] : [`The request must not be empty in ${lists}.`]),
    ...ranges.map(({ path, ...limits }) => `${named(path)} must be ${rangeText(limits)}.`),
    ...errors.map(({ error, condition }) => `The response is \`${error}\` if ${condition}.`),
    ...(requires === undefined ? [] : [requirementText(requires)]),
    ...fieldRequires.map((requirement) =>
      requirementText(requirement, ` if the request has ${named(requirement.path)}`),
    ),
  ];
}

function rangeText({ least, most }: Pick<RangeDef, "least" | "most">): string {
  return most === undefined ? `at least ${least}` : `from ${least} to ${most}`;
}

function requirementText({ capability, error }: RequirementDef, condition = ""): string {
  const declared = `The agent card must declare \`${capability.join(".")}\`${condition}.`;
  return `${declared} Otherwise, the response is \`${error}\`.`;
}
