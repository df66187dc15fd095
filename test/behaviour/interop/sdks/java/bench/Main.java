import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.a2a.server.PublicAgentCard;
import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.spec.AgentCard;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Serves the agent for benchmarks on the reference server of the SDK, which is based on Quarkus. */
@QuarkusMain
@ApplicationScoped
public class Main implements QuarkusApplication {
  private static final CountDownLatch started = new CountDownLatch(1);
  private static JsonNode bench;
  private static AgentCard card;
  private static int port;

  public static void main(String[] args) throws IOException {
    new Wire().serve(Map.of("listen", Main::listen, "serve", Main::serve, "settle", Main::settle));
  }

  private static ObjectNode listen(JsonNode message) throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    return Wire.result(Map.of("url", "http://127.0.0.1:" + port + "/", "path", "/"));
  }

  private static ObjectNode serve(JsonNode message) throws Exception {
    bench = message.get("bench");
    card = Wire.JSON.treeToValue(message.get("card"), AgentCard.class);
    System.setProperty("quarkus.http.port", String.valueOf(port));
    // The agent and the subscriber of an open stream each take a thread of the pool.
    int streams = bench.get("openStreams").asInt();
    if (streams > 0) System.setProperty("a2a.executor.core-pool-size", String.valueOf(2 * streams + 50));
    if (streams > 0) System.setProperty("a2a.executor.max-pool-size", String.valueOf(2 * streams + 50));
    new Thread(() -> Quarkus.run(Main.class)).start();
    started.await();
    return Wire.result(null);
  }

  private static ObjectNode settle(JsonNode message) {
    System.gc();
    return Wire.result(null);
  }

  @Override
  public int run(String... args) {
    started.countDown();
    Quarkus.waitForExit();
    return 0;
  }

  @Produces
  @PublicAgentCard
  AgentCard card() {
    return card;
  }

  @Produces
  AgentExecutor executor() {
    return new Bench(bench.get("answer").asText(), bench.get("chunks").asInt());
  }
}
