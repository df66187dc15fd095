import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { expect, it } from "vitest";
import { publishedSchema } from "../../../../generator/project/config-schema.js";
import { packageFolder } from "../../../../support/package-folder.js";

it("the schema equals the file of the package, which `npx vitest run test/unit/generator/project -u` writes", async () => {
  const path = join(packageFolder, "config.schema.json");
  const options = await resolveConfig(path);
  const text = await format(JSON.stringify(publishedSchema()), { ...options, parser: "json" });
  await expect(text).toMatchFileSnapshot(path);
});
