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
    ...added.map((one) => `${at(one)}: ${one.method} ${isDry ? "would be added" : "added"}`),
    ...removed.map(
      (one) =>
        `${at(one)}: ${one.method} is not an operation of this specification, and is never called`,
    ),
    ...changed.map((one) => {
      return (
        `${at(one)}: ${one.method} ${takes[one.part]} ${one.found}, but the service requires ` +
        one.expected
      );
    }),
    ...missing.map((one) => `${at(one)}: ${one.method} could be added; ${one.reason}`),
  ];
}
