/** Thrown if a token cannot be obtained or revoked. */
export class TokenError extends Error {
  override readonly name = "TokenError";
  /**
   * Error code in the issuer's response, such as `invalid_client`; `undefined` if the issuer did
   * not reject the request.
   */
  readonly code: string | undefined;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly code?: string | undefined } = {},
  ) {
    super(message, options);
    this.code = options.code;
  }
}
