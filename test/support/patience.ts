import { vi } from "vitest";
import { patienceMs } from "./time-limit.js";

const { waitFor } = vi;

/**
 * Every `vi.waitFor` waits for its event as long as a test may take, instead of one second or what
 * a test says: how long an event takes to come says how busy the machine is, and nothing about the
 * code.
 */
vi.waitFor = (check, options) => {
  const given = typeof options === "number" ? { timeout: options } : options;
  return waitFor(check, { ...given, timeout: Math.max(given?.timeout ?? 0, patienceMs) });
};
