/** Form of the requests to webhooks that agents of another version send. */
export interface ReceivedWebhookForm {
  /** The type in the client's version to which the body is converted. */
  readonly type: string;
  /**
   * Converts a body to that type. Throws a `ValidationError` for bodies that are not of the
   * version.
   */
  readonly read: (body: unknown) => unknown;
}
