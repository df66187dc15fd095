package main

import (
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	a2agrpc1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// handlers makes what answers requests over HTTP.
type handlers func(a2asrv.RequestHandler, ...a2asrv.TransportOption) http.Handler

// version is how the SDK, whose types are those of 1.0, speaks a version of the protocol.
type version struct {
	parse         agentcard.Parser
	card          func(*a2a.AgentCard) http.Handler
	jsonrpc, rest handlers
	register      func(a2asrv.RequestHandler, *grpc.Server)
	transports    func(*http.Client) map[string]a2aclient.FactoryOption
}

var plain = grpc.WithTransportCredentials(insecure.NewCredentials())

var versions = map[string]version{
	"1.0": {
		parse: agentcard.DefaultCardParser,
		card:  a2asrv.NewStaticAgentCardHandler, jsonrpc: a2asrv.NewJSONRPCHandler, rest: a2asrv.NewRESTHandler,
		register: func(handler a2asrv.RequestHandler, service *grpc.Server) {
			a2agrpc1.NewHandler(handler).RegisterWith(service)
		},
		transports: func(own *http.Client) map[string]a2aclient.FactoryOption {
			return map[string]a2aclient.FactoryOption{
				"JSONRPC":   a2aclient.WithJSONRPCTransport(own),
				"HTTP+JSON": a2aclient.WithRESTTransport(own),
				"GRPC":      a2agrpc1.WithGRPCTransport(plain),
			}
		},
	},
	"0.3": {
		parse: a2av0.NewAgentCardParser(),
		card: func(card *a2a.AgentCard) http.Handler {
			return a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card))
		},
		jsonrpc: a2av0.NewJSONRPCHandler, rest: a2av0.NewRESTHandler,
		register: func(handler a2asrv.RequestHandler, service *grpc.Server) {
			a2agrpc0.NewHandler(handler).RegisterWith(service)
		},
		transports: func(own *http.Client) map[string]a2aclient.FactoryOption {
			return map[string]a2aclient.FactoryOption{
				"JSONRPC":   a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{Client: own}),
				"HTTP+JSON": a2av0.WithRESTTransport(a2av0.RESTTransportConfig{Client: own}),
				"GRPC":      a2agrpc0.WithGRPCTransport(plain),
			}
		},
	},
}
