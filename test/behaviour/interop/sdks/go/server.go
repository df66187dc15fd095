package main

import (
	"context"
	"encoding/json"
	"iter"
	"net"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"google.golang.org/grpc"
)

// executor is an agent that does what the driver says.
type executor struct{ wire *wire }

func (e executor) Execute(ctx context.Context, given *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		extensions, _ := a2asrv.ExtensionsFrom(ctx)
		question := object{"message": given.Message, "extensions": extensions.RequestedURIs()}
		if given.StoredTask != nil {
			question["task"] = given.StoredTask
		}
		e.act(given, "message", question, func(answer message) bool {
			if answer.Activate == "" {
				return emit(answer, yield)
			}
			extensions.Activate(&a2a.AgentExtension{URI: answer.Activate})
			return true
		})
	}
}

func (e executor) Cancel(_ context.Context, given *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		e.act(given, "cancel", object{}, func(answer message) bool { return emit(answer, yield) })
	}
}

func (e executor) act(given *a2asrv.ExecutorContext, about string, question object, take func(message) bool) {
	question["taskId"], question["contextId"] = given.TaskID, given.ContextID
	e.wire.ask(about, question, take)
}

func emit(answer message, yield func(a2a.Event, error) bool) bool {
	var event a2a.StreamResponse
	if err := json.Unmarshal(answer.Act, &event); err != nil {
		return yield(nil, err)
	}
	return yield(event.Event, nil)
}

// recorder tells the driver what a handler is asked.
type recorder struct {
	handler a2asrv.RequestHandler
	wire    *wire
}

func (r recorder) tell(ctx context.Context, method string, request any) {
	extensions := []string{}
	if known, ok := a2asrv.ExtensionsFrom(ctx); ok && known.RequestedURIs() != nil {
		extensions = known.RequestedURIs()
	}
	what := object{"method": method, "request": request, "extensions": extensions}
	r.wire.ask("asked", what, func(message) bool { return true })
}

func (r recorder) SendMessage(ctx context.Context, request *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	r.tell(ctx, "sendMessage", request)
	return r.handler.SendMessage(ctx, request)
}

func (r recorder) SendStreamingMessage(ctx context.Context, request *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	r.tell(ctx, "sendStreamingMessage", request)
	return r.handler.SendStreamingMessage(ctx, request)
}

func (r recorder) GetTask(ctx context.Context, request *a2a.GetTaskRequest) (*a2a.Task, error) {
	r.tell(ctx, "getTask", request)
	return r.handler.GetTask(ctx, request)
}

func (r recorder) ListTasks(ctx context.Context, request *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	r.tell(ctx, "listTasks", request)
	return r.handler.ListTasks(ctx, request)
}

func (r recorder) CancelTask(ctx context.Context, request *a2a.CancelTaskRequest) (*a2a.Task, error) {
	r.tell(ctx, "cancelTask", request)
	return r.handler.CancelTask(ctx, request)
}

func (r recorder) SubscribeToTask(ctx context.Context, request *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	r.tell(ctx, "subscribeToTask", request)
	return r.handler.SubscribeToTask(ctx, request)
}

func (r recorder) CreateTaskPushConfig(ctx context.Context, request *a2a.PushConfig) (*a2a.PushConfig, error) {
	r.tell(ctx, "createTaskPushNotificationConfig", request)
	return r.handler.CreateTaskPushConfig(ctx, request)
}

func (r recorder) GetTaskPushConfig(ctx context.Context, request *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	r.tell(ctx, "getTaskPushNotificationConfig", request)
	return r.handler.GetTaskPushConfig(ctx, request)
}

func (r recorder) ListTaskPushConfigs(ctx context.Context, request *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	r.tell(ctx, "listTaskPushNotificationConfigs", request)
	return r.handler.ListTaskPushConfigs(ctx, request)
}

func (r recorder) DeleteTaskPushConfig(ctx context.Context, request *a2a.DeleteTaskPushConfigRequest) error {
	r.tell(ctx, "deleteTaskPushNotificationConfig", request)
	return r.handler.DeleteTaskPushConfig(ctx, request)
}

func (r recorder) GetExtendedAgentCard(ctx context.Context, request *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	r.tell(ctx, "getExtendedAgentCard", request)
	return r.handler.GetExtendedAgentCard(ctx, request)
}

// somebody is the user of all calls: only users who are known can list tasks.
func somebody(context.Context) (string, error) {
	return "somebody", nil
}

// server is what a peer listens with.
type server struct {
	wire       *wire
	version    version
	http, grpc net.Listener
}

func (s *server) listen(context.Context, message) (object, error) {
	var err error
	if s.http, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if s.grpc, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	urls := object{"url": "http://" + s.http.Addr().String() + "/", "grpcUrl": s.grpc.Addr().String()}
	return object{"result": urls}, nil
}

func (s *server) serve(_ context.Context, given message) (object, error) {
	var card, extended a2a.AgentCard
	if err := json.Unmarshal(given.Card, &card); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(given.ExtendedCard, &extended); err != nil {
		return nil, err
	}
	store := a2asrv.WithTaskStore(taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{Authenticator: somebody}))
	checks := a2asrv.WithCapabilityChecks(&card.Capabilities)
	var handler a2asrv.RequestHandler
	if given.Bench != nil {
		handler = a2asrv.NewHandler(*given.Bench, store, checks)
	} else {
		handler = recorder{wire: s.wire, handler: a2asrv.NewHandler(
			executor{s.wire},
			store,
			a2asrv.WithExtendedAgentCard(&extended),
			checks,
			a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)),
		)}
	}
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, s.version.card(&card))
	mux.Handle("/rpc", s.version.jsonrpc(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", s.version.rest(handler)))
	service := grpc.NewServer()
	s.version.register(handler, service)
	go func() { _ = http.Serve(s.http, mux) }()
	go func() { _ = service.Serve(s.grpc) }()
	return nil, nil
}
