import { readFile } from "node:fs/promises";
import { format } from "prettier";
import { expect, it } from "vitest";
import { specRegistry } from "../../../generator/input/registry.js";
import { versionsReport } from "./versions-report.js";
import { packageFolder } from "../../../support/package-folder.js";
import { findSource } from "../../support/output.js";
import { readSource } from "../../unit/generator/input/proto/reading.js";

it("version-losses.md lists what is lost between versions; npm run docs:versions updates it", async () => {
  const versions = specRegistry(packageFolder)
    .list()
    .map(({ id }) => ({ id, protocol: readSource(findSource(id)) }));
  const report = versionsReport(versions, ["1.0"]);
  const page = await readFile(new URL("version-losses.md", import.meta.url), "utf8");
  const filled = page.replace(
    /(<!-- losses -->)[^]*(<!-- \/losses -->)/,
    (_, from: string, to: string) => {
      return `${from}\n\n${report}\n${to}`;
    },
  );
  const formatted = await format(filled, { parser: "markdown", printWidth: 120 });
  await expect(formatted).toMatchFileSnapshot("./version-losses.md");
});
