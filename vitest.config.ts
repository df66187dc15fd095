import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { FullFirst } from "./test/support/full-first.js";

const root = dirname(fileURLToPath(import.meta.url));

/** Lets tests load the modules of library/ as they are: what these import of an output is that of 1.1-draft. */
const kitSources = {
  name: "kit-sources",
  resolveId(specifier: string, importer: string | undefined): string | undefined {
    if (importer?.startsWith(join(root, "library")) !== true) return undefined;
    const module = join(dirname(importer), specifier.replace(/\.js$/, ".ts"));
    if (!specifier.startsWith(".") || existsSync(module)) return undefined;
    return join(root, "generated", "1.1-draft", relative(join(root, "library"), module));
  },
};

/** Puts the output of 1.0 that imports the library in the place of the one with copies. */
const packaged = {
  name: "packaged",
  enforce: "pre",
  resolveId(specifier: string, importer: string | undefined): string | undefined {
    const path = isAbsolute(specifier) ? specifier : join(dirname(importer ?? root), specifier);
    if (!path.startsWith(join(root, "generated", "1.0/")) || !/^[./]/.test(specifier)) return undefined;
    const module = relative(join(root, "generated", "1.0"), path).replace(/\.[jt]s$/, "");
    const output = join(root, "generated", "1.0-package", `${module}.ts`);
    return existsSync(output) ? output : join(root, "dist", "library", `${module}.js`);
  },
} as const;

/**
 * The tests that `npm run test:all` runs in both modes: the behaviour of agents and clients, attacks, oracles, and the
 * rig that kills processes. Other tests are the same in both: those of the generator, of databases, and of versions other
 * than 1.0, whose outputs always import the library.
 */
const inBothModes = [
  "test/behaviour/{between,echo,observe,older}/**/*.test.ts",
  "test/behaviour/!(http-peers).test.ts",
  "test/cluster/**/*.test.ts",
  "test/hostile/**/*.test.ts",
  "test/oracle/{any-proto,codecs,protojson,refusals,validators}.test.ts",
];

/** Another seed than that of the copies, so that the halves of random tests differ. */
const otherSeed =
  process.env["TEST_SEED"] === undefined ? {} : { TEST_SEED: String(Number(process.env["TEST_SEED"]) + 1) };

const ignored = ["test/.out/**", "test/fixtures/**"];

/** Tests in the folders of {@link inBothModes} that run only with copies. */
const withCopiesOnly = [
  "test/hostile/fuzz/generator.test.ts",
  "test/hostile/version-0.3.test.ts",
  "**/demo.full.test.ts",
];

/** Options of all runs. */
const common = {
  globalSetup: ["test/support/setup.ts"],
  setupFiles: ["test/support/patience.ts", "test/support/clean-up.ts"],
  // Concurrent tests mostly wait, for timers and connections.
  maxConcurrency: 20,
  // Loading the generator and the output takes a second, which files that share a process take only once.
  isolate: false,
  // Far more than any test needs: these limits are for what hangs, and not for a machine that is busy.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/** The runs of `npm run test:all`: everything with copies, and then what differs in outputs that import the library. */
const runs: TestProjectConfiguration[] = [
  {
    plugins: [kitSources],
    test: {
      ...{ ...common, name: "copies", include: ["test/**/*.test.ts"], exclude: ignored },
      env: { TEST_SIZE: "full" },
    },
  },
  {
    plugins: [kitSources, packaged],
    test: {
      ...{ ...common, name: "library", include: inBothModes },
      exclude: [...ignored, ...withCopiesOnly],
      env: { TEST_SIZE: "full", OUTPUT_MODE: "package", ...otherSeed },
    },
  },
];

/**
 * `npm test` leaves out the files named `*.full.test.ts`, and makes random tests small. `npm run test:all`, which is
 * `vitest run --mode full`, has every file, and random tests at their full size; see test/support/size.ts. Its projects,
 * which `--project` chooses from, are `copies` and `library`.
 */
export default defineConfig(({ mode }) => ({
  plugins: [kitSources],
  test: {
    ...(mode === "full" ? { projects: runs } : common),
    include: [mode === "interop" ? "test/**/*.interop.ts" : "test/**/*.test.ts"],
    exclude: [...ignored, "test/**/*.full.test.ts"],
    env: { TEST_SIZE: "quick" },
    sequence: { sequencer: FullFirst },
    // Many tests wait for processes of their own, for databases and for timers. A worker for each core would leave cores idle.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    coverage: {
      include: ["generator/**", "library/**", "support/**", "tools/**", "generated/**", "examples/**"],
      reporter: ["text-summary", "html"],
      reportOnFailure: true,
    },
  },
}));
