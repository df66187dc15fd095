package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// object is a JSON object, whatever is in it.
type object map[string]any

// message is a line of the driver; ../peer.ts describes them.
type message struct {
	ID           int             `json:"id"`
	Do           string          `json:"do"`
	Of           int             `json:"of"`
	Answer       int             `json:"answer"`
	Act          json.RawMessage `json:"act"`
	Activate     string          `json:"activate"`
	Done         bool            `json:"done"`
	URL          string          `json:"url"`
	Binding      string          `json:"binding"`
	Method       string          `json:"method"`
	Request      json.RawMessage `json:"request"`
	Extensions   []string        `json:"extensions"`
	Card         json.RawMessage `json:"card"`
	ExtendedCard json.RawMessage `json:"extendedCard"`
	Bench        *bench          `json:"bench"`
}

// request handles one message, and returns what the line that ends it says.
type request func(ctx context.Context, given message) (object, error)

// wire serves the requests of the driver, and asks it what an agent is to do.
type wire struct {
	mutex     sync.Mutex
	asked     int
	questions map[int]chan message
	running   map[int]context.CancelFunc
}

func newWire() *wire {
	return &wire{questions: map[int]chan message{}, running: map[int]context.CancelFunc{}}
}

func (w *wire) write(line object) {
	text, err := json.Marshal(line)
	if err != nil {
		text, _ = json.Marshal(object{"id": line["id"], "refused": "Error", "text": err.Error()})
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	os.Stdout.Write(append(text, '\n'))
}

// ask asks the driver, and calls take with each part of the answer until that returns false.
func (w *wire) ask(about string, what object, take func(message) bool) {
	answers := make(chan message, 64)
	w.mutex.Lock()
	w.asked++
	number := w.asked
	w.questions[number] = answers
	w.mutex.Unlock()
	defer func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		delete(w.questions, number)
	}()
	what["ask"], what["about"] = number, about
	w.write(what)
	for answer := range answers {
		if answer.Done || !take(answer) {
			return
		}
	}
}

// serve handles requests until the driver closes the input.
func (w *wire) serve(requests map[string]request) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var given message
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			panic(err)
		}
		w.mutex.Lock()
		question, cancel := w.questions[given.Answer], w.running[given.Of]
		w.mutex.Unlock()
		switch {
		case given.Answer > 0:
			if question != nil {
				question <- given
			}
		case given.Do == "leave":
			if cancel != nil {
				cancel()
			}
		default:
			go w.handle(requests[given.Do], given)
		}
	}
}

func (w *wire) handle(handler request, given message) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.mutex.Lock()
	w.running[given.ID] = cancel
	w.mutex.Unlock()
	line, err := handler(ctx, given)
	if err != nil {
		line = object{"refused": className(err), "text": err.Error()}
	} else if line == nil {
		line = object{}
	}
	line["id"] = given.ID
	w.write(line)
}

// className returns the class of an error as the driver calls it.
func className(err error) string {
	classes := map[error]string{
		a2a.ErrInvalidRequest:               "InvalidRequestError",
		a2a.ErrMethodNotFound:               "MethodNotFoundError",
		a2a.ErrInvalidParams:                "InvalidParamsError",
		a2a.ErrInternalError:                "InternalError",
		a2a.ErrTaskNotFound:                 "TaskNotFoundError",
		a2a.ErrTaskNotCancelable:            "TaskNotCancelableError",
		a2a.ErrPushNotificationNotSupported: "PushNotificationNotSupportedError",
		a2a.ErrUnsupportedOperation:         "UnsupportedOperationError",
		a2a.ErrExtensionSupportRequired:     "ExtensionSupportRequiredError",
		a2a.ErrVersionNotSupported:          "VersionNotSupportedError",
	}
	for class, name := range classes {
		if errors.Is(err, class) {
			return name
		}
	}
	return "Error"
}
