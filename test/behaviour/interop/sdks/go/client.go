package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
)

// watched remembers the headers of the last response.
type watched struct {
	mutex sync.Mutex
	last  http.Header
}

func (w *watched) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		w.mutex.Lock()
		w.last = response.Header
		w.mutex.Unlock()
	}
	return response, err
}

// connection is a client over one transport.
type connection struct {
	wire    *wire
	version version
	client  *a2aclient.Client
	headers *watched
	isGRPC  bool
}

func (c *connection) connect(ctx context.Context, given message) (object, error) {
	c.headers, c.isGRPC = &watched{}, given.Binding == "GRPC"
	own := &http.Client{Transport: c.headers}
	resolver := agentcard.NewResolver(own)
	resolver.CardParser = c.version.parse
	card, err := resolver.Resolve(ctx, given.URL)
	if err != nil {
		return nil, err
	}
	options := []a2aclient.FactoryOption{a2aclient.WithDefaultsDisabled(), c.version.transports(own)[given.Binding]}
	c.client, err = a2aclient.NewFromCard(ctx, card, options...)
	return object{"result": card}, err
}

// ended returns the line that ends a call.
func (c *connection) ended(result any) object {
	line := object{"result": result}
	if c.isGRPC {
		return line
	}
	headers := object{}
	c.headers.mutex.Lock()
	defer c.headers.mutex.Unlock()
	for name := range c.headers.last {
		headers[name] = c.headers.last.Get(name)
	}
	line["headers"] = headers
	return line
}

func withExtensions(ctx context.Context, given message) context.Context {
	if len(given.Extensions) == 0 {
		return ctx
	}
	return a2aclient.AttachServiceParams(ctx, a2aclient.ServiceParams{a2a.SvcParamExtensions: given.Extensions})
}

func (c *connection) call(ctx context.Context, given message) (object, error) {
	result, err := c.result(withExtensions(ctx, given), given)
	if err != nil {
		return nil, err
	}
	return c.ended(result), nil
}

func (c *connection) result(ctx context.Context, given message) (any, error) {
	switch given.Method {
	case "sendMessage":
		result, err := called(ctx, given, c.client.SendMessage)
		if err != nil {
			return nil, err
		}
		return a2a.StreamResponse{Event: result.(a2a.Event)}, nil
	case "getTask":
		return called(ctx, given, c.client.GetTask)
	case "listTasks":
		return called(ctx, given, c.client.ListTasks)
	case "cancelTask":
		return called(ctx, given, c.client.CancelTask)
	case "createTaskPushNotificationConfig":
		return called(ctx, given, c.client.CreateTaskPushConfig)
	case "getTaskPushNotificationConfig":
		return called(ctx, given, c.client.GetTaskPushConfig)
	case "listTaskPushNotificationConfigs":
		found, err := called(ctx, given, c.client.ListTaskPushConfigs)
		return object{"configs": found}, err
	case "deleteTaskPushNotificationConfig":
		return called(ctx, given, func(ctx context.Context, request *a2a.DeleteTaskPushConfigRequest) (any, error) {
			return nil, c.client.DeleteTaskPushConfig(ctx, request)
		})
	case "getExtendedAgentCard":
		return called(ctx, given, c.client.GetExtendedAgentCard)
	}
	return nil, fmt.Errorf("the client has no %s", given.Method)
}

func called[Request, Result any](
	ctx context.Context, given message, method func(context.Context, *Request) (Result, error),
) (Result, error) {
	var request Request
	if err := json.Unmarshal(given.Request, &request); err != nil {
		var none Result
		return none, err
	}
	return method(ctx, &request)
}

func (c *connection) stream(ctx context.Context, given message) (object, error) {
	events, err := c.events(withExtensions(ctx, given), given)
	if err != nil {
		return nil, err
	}
	for event, err := range events {
		if err != nil {
			return nil, err
		}
		c.wire.write(object{"id": given.ID, "event": a2a.StreamResponse{Event: event}})
	}
	return c.ended(nil), nil
}

func (c *connection) events(ctx context.Context, given message) (iter.Seq2[a2a.Event, error], error) {
	if given.Method == "subscribeToTask" {
		return called(ctx, given, func(ctx context.Context, request *a2a.SubscribeToTaskRequest) (iter.Seq2[a2a.Event, error], error) {
			return c.client.SubscribeToTask(ctx, request), nil
		})
	}
	return called(ctx, given, func(ctx context.Context, request *a2a.SendMessageRequest) (iter.Seq2[a2a.Event, error], error) {
		return c.client.SendStreamingMessage(ctx, request), nil
	})
}

func main() {
	wire, version := newWire(), versions[os.Args[1]]
	server, client := server{wire: wire, version: version}, connection{wire: wire, version: version}
	wire.serve(map[string]request{
		"listen": server.listen, "serve": server.serve,
		"connect": client.connect, "call": client.call, "stream": client.stream,
		"settle": settle,
	})
}
