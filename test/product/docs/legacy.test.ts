import { expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { readSource } from "../../unit/generator/reading.js";
import { findSource } from "../../support/output.js";
import { legacyPage } from "./legacy-page.js";

it("docs/legacy.md lists the old names of the manifests; npm run docs:legacy updates it", async () => {
  // 1.0.0 has the names of 1.0.1.
  const ids = specRegistry(packageFolder)
    .list()
    .flatMap(({ id }) => (id === "1.0.0" ? [] : [id]));
  const versions = ids.map((id) => ({ id, protocol: readSource(findSource(id)) }));
  await expect(await legacyPage(versions)).toMatchFileSnapshot("../../../docs/legacy.md");
});
