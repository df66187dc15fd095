// A gateway of grpc-gateway in front of the server whose address is the argument. It writes its own
// address to stdout, and ends when its stdin ends.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	// The types of the details in errors.
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"

	library "a2a-codegen.test/gateway/library"
)

func main() {
	marshaler := &runtime.JSONPb{
		// As in the generated servers, responses omit default values.
		MarshalOptions:   protojson.MarshalOptions{EmitUnpopulated: false},
		UnmarshalOptions: protojson.UnmarshalOptions{DiscardUnknown: true},
	}
	mux := runtime.NewServeMux(
		runtime.WithMarshalerOption(runtime.MIMEWildcard, marshaler),
		// As google.api.http requires.
		runtime.WithUnescapingMode(runtime.UnescapingModeAllExceptSlash),
	)
	credentials := grpc.WithTransportCredentials(insecure.NewCredentials())
	options := []grpc.DialOption{credentials}
	err := library.RegisterLibraryHandlerFromEndpoint(context.Background(), mux, os.Args[1], options)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, mux))
}
