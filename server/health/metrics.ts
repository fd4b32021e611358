import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { ApiError } from '../contract/errors.ts'
import { CHANNELS, STATUSES, type Status } from '../contract/messages.ts'
import { keyOf } from '../http/keys.ts'
import { ANSWERED, defineRoute, type Route } from '../http/route.ts'
import type { Bus } from '../lib/bus.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { HealthContext } from './context.ts'
import { readConcerns } from './reports.ts'

/** The first status in which WhatsApp's server or Meta has a message, by channel. */
const LEFT_WITH: Partial<Record<string, Status>> = { standard: 'sent', template: 'accepted' }

/** Creates the Prometheus metrics. No number or text of a customer is a label. */
export function createMetrics(health: HealthContext, bus: Bus) {
  const { senders, queues, deliveries, endpoints, problem } = health.store
  const { version } = health.run
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const changes = new Counter({
    name: 'kurir_messages_total',
    help: 'Messages that reached a status since the start.',
    labelNames: ['status', 'channel'],
    registers,
  })
  // Create each series at 0, so that an alert can tell 0 from an absent series.
  for (const channel of CHANNELS) for (const status of STATUSES) changes.inc({ status, channel }, 0)
  const restarts = new Counter({
    name: 'kurir_linked_restarts_total',
    help: 'Linked numbers that were started again because their connection brought nothing.',
    labelNames: ['sender_code'],
    registers,
  })
  for (const { code, kind } of senders.list()) if (kind === 'linked') restarts.inc({ sender_code: code }, 0)
  new Gauge({ name: 'kurir_build_info', help: 'Always 1.', labelNames: ['version'], registers }).set({ version }, 1)
  new Gauge({
    name: 'kurir_concerns',
    help: 'What needs the owner, by weight and code; one that is over is left out.',
    labelNames: ['weight', 'code'],
    registers,
    async collect() {
      this.reset()
      for (const { weight, code } of await readConcerns(health)) this.inc({ weight, code })
    },
  })
  const sends = new Histogram({
    name: 'kurir_send_duration_seconds',
    help: "From when a message was due until WhatsApp's server or Meta had it.",
    labelNames: ['channel'],
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400],
    registers,
  })
  for (const channel of CHANNELS) sends.zero({ channel })
  const calls = new Histogram({
    name: 'kurir_callback_duration_seconds',
    help: 'How long receivers took to answer callbacks, or to fail.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
    registers,
  })
  for (const outcome of ['taken', 'failed']) calls.zero({ outcome })
  const stopCounting = [
    bus.on('message', ({ status, channel, isNewStatus, sinceDue }) => {
      if (!isNewStatus) return
      changes.inc({ status, channel })
      // A status has the time of the reporter's clock, which may be behind, so limit it to 0.
      if (status === LEFT_WITH[channel]) sends.observe({ channel }, Math.max(0, sinceDue) / 1000)
    }),
    bus.on('callback', ({ isTaken, tookMs }) =>
      calls.observe({ outcome: isTaken ? 'taken' : 'failed' }, Math.max(0, tookMs) / 1000),
    ),
    bus.on('linked_restart', ({ code }) => restarts.inc({ sender_code: code })),
  ]
  const stop = () => {
    for (const each of stopCounting) each()
  }

  new Gauge({
    name: 'kurir_waiting_messages',
    help: 'Messages that wait for their sender.',
    labelNames: ['sender_code'],
    registers,
    collect() {
      this.reset()
      for (const { id, code } of senders.list()) this.set({ sender_code: code }, queues.waiting(id))
    },
  })
  new Gauge({
    name: 'kurir_sender_connected',
    help: '1 while a sender is connected.',
    labelNames: ['sender_code', 'kind'],
    registers,
    collect() {
      this.reset()
      for (const { code, kind, state } of senders.list()) {
        this.set({ sender_code: code, kind }, state === 'connected' ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'kurir_storage_ready',
    help: '0 while messages cannot be stored.',
    registers,
    collect() {
      this.set(problem() === null ? 1 : 0)
    },
  })
  new Gauge({
    name: 'kurir_callbacks',
    help: 'Callbacks that are pending or dead.',
    labelNames: ['webhook_id', 'state'],
    registers,
    async collect() {
      this.reset()
      const counts = await deliveries.counts().catch((error: unknown) => {
        if (error instanceof StorageError) return undefined
        throw error
      })
      // No figure is better than an old one, and the other metrics are still exported.
      if (counts === undefined) return
      for (const { id } of endpoints.list())
        for (const state of ['pending', 'dead']) this.set({ webhook_id: String(id), state }, 0)
      for (const { endpointId, state, count } of counts) this.set({ webhook_id: String(endpointId), state }, count)
    },
  })
  const requests = new Histogram({
    name: 'kurir_request_duration_seconds',
    help: 'Time to answer a call of a program; for POST /send until the message is on disk.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  for (const route of ['/send', '/waba/send-template']) requests.zero({ method: 'POST', route, status: '200' })

  /** Records how long the answer to a caller took. */
  function answered({ method, path, auth }: Route, status: number, seconds: number) {
    if (auth === 'key_or_owner') requests.observe({ method, route: path, status: String(status) }, seconds)
  }
  return { registry, answered, stop }
}

export const metricsRoutes = (registry: Registry): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/metrics',
    auth: 'key_or_owner',
    forReaders: true,
    tag: 'Operation',
    summary: 'Read metrics for Prometheus',
    description:
      "Metrics in Prometheus' text format. Available to global keys, also with scope `read`, and to the owner; not to device keys.",
    // Refuse device keys, because the metrics name every sender, webhook and queue.
    admit: (caller) => {
      if (keyOf(caller)?.kind === 'device')
        throw new ApiError('sender_not_allowed', 'A device key reads no metrics. Use a global key.')
    },
    answer: 'text/plain',
    handler: async ({ res }) => {
      const text = await registry.metrics()
      res.writeHead(200, { 'content-type': registry.contentType }).end(text)
      return ANSWERED
    },
  }),
]
