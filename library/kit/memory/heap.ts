/** The parts of a platform that provide the maximum size of the heap. */
interface Platform {
  readonly process?: {
    getBuiltinModule?(
      name: string,
    ): { getHeapStatistics?(): { readonly heap_size_limit?: unknown } } | undefined;
  };
  /** Only in Chromium. */
  readonly performance?: { readonly memory?: { readonly jsHeapSizeLimit?: unknown } };
}

/**
 * Returns the maximum size of the heap in bytes; `Infinity` if the platform does not provide it.
 */
export function maxHeapBytes(platform: Platform = globalThis as Platform): number {
  try {
    // This module also runs where Node modules cannot be imported.
    const statistics = platform.process?.getBuiltinModule?.("node:v8")?.getHeapStatistics?.();
    const limit = statistics?.heap_size_limit ?? platform.performance?.memory?.jsHeapSizeLimit;
    return typeof limit === "number" && limit > 0 ? limit : Infinity;
  } catch {
    return Infinity;
  }
}
