import { fuzz } from "./fuzz.js";
import { rawConnections, webRequests } from "./servers.js";

fuzz(webRequests, { cases: 2_000, share: 0.5 });
fuzz(rawConnections, { cases: 800, share: 0.5 });
