package main

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// bench is an agent for benchmarks: the first word of a message is the kind of the response.
type bench struct {
	Answer string `json:"answer"`
	Chunks int    `json:"chunks"`
}

func (b bench) Execute(ctx context.Context, given *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		kind, _, _ := strings.Cut(given.Message.Parts[0].Text(), ":")
		if kind == "message" {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(b.Answer)), nil)
			return
		}
		chunk := func(text string, index, count int) bool {
			event := a2a.NewArtifactUpdateEvent(given, "answer", a2a.NewTextPart(text))
			event.Artifact.Name, event.Append, event.LastChunk = "Answer", index > 0, index == count-1
			return yield(event, nil)
		}
		if !yield(a2a.NewSubmittedTask(given, given.Message), nil) ||
			!yield(a2a.NewStatusUpdateEvent(given, a2a.TaskStateWorking, nil), nil) {
			return
		}
		switch kind {
		case "wait":
			<-ctx.Done()
			return
		case "stream":
			for index := range b.Chunks {
				if !chunk(fmt.Sprintf("word %d ", index), index, b.Chunks) {
					return
				}
			}
		default:
			if !chunk(b.Answer, 0, 1) {
				return
			}
		}
		yield(a2a.NewStatusUpdateEvent(given, a2a.TaskStateCompleted, nil), nil)
	}
}

func (b bench) Cancel(_ context.Context, given *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(given, a2a.TaskStateCanceled, nil), nil)
	}
}

// settle returns memory that is not in use to the system.
func settle(context.Context, message) (object, error) {
	debug.FreeOSMemory()
	return nil, nil
}
