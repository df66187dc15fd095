import type { PushConfigs } from "./push-configs.js";
import type { PushSender } from "./push-sender.js";

/** Push notifications of an agent: the operations for webhooks, and the sender. */
export interface Push {
  readonly configs: PushConfigs;
  readonly sender: PushSender;
}
