/**
 * Loads modules that require an optional package. Throws the error that `missing` returns if it is
 * not installed.
 */
export async function loadOptional<T>(
  load: () => Promise<T>,
  missing: (cause: Error) => Error,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"))
      throw error;
    throw missing(error);
  }
}
