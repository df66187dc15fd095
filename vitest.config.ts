import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/.out/**"],
    globalSetup: ["test/support/setup.ts"],
    // Many tests wait for processes of their own, so a core less, as is usual, would leave two of them half idle.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
