import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = dirname(fileURLToPath(import.meta.url));

/** Lets tests load the modules of templates/kit/ as they are: what these import of an output is that of 1.1-draft. */
const kitSources = {
  name: "kit-sources",
  resolveId(specifier: string, importer: string | undefined): string | undefined {
    if (importer?.startsWith(join(root, "templates", "kit")) !== true) return undefined;
    const module = join(dirname(importer), specifier.replace(/\.js$/, ".ts"));
    if (!specifier.startsWith(".") || existsSync(module)) return undefined;
    return join(root, "generated", "1.1-draft", relative(join(root, "templates"), module));
  },
};

/**
 * `npm test` leaves out the files named `*.full.test.ts`, and makes random tests small. `npm run test:all`, which is
 * `vitest run --mode full`, has every file, and random tests at their full size; see test/support/size.ts.
 */
export default defineConfig(({ mode }) => ({
  plugins: [kitSources],
  test: {
    include: [mode === "interop" ? "test/**/*.interop.ts" : "test/**/*.test.ts"],
    exclude: ["test/.out/**", "test/fixtures/**", ...(mode === "full" ? [] : ["test/**/*.full.test.ts"])],
    env: { TEST_SIZE: mode === "full" ? "full" : "quick" },
    globalSetup: ["test/support/setup.ts"],
    setupFiles: ["test/support/patience.ts"],
    // Many tests wait for processes of their own, so a core less, as is usual, would leave two of them half idle.
    maxWorkers: "100%",
    // Concurrent tests mostly wait, for timers and connections.
    maxConcurrency: 20,
    // Loading the generator and the output takes a second, which files that share a process take only once.
    isolate: false,
    // Far more than any test needs: these limits are for what hangs, and not for a machine that is busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      include: ["generator/**", "templates/runtime/**", "templates/kit/**", "generated/**", "examples/**"],
      reporter: ["text-summary", "html"],
      reportOnFailure: true,
    },
  },
}));
