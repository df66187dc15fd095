import { expect, it } from "vitest";
import { loadOptional } from "../../../../support/optional-package.js";

const name = "no-such-package-of-a2a-codegen";

it("the error for a package that is not installed contains the command to install it", async () => {
  const loading = loadOptional(name, "merging src/agent.ts", () => Promise.reject(missing()));
  await expect(loading).rejects.toThrow(
    `merging src/agent.ts requires the package ${name}, which is not installed. Run \`npm install ${name}\``,
  );
});

it("an error inside an optional package is not changed", async () => {
  const error = new Error("broken");
  await expect(loadOptional(name, "merging", () => Promise.reject(error))).rejects.toBe(error);
});

/** The error of Node for a package that is not installed. */
function missing(): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from x`), {
    code: "ERR_MODULE_NOT_FOUND",
  });
}
