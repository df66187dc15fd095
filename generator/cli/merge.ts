import { formatLocation } from "../../support/diagnostics.js";
import type { GenerateResult } from "../project/project.js";

/**
 * Returns the lines of the report about merged methods: one line for each method that was, or would
 * be, merged into the implementation of the service.
 */
export function mergeLines(merge: GenerateResult["merge"], isDry: boolean): string[] {
  if (merge === undefined) return [];
  const { file, added, removed, changed, missing, message } = merge;
  const at = ({ line, column }: { readonly line: number; readonly column: number }): string =>
    formatLocation({ file, line, column });
  const takes = { request: "takes", response: "returns" } as const;
  return [
    ...(message === undefined ? [] : [message]),
    ...added.map((item) => `${at(item)}: ${item.method} ${isDry ? "would be added" : "added"}`),
    ...removed.map((item) => `${at(item)}: ${item.method} ${unused}`),
    ...changed.map(({ part, found, expected, ...item }) => {
      const types = `${takes[part]} ${found}, but the service requires ${expected}`;
      return `${at(item)}: ${item.method} ${types}`;
    }),
    ...missing.map((item) => `${at(item)}: ${item.method} could be added; ${item.reason}`),
  ];
}

/** Returns the lines of the report about the files that implement services. */
export function implementationLines(
  { implementations = [], updatedAgent }: GenerateResult,
  isDry: boolean,
): string[] {
  const would = isDry ? "would be " : "";
  return [
    ...(updatedAgent === undefined
      ? []
      : [`${updatedAgent} ${would}updated: it serves all services`]),
    ...implementations.flatMap(({ file, service = "", state, unserved, merge }) => [
      ...(state === "created" ? [`${file} ${would}created; it is yours to edit`] : []),
      ...(state === "deleted"
        ? [`${file} was deleted, and is not created again without --implementation`]
        : []),
      ...(state === "unused"
        ? [
            `${file} implements a service that the specification does not have: delete it, ${renamed}`,
          ]
        : []),
      ...(unserved === undefined
        ? []
        : [`${unserved.program} does not serve ${service} yet: add ${unserved.expression}`]),
      ...mergeLines(merge, isDry),
    ]),
  ];
}

const renamed = "or run upgrade instead of generate after a rename";
const unused = `is not an operation of this specification, and is never called: remove it, ${renamed}`;
