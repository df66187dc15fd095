import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.a2a.server.ServerCallContext;
import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.events.EventQueue;
import io.a2a.server.events.InMemoryQueueManager;
import io.a2a.server.requesthandlers.DefaultRequestHandler;
import io.a2a.server.requesthandlers.RequestHandler;
import io.a2a.server.tasks.BasePushNotificationSender;
import io.a2a.server.tasks.InMemoryPushNotificationConfigStore;
import io.a2a.server.tasks.InMemoryTaskStore;
import io.a2a.spec.AgentCard;
import io.a2a.spec.StreamingEventKind;
import jakarta.enterprise.inject.Instance;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** An agent that does what the driver says. */
final class Agent implements AgentExecutor {
  /** What the methods of the request handler are called by the driver. */
  private static final Map<String, String> METHODS = Map.of(
      "onMessageSend", "sendMessage",
      "onMessageSendStream", "sendStreamingMessage",
      "onGetTask", "getTask",
      "onCancelTask", "cancelTask",
      "onResubscribeToTask", "subscribeToTask",
      "onSetTaskPushNotificationConfig", "createTaskPushNotificationConfig",
      "onGetTaskPushNotificationConfig", "getTaskPushNotificationConfig",
      "onListTaskPushNotificationConfig", "listTaskPushNotificationConfigs",
      "onDeleteTaskPushNotificationConfig", "deleteTaskPushNotificationConfig");

  private final Wire wire;

  Agent(Wire wire) {
    this.wire = wire;
  }

  /** Returns a handler of the SDK with this agent, which tells the driver what it is asked. */
  RequestHandler handler() {
    InMemoryTaskStore tasks = new InMemoryTaskStore();
    InMemoryPushNotificationConfigStore configs = new InMemoryPushNotificationConfigStore();
    RequestHandler handler = DefaultRequestHandler.create(this, tasks, new InMemoryQueueManager(tasks), configs,
        new BasePushNotificationSender(configs), wire.threads);
    return proxy(RequestHandler.class, (self, method, given) -> {
      tell(METHODS.get(method.getName()), given[0], ((ServerCallContext) given[1]).getRequestedExtensions());
      try {
        return method.invoke(handler, given);
      } catch (InvocationTargetException error) {
        throw error.getCause();
      }
    });
  }

  /** Returns what the handlers of the SDK look for the extended card in. */
  Instance<AgentCard> extended(AgentCard card) {
    return proxy(Instance.class, (self, method, given) -> {
      if (!method.getName().equals("get")) return method.getName().equals("isResolvable");
      tell("getExtendedAgentCard", Map.of(), Set.of());
      return card;
    });
  }

  @SuppressWarnings("unchecked")
  private static <T> T proxy(Class<?> type, java.lang.reflect.InvocationHandler handler) {
    return (T) Proxy.newProxyInstance(Agent.class.getClassLoader(), new Class<?>[] {type}, handler);
  }

  private void tell(String method, Object request, Set<String> extensions) {
    ObjectNode what = Wire.JSON.createObjectNode().put("method", method);
    what.set("request", Wire.JSON.valueToTree(request));
    what.set("extensions", Wire.JSON.valueToTree(new TreeSet<>(extensions)));
    wire.ask("asked", what, answer -> {});
  }

  @Override
  public void execute(RequestContext context, EventQueue queue) {
    ObjectNode question = questionOf(context);
    question.set("message", Wire.JSON.valueToTree(context.getMessage()));
    question.set("extensions", Wire.JSON.valueToTree(new TreeSet<>(context.getCallContext().getRequestedExtensions())));
    if (context.getTask() != null) question.set("task", Wire.JSON.valueToTree(context.getTask()));
    wire.ask("message", question, answer -> {
      if (answer.has("activate")) context.getCallContext().activateExtension(answer.get("activate").asText());
      else send(answer, queue);
    });
  }

  @Override
  public void cancel(RequestContext context, EventQueue queue) {
    wire.ask("cancel", questionOf(context), answer -> send(answer, queue));
  }

  private static ObjectNode questionOf(RequestContext context) {
    return Wire.JSON.createObjectNode().put("taskId", context.getTaskId()).put("contextId", context.getContextId());
  }

  private static void send(JsonNode answer, EventQueue queue) {
    try {
      queue.enqueueEvent(Wire.JSON.treeToValue(answer.get("act"), StreamingEventKind.class));
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(error);
    }
  }
}
