import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.a2a.server.ServerCallContext;
import io.a2a.server.auth.UnauthenticatedUser;
import io.a2a.server.extensions.A2AExtensions;
import io.a2a.server.requesthandlers.RequestHandler;
import io.a2a.spec.*;
import io.a2a.spec.InternalError;
import io.a2a.transport.grpc.context.GrpcContextKeys;
import io.a2a.transport.grpc.handler.CallContextFactory;
import io.a2a.transport.grpc.handler.GrpcHandler;
import io.a2a.transport.jsonrpc.handler.JSONRPCHandler;
import io.a2a.transport.rest.handler.RestHandler;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** The handlers of the SDK, behind the HTTP server of the JDK and a gRPC server. */
final class Server {
  private static final String EXTENSIONS = "X-A2A-Extensions";
  private final Wire wire;
  private HttpServer http;
  private int grpcPort;

  Server(Wire wire) {
    this.wire = wire;
  }

  ObjectNode listen(JsonNode message) throws IOException {
    http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    http.setExecutor(wire.threads);
    try (ServerSocket free = new ServerSocket(0)) {
      grpcPort = free.getLocalPort();
    }
    ObjectNode urls = Wire.JSON.createObjectNode();
    urls.put("url", "http://127.0.0.1:" + http.getAddress().getPort() + "/").put("grpcUrl", "127.0.0.1:" + grpcPort);
    return Wire.result(urls);
  }

  ObjectNode serve(JsonNode message) throws Exception {
    AgentCard card = Wire.JSON.treeToValue(message.get("card"), AgentCard.class);
    AgentCard extended = Wire.JSON.treeToValue(message.get("extendedCard"), AgentCard.class);
    Agent agent = new Agent(wire);
    RequestHandler handler = agent.handler();
    JSONRPCHandler rpc = new JSONRPCHandler(card, agent.extended(extended), handler, wire.threads);
    RestHandler rest = new RestHandler(card, agent.extended(extended), handler, wire.threads);
    http.createContext("/.well-known/agent-card.json", exchange -> answer(exchange, 200, json(rpc.getAgentCard())));
    http.createContext("/rpc", exchange -> serveRpc(exchange, rpc));
    http.createContext("/rest/v1/", exchange -> serveRest(exchange, rest));
    http.start();
    NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", grpcPort))
        .addService(grpcHandler(card, handler)).intercept(new Extensions()).build().start();
    return Wire.result(null);
  }

  private static void serveRpc(HttpExchange exchange, JSONRPCHandler rpc) throws IOException {
    ServerCallContext context = contextOf(exchange);
    try {
      JsonNode body = Wire.JSON.readTree(exchange.getRequestBody());
      String method = body.path("method").asText();
      if (method.equals("message/stream")) {
        stream(exchange, rpc.onMessageSendStream(read(body, SendStreamingMessageRequest.class), context), Server::json);
      } else if (method.equals("tasks/resubscribe")) {
        stream(exchange, rpc.onResubscribeToTask(read(body, TaskResubscriptionRequest.class), context), Server::json);
      } else {
        answer(exchange, 200, json(called(rpc, read(body, NonStreamingJSONRPCRequest.class), context)));
      }
    } catch (JsonProcessingException error) {
      answer(exchange, 200, json(refusal(error)));
    } catch (RuntimeException error) {
      answer(exchange, 200, json(new JSONRPCErrorResponse(new InternalError(error.getMessage()))));
    }
  }

  /** Returns the response of the SDK's own server to a request that cannot be read. */
  private static JSONRPCErrorResponse refusal(JsonProcessingException error) {
    Object id = error instanceof IdJsonMappingException known ? known.getId() : null;
    if (error instanceof MethodNotFoundJsonMappingException) return new JSONRPCErrorResponse(id, new MethodNotFoundError());
    if (error instanceof InvalidParamsJsonMappingException) return new JSONRPCErrorResponse(id, new InvalidParamsError());
    boolean isNoJson = error instanceof JsonEOFException || error.getCause() instanceof JsonParseException;
    return new JSONRPCErrorResponse(id, isNoJson ? new JSONParseError() : new InvalidRequestError());
  }

  private static Object called(JSONRPCHandler rpc, NonStreamingJSONRPCRequest<?> request, ServerCallContext context) {
    if (request instanceof SendMessageRequest one) return rpc.onMessageSend(one, context);
    if (request instanceof GetTaskRequest one) return rpc.onGetTask(one, context);
    if (request instanceof CancelTaskRequest one) return rpc.onCancelTask(one, context);
    if (request instanceof SetTaskPushNotificationConfigRequest one) return rpc.setPushNotificationConfig(one, context);
    if (request instanceof GetTaskPushNotificationConfigRequest one) return rpc.getPushNotificationConfig(one, context);
    if (request instanceof ListTaskPushNotificationConfigRequest one) return rpc.listPushNotificationConfig(one, context);
    if (request instanceof DeleteTaskPushNotificationConfigRequest one)
      return rpc.deletePushNotificationConfig(one, context);
    if (request instanceof GetAuthenticatedExtendedCardRequest one)
      return rpc.onGetAuthenticatedExtendedCardRequest(one, context);
    return new JSONRPCErrorResponse(request.getId(), new UnsupportedOperationError());
  }

  private static void serveRest(HttpExchange exchange, RestHandler rest) throws IOException {
    ServerCallContext context = contextOf(exchange);
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().getRawPath().substring("/rest/v1/".length());
    List<String> steps = List.of(path.split("/")).stream()
        .map(step -> URLDecoder.decode(step.replace("+", "%2B"), StandardCharsets.UTF_8)).toList();
    String route = exchange.getRequestMethod() + " " + (steps.size() > 2 ? steps.size() : steps.get(steps.size() - 1));
    String id = steps.size() > 1 ? steps.get(1) : "";
    RestHandler.HTTPRestResponse response = switch (route) {
      case "POST message:send" -> rest.sendMessage(body, context);
      case "POST message:stream" -> rest.sendStreamingMessage(body, context);
      case "GET card" -> rest.getAuthenticatedExtendedCard();
      case "POST 3" -> rest.setTaskPushNotificationConfiguration(id, body, context);
      case "GET 3" -> rest.listTaskPushNotificationConfigurations(id, context);
      case "GET 4" -> rest.getTaskPushNotificationConfiguration(id, steps.get(3), context);
      case "DELETE 4" -> rest.deleteTaskPushNotificationConfiguration(id, steps.get(3), context);
      default -> taskCall(exchange, rest, id, context);
    };
    if (response instanceof RestHandler.HTTPRestStreamingResponse events)
      stream(exchange, events.getPublisher(), event -> event);
    else answer(exchange, response.getStatusCode(), response.getBody());
  }

  private static RestHandler.HTTPRestResponse taskCall(
      HttpExchange exchange, RestHandler rest, String step, ServerCallContext context) {
    String id = step.replaceFirst(":[a-z]+$", "");
    if (step.endsWith(":cancel")) return rest.cancelTask(id, context);
    if (step.endsWith(":subscribe")) return rest.resubscribeTask(id, context);
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    String length = query.startsWith("history_length=") ? query.substring("history_length=".length()) : "0";
    return rest.getTask(step, Integer.parseInt(length), context);
  }

  private static ServerCallContext contextOf(HttpExchange exchange) {
    List<String> names = exchange.getRequestHeaders().get(EXTENSIONS);
    return new ServerCallContext(UnauthenticatedUser.INSTANCE, new HashMap<>(),
        A2AExtensions.getRequestedExtensions(names == null ? List.of() : names));
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** Writes what is published as events, until that ends or the client goes away. */
  private static <T> void stream(HttpExchange exchange, Flow.Publisher<T> events, Function<T, String> text)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream body = exchange.getResponseBody();
    CountDownLatch end = new CountDownLatch(1);
    events.subscribe(new Flow.Subscriber<T>() {
      private Flow.Subscription subscription;

      @Override
      public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        subscription.request(1);
      }

      @Override
      public void onNext(T event) {
        try {
          body.write(("data: " + text.apply(event) + "\n\n").getBytes(StandardCharsets.UTF_8));
          body.flush();
          subscription.request(1);
        } catch (IOException error) {
          subscription.cancel();
          end.countDown();
        }
      }

      @Override
      public void onError(Throwable error) {
        end.countDown();
      }

      @Override
      public void onComplete() {
        end.countDown();
      }
    });
    try {
      end.await();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    exchange.close();
  }

  private static String json(Object value) {
    return io.a2a.util.Utils.toJsonString(value);
  }

  private static <T> T read(JsonNode body, Class<T> type) throws JsonProcessingException {
    return Wire.JSON.treeToValue(body, type);
  }

  private GrpcHandler grpcHandler(AgentCard card, RequestHandler handler) {
    return new GrpcHandler() {
      @Override
      protected RequestHandler getRequestHandler() {
        return handler;
      }

      @Override
      protected AgentCard getAgentCard() {
        return card;
      }

      @Override
      protected CallContextFactory getCallContextFactory() {
        return null;
      }

      @Override
      protected Executor getExecutor() {
        return wire.threads;
      }
    };
  }

  /** Hands the header about extensions on to the handler. */
  private static final class Extensions implements ServerInterceptor {
    private static final Metadata.Key<String> KEY = Metadata.Key.of(EXTENSIONS, Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata metadata, ServerCallHandler<Q, R> next) {
      Context context = Context.current();
      if (metadata.get(KEY) != null) context = context.withValue(GrpcContextKeys.EXTENSIONS_HEADER_KEY, metadata.get(KEY));
      return Contexts.interceptCall(context, call, metadata, next);
    }
  }
}
