/** The `fetch` of the platform, or a function with the same behavior. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options for the HTTP transports. */
export interface HttpOptions {
  /** Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /** Headers for every request. Headers that the client or the call sets take precedence. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Maximum length of an event in a stream, in UTF-16 code units. Each additional line of an event
   * counts as 64 code units. Default: 16 MiB.
   */
  readonly maxEventBytes?: number | undefined;
  /** Maximum size of any other response in bytes, uncompressed. Default: 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Maximum number of values in the JSON of a response or an event. Default: about one million. */
  readonly maxValues?: number | undefined;
}
