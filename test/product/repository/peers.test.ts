import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import description from "../../../library/package.json" with { type: "json" };
import { packageFolder } from "../../../support/package-folder.js";

it("the packages that the library imports are its peers, and npm installs none of them", () => {
  const folder = join(packageFolder, "library");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/^(?:dist|node_modules)\b/.test(file),
  );
  const imported = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return [...text.matchAll(/^(?:import|export|\}) .*?from "([^"]+)";$|\bimport\("([^"]+)"\)/gm)]
      .map(([, name = "", dynamic = name]) => dynamic)
      .filter((name) => !/^(?:\.|node:|a2a-codegen-runtime\/)/.test(name))
      .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
  });
  const peers = Object.keys(description.peerDependencies);
  expect([...new Set(imported)].toSorted()).toEqual(peers.toSorted());
  const optional = Object.entries(description.peerDependenciesMeta).filter(
    ([, { optional: isOptional }]) => isOptional,
  );
  expect(optional.map(([name]) => name).toSorted()).toEqual(peers.toSorted());
});
