/** Thrown by a check if the rule does not apply to the agent. The message is the reason. */
export class Inapplicable extends Error {
  override readonly name = "Inapplicable";
}
