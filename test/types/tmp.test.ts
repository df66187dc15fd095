import { it } from "vitest";
import { readFileSync, writeFileSync } from "node:fs";
import { generateFrom, sourceOf, findSource, writeTo } from "../support/output.js";
import { largeProto } from "./large.js";
import { complaintsOf, compilers } from "./compile.js";
it("x", async () => {
  writeTo("types/1.0", await generateFrom(findSource("1.0")));
  const f = writeTo("types/large", await generateFrom(sourceOf(largeProto(1000))));
  const o = f + "/operations.ts"; writeFileSync(o, readFileSync(o, "utf8").replace(/^\];$/m, "] as const;"));
  writeTo("types/everything", await generateFrom(findSource("test/fixtures/everything/everything.proto")));
  for (const c of compilers) for (const i of ["1.0", "large", "everything"]) { const t = performance.now(); const x = await complaintsOf(c, { name: "x", include: [`types/${i}`], surrounding: "node" }); console.log(c, i, performance.now() - t, x.slice(0, 3), x.length); }
}, 200000);
