import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.a2a.spec.JSONRPCError;
import io.a2a.util.Utils;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The lines that a peer and the driver write to each other; ../peer.ts describes them. */
final class Wire {
  static final ObjectMapper JSON = Utils.OBJECT_MAPPER;

  /** Handles a request, and returns the line that ends it. */
  interface Request {
    ObjectNode handle(JsonNode message) throws Throwable;
  }

  final ExecutorService threads = Executors.newCachedThreadPool();
  private final PrintStream out = System.out;
  private final AtomicInteger asked = new AtomicInteger();
  private final Map<Integer, BlockingQueue<JsonNode>> questions = new ConcurrentHashMap<>();

  Wire() {
    // What the SDK prints may not come between the lines.
    System.setOut(System.err);
  }

  synchronized void write(ObjectNode line) {
    byte[] text = (line.toString() + "\n").getBytes(StandardCharsets.UTF_8);
    out.write(text, 0, text.length);
    out.flush();
  }

  /** Returns a line that ends a request with a result. */
  static ObjectNode result(Object value) {
    return JSON.createObjectNode().set("result", JSON.valueToTree(value));
  }

  /** Asks the driver, and calls `take` with each part of its answer. */
  void ask(String about, ObjectNode what, Consumer<JsonNode> take) {
    int number = asked.incrementAndGet();
    BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
    questions.put(number, answers);
    write(what.put("ask", number).put("about", about));
    try {
      for (JsonNode answer = answers.take(); !answer.has("done"); answer = answers.take()) take.accept(answer);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    } finally {
      questions.remove(number);
    }
  }

  /** Serves requests until the driver closes the input. */
  void serve(Map<String, Request> requests) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode message = JSON.readTree(line);
      if (message.has("answer")) {
        BlockingQueue<JsonNode> question = questions.get(message.get("answer").asInt());
        if (question != null) question.add(message);
      } else if (requests.containsKey(message.get("do").asText())) {
        threads.execute(() -> handle(requests.get(message.get("do").asText()), message));
      }
    }
    System.exit(0);
  }

  private void handle(Request request, JsonNode message) {
    ObjectNode line;
    try {
      line = request.handle(message);
    } catch (Throwable error) {
      line = JSON.createObjectNode().put("refused", className(error)).put("text", String.valueOf(error.getMessage()));
    }
    write(line.set("id", message.get("id")));
  }

  /** Returns the class of the protocol error that is in an error, or its own. */
  private static String className(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof JSONRPCError) return cause.getClass().getSimpleName();
    }
    return error.getClass().getSimpleName();
  }
}
