/** The plots of `--growth` by the names of their programs in growth/. */
export const plots = {
  fleet: {
    title: "CPU time of the database, by processes",
    x: "processes",
    panels: [
      { name: "alone", title: "an event", unit: "µs" },
      { name: "watched", title: "an event that another process watches", unit: "µs" },
      { name: "webhook", title: "an event with a webhook", unit: "µs" },
      { name: "idle", title: "idle processes, all together", unit: "ms/s" },
    ],
  },
  messages: {
    title: "Messages of a proto",
    x: "messages",
    panels: [
      { name: "time", title: "generate all targets", unit: "seconds" },
      { name: "memory", title: "peak memory", unit: "MiB" },
    ],
  },
  processes: {
    title: "Processes of an agent on one store",
    x: "processes",
    isLinear: true,
    panels: [
      { name: "rate", title: "throughput", unit: "events/s" },
      { name: "cost", title: "CPU time of an event", unit: "µs" },
      { name: "latency", title: "latency, median", unit: "ms" },
    ],
  },
  subscribers: {
    title: "Subscribers of a task",
    x: "subscribers",
    panels: [
      { name: "rate", title: "delivered", unit: "events/s" },
      { name: "median", title: "latency, median", unit: "ms" },
      { name: "last", title: "latency, last subscriber", unit: "ms" },
    ],
  },
  tasks: {
    title: "Tasks in the store",
    x: "tasks in the store",
    panels: [
      { name: "append", title: "append an event", unit: "ms" },
      { name: "read", title: "read a task", unit: "ms" },
      { name: "list", title: "first page of a list", unit: "ms" },
    ],
  },
};
