import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.events.EventQueue;
import io.a2a.server.tasks.TaskUpdater;
import io.a2a.spec.Message;
import io.a2a.spec.TextPart;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** An agent for benchmarks: the first word of a message is the kind of the response. */
final class Bench implements AgentExecutor {
  private final String answer;
  private final int chunks;

  Bench(String answer, int chunks) {
    this.answer = answer;
    this.chunks = chunks;
  }

  @Override
  public void execute(RequestContext context, EventQueue queue) {
    String kind = ((TextPart) context.getMessage().getParts().get(0)).getText().split(":", 2)[0];
    if (kind.equals("message")) {
      queue.enqueueEvent(new Message.Builder().messageId(UUID.randomUUID().toString())
          .role(Message.Role.AGENT).parts(new TextPart(answer)).build());
      return;
    }
    TaskUpdater updater = new TaskUpdater(context, queue);
    updater.submit();
    updater.startWork();
    if (kind.equals("wait")) waitForever();
    int count = kind.equals("stream") ? chunks : 1;
    for (int index = 0; index < count; index += 1) {
      String text = kind.equals("stream") ? "word " + index + " " : answer;
      updater.addArtifact(List.of(new TextPart(text)), "answer", "Answer", null, index > 0, index == count - 1);
    }
    updater.complete();
  }

  @Override
  public void cancel(RequestContext context, EventQueue queue) {
    new TaskUpdater(context, queue).cancel();
  }

  private static void waitForever() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
