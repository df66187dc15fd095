import { beforeAll, describe, expect, it } from "vitest";
import { findSource, generateFrom, textOf } from "../../../support/output.js";
import type { SpecSource } from "../../../../generator/input/source.js";

const extended = (manifest: string): SpecSource => {
  const source = findSource("1.0");
  return { ...source, manifests: [...source.manifests, { file: "m.yaml", text: manifest }] };
};

const files = ["client/client.ts", "server/service.ts"];

describe("the doc comment of a method", () => {
  let output: Awaited<ReturnType<typeof generateFrom>>;
  beforeAll(async () => {
    const missing = "missing: InternalError";
    const manifest = `operations: { GetTask: { errors: { InternalError: the disk is full }, ${missing} }, CancelTask: { ${missing} } }`;
    output = await generateFrom(extended(manifest));
  });

  it.each(files)(
    "the doc comment in %s names the errors that the manifest lists for the operation",
    (path) => {
      expect(tagsOf(textOf(output, path), "getTask")).toEqual([
        "{TaskNotFoundError} if the task is unknown or not accessible to the caller",
        "{InternalError} if the disk is full",
      ]);
    },
  );

  it.each(files)(
    "the doc comment in %s names the errors of capabilities that the operation and its request fields require",
    (path) => {
      expect(tagsOf(textOf(output, path), "sendStreamingMessage").slice(-2)).toEqual([
        "{PushNotificationNotSupportedError} for `configuration.taskPushNotificationConfig`, unless the card declares `capabilities.pushNotifications`",
        "{UnsupportedOperationError} unless the card declares `capabilities.streaming`",
      ]);
    },
  );

  it.each(files)(
    "the doc comment in %s names the error of an agent without the operation",
    (path) => {
      expect(tagsOf(textOf(output, path), "cancelTask").at(-1)).toBe(
        "{InternalError} if the agent does not offer it",
      );
    },
  );

  it.each(files)("the doc comment in %s has no line that is wider than the code", (path) => {
    for (const line of textOf(output, path).split("\n"))
      expect(line.length).toBeLessThanOrEqual(120);
  });
});

/** The `@throws` tags of a method, each on one line. */
function tagsOf(text: string, method: string) {
  const before = text.slice(0, text.search(new RegExp(`^  ${method}\\??\\(`, "m")));
  const comment = before.slice(before.lastIndexOf("/**")).replaceAll(/\n +\* (?!@)/g, " ");
  return [...comment.matchAll(/@throws (.*)/g)].map(([, tag = ""]) => tag.trim());
}
