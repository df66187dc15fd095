import type { PushConfigs } from "./push-configs.js";
import type { PushSender } from "./push-sender.js";

/** The push notifications of an agent: which webhooks there are, and what posts to them. */
export interface Push {
  readonly configs: PushConfigs;
  readonly sender: PushSender;
}
