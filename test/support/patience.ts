import { vi } from "vitest";

const { waitFor } = vi;

/**
 * Every `vi.waitFor` waits for its event as long as a test may take, instead of one second: how
 * long an event takes to come says how busy the machine is, and nothing about the code.
 */
vi.waitFor = (check, options) =>
  waitFor(check, {
    timeout: 100_000,
    ...(typeof options === "number" ? { timeout: options } : options),
  });
