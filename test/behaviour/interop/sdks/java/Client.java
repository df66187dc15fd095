import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.a2a.client.http.A2ACardResolver;
import io.a2a.client.transport.grpc.GrpcTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.rest.RestTransport;
import io.a2a.client.transport.spi.ClientTransport;
import io.a2a.client.transport.spi.interceptors.ClientCallContext;
import io.a2a.spec.AgentCard;
import io.a2a.spec.DeleteTaskPushNotificationConfigParams;
import io.a2a.spec.GetTaskPushNotificationConfigParams;
import io.a2a.spec.ListTaskPushNotificationConfigParams;
import io.a2a.spec.Message;
import io.a2a.spec.MessageSendParams;
import io.a2a.spec.StreamingEventKind;
import io.a2a.spec.TaskIdParams;
import io.a2a.spec.TaskPushNotificationConfig;
import io.a2a.spec.TaskQueryParams;
import io.a2a.spec.TaskStatusUpdateEvent;
import io.grpc.ManagedChannelBuilder;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** A client over one transport. What the SDK calls a client hides events, and takes no configuration. */
final class Client {
  private final Wire wire;
  private ClientTransport transport;

  Client(Wire wire) {
    this.wire = wire;
  }

  ObjectNode connect(JsonNode message) throws Exception {
    AgentCard card = new A2ACardResolver(message.get("url").asText()).getAgentCard();
    String binding = message.get("binding").asText();
    String url = binding.equals(card.preferredTransport())
        ? card.url()
        : card.additionalInterfaces().stream()
            .filter(one -> one.transport().equals(binding))
            .findFirst().orElseThrow().url();
    transport = switch (binding) {
      case "JSONRPC" -> new JSONRPCTransport(null, card, url, null);
      case "HTTP+JSON" -> new RestTransport(null, card, url, null);
      default -> new GrpcTransport(ManagedChannelBuilder.forTarget(url).usePlaintext().build(), card);
    };
    return Wire.result(card);
  }

  ObjectNode call(JsonNode message) throws Exception {
    ClientCallContext context = contextOf(message);
    return Wire.result(switch (message.get("method").asText()) {
      case "sendMessage" -> transport.sendMessage(paramsOf(message), context);
      case "getTask" -> transport.getTask(read(message, TaskQueryParams.class), context);
      case "cancelTask" -> transport.cancelTask(read(message, TaskIdParams.class), context);
      case "createTaskPushNotificationConfig" ->
        transport.setTaskPushNotificationConfiguration(read(message, TaskPushNotificationConfig.class), context);
      case "getTaskPushNotificationConfig" ->
        transport.getTaskPushNotificationConfiguration(read(message, GetTaskPushNotificationConfigParams.class), context);
      case "listTaskPushNotificationConfigs" -> transport.listTaskPushNotificationConfigurations(
          read(message, ListTaskPushNotificationConfigParams.class), context);
      case "deleteTaskPushNotificationConfig" -> {
        transport.deleteTaskPushNotificationConfigurations(
            read(message, DeleteTaskPushNotificationConfigParams.class), context);
        yield null;
      }
      case "getExtendedAgentCard" -> transport.getAgentCard(context);
      default -> throw new UnsupportedOperationException("The client has no such method");
    });
  }

  ObjectNode stream(JsonNode message) throws Throwable {
    CompletableFuture<ObjectNode> end = new CompletableFuture<>();
    Consumer<StreamingEventKind> take = event -> {
      ObjectNode line = Wire.JSON.createObjectNode();
      line.set("id", message.get("id"));
      wire.write(line.set("event", Wire.JSON.valueToTree(event)));
      // Not every transport of the SDK says when the stream has ended.
      if (isLast(event)) end.complete(Wire.result(null));
    };
    Consumer<Throwable> finish = error -> {
      if (error == null) end.complete(Wire.result(null));
      else end.completeExceptionally(error);
    };
    ClientCallContext context = contextOf(message);
    if (message.get("method").asText().equals("subscribeToTask"))
      transport.resubscribe(read(message, TaskIdParams.class), take, finish, context);
    else transport.sendMessageStreaming(paramsOf(message), take, finish, context);
    try {
      return end.get();
    } catch (ExecutionException error) {
      throw error.getCause();
    }
  }

  private static boolean isLast(StreamingEventKind event) {
    return event instanceof Message || (event instanceof TaskStatusUpdateEvent update && update.isFinal());
  }

  private static ClientCallContext contextOf(JsonNode message) {
    if (!message.hasNonNull("extensions")) return null;
    StringBuilder names = new StringBuilder();
    for (JsonNode name : message.get("extensions")) names.append(names.isEmpty() ? "" : ", ").append(name.asText());
    return new ClientCallContext(Map.of(), Map.of("X-A2A-Extensions", names.toString()));
  }

  /** Reads a message with its configuration, which says whether to wait, as a client of the SDK always does. */
  private static MessageSendParams paramsOf(JsonNode message) throws Exception {
    ObjectNode request = message.get("request").deepCopy();
    ObjectNode configuration = request.withObject("configuration");
    if (!configuration.has("blocking")) configuration.put("blocking", true);
    return Wire.JSON.treeToValue(request, MessageSendParams.class);
  }

  private static <T> T read(JsonNode message, Class<T> type) throws Exception {
    return Wire.JSON.treeToValue(message.get("request"), type);
  }
}
