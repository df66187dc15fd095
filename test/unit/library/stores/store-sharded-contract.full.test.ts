import { RedisCluster } from "../../../support/redis-cluster.js";
import { redisContract } from "./sharded-contracts.js";

const cluster = new RedisCluster();

/** Returns prefixes of a case whose keys are on all servers of the cluster, one on each. */
function prefixesOf(of: number): readonly string[] {
  return cluster.servers.map((_, server) => {
    for (let at = 0; ; at += 1) {
      const prefix = `p${String(of)}-${String(at)}`;
      if (cluster.serverOf(prefix) === server) return prefix;
    }
  });
}

redisContract("a Redis Cluster", cluster, prefixesOf);
