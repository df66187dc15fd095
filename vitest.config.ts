import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { FullFirst } from "./test/support/full-first.js";

const ignored = ["test/.out/**", "test/fixtures/**"];

/**
 * `npm test` leaves out the files named `*.full.test.ts`, and makes random tests small.
 * `npm run test:all`, which is `vitest run --mode full`, has every file, and random tests at their
 * full size; see test/support/size.ts.
 */
export default defineConfig(({ mode }) => ({
  // Modules of the library are loaded from their sources: see `exports` in package.json.
  resolve: { conditions: ["a2a-codegen-source"] },
  ssr: { resolve: { conditions: ["a2a-codegen-source"] } },
  test: {
    globalSetup: ["test/support/setup.ts"],
    setupFiles: ["test/support/patience.ts", "test/support/clean-up.ts"],
    include: [mode === "interop" ? "test/**/*.interop.ts" : "test/**/*.test.ts"],
    exclude: mode === "full" ? ignored : [...ignored, "test/**/*.full.test.ts"],
    env: { TEST_SIZE: mode === "full" ? "full" : "quick" },
    // Concurrent tests mostly wait, for timers and connections.
    maxConcurrency: 20,
    // Loading the generator and the output takes a second, which files that share a process take
    // only once.
    isolate: false,
    // Far more than any test needs. Only tests that hang reach these limits.
    testTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    hookTimeout: 300_000,
    sequence: { sequencer: FullFirst },
    // Many tests wait for processes of their own, for databases and for timers. A worker for each
    // core would leave cores idle.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    coverage: {
      include: [
        "generator/**",
        "library/**",
        "support/**",
        "tools/**",
        "generated/**",
        "examples/**",
      ],
      reporter: ["text-summary", "html"],
      reportOnFailure: true,
    },
  },
}));
