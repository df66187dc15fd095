import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { writeTo } from "../../support/output.js";

const generated = join(packageFolder, "generated", "1.0");

// Bundlers start modules that are only loaded later at another time than other modules.
it.each(["esm", "cjs"] as const)(
  "a parser and a client run from one file of the format %s, in which nothing is loaded later",
  async (format) => {
    const contents = `
      import { parseTask } from ${JSON.stringify(join(generated, "validators.js"))};
      import { A2AClient } from ${JSON.stringify(join(generated, "client", "index.js"))};
      const transport = { unary: () => Promise.resolve({ id: "1", status: { state: 2 } }) };
      const client = new A2AClient({ transport });
      client.getTask({ id: "1" }).then((task) => {
        console.log(parseTask({ id: "1", status: { state: 1 } }).status.state, task.status.state);
      });`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: packageFolder, loader: "ts" },
      bundle: true,
      format,
      platform: "node",
      conditions: ["a2a-codegen-source"],
      write: false,
    });
    const name = format === "esm" ? "client.mjs" : "client.cjs";
    const text = outputFiles[0]?.text ?? "";
    const folder = writeTo("one-file", { files: [{ path: name, text }] });
    const printed = execFileSync(process.execPath, [join(folder, name)], { encoding: "utf8" });
    expect(printed).toBe("TASK_STATE_SUBMITTED TASK_STATE_WORKING\n");
  },
);
