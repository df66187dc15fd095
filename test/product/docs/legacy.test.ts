import { expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { readSource } from "../../unit/generator/input/proto/reading.js";
import { findSource } from "../../support/output.js";
import { legacyPage } from "./legacy-page.js";

it("legacy.md lists the old names of the manifests; npm run docs:legacy updates it", async () => {
  // These have the names of 1.0.1.
  const same = ["1.0.0", "1.1-draft"];
  const ids = specRegistry(packageFolder)
    .list()
    .flatMap(({ id }) => (same.includes(id) ? [] : [id]));
  const versions = ids.map((id) => ({ id, protocol: readSource(findSource(id)) }));
  await expect(await legacyPage(versions)).toMatchFileSnapshot("./legacy.md");
});
