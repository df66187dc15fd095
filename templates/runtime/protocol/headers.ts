/** The HTTP headers or gRPC metadata of a call. */
export interface CallHeaders {
  /** Returns a header by its name, in any case; several of one name come joined with commas. */
  get(name: string): string | undefined;
}
