import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatDiagnostic, reasonOf } from "../../../support/diagnostics.js";
import { packageFolder } from "../../../support/package-folder.js";

describe("a message", () => {
  it.each([
    ["the file cannot be read:", "Correct it", "the file cannot be read. Correct it."],
    [
      "the file cannot be read: ",
      "Copy these lines:\n",
      "the file cannot be read. Copy these lines.",
    ],
    ["one\ntwo.", "Add it;", "one two. Add it."],
    ["unknown option: --a", "Did you mean …", "unknown option: --a. Did you mean …."],
  ])(
    "a message ends in one full stop, whatever its parts end in: %j, %j",
    (message, hint, line) => {
      expect(formatDiagnostic({ message, hint })).toBe(line);
    },
  );

  it.each([
    [new Error("no such file"), "no such file"],
    [
      new AggregateError([new Error("connect ECONNREFUSED"), new Error("connect ECONNREFUSED")]),
      "connect ECONNREFUSED",
    ],
    [Object.assign(new Error(""), { code: "EPIPE" }), "EPIPE"],
    [new Error("", { cause: new TypeError("") }), "TypeError"],
    ["text", "text"],
  ])("the reason of %s is not empty", (error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });

  it("no message and no hint of the generator ends in a colon", () => {
    const folder = join(packageFolder, "generator");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    const texts = files.flatMap((file) =>
      [
        ...readFileSync(join(folder, file), "utf8").matchAll(
          /\b(?:message|hint|reason)(?: =|:)\s*(["`])[^"`\n]*:\s*\1(?! \+)[;,\n ]/g,
        ),
      ].map(([text]) => `${file}: ${text}`),
    );
    expect(texts).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });
});
