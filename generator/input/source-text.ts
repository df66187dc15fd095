/** A file: its name, as shown in messages, and its text. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}
