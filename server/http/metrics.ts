import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { STATUSES } from '../contract/messages.ts'
import type { Bus } from '../lib/bus.ts'
import type { Store } from '../store/index.ts'

/** Prometheus metrics; no number or text of a customer is a label. */
export function createMetrics(store: Store, bus: Bus) {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  collectDefaultMetrics({ register: registry })

  const changes = new Counter({
    name: 'kurir_messages_total',
    help: 'Messages that reached a status since the start.',
    labelNames: ['status', 'channel'],
    registers,
  })
  for (const status of STATUSES) changes.inc({ status, channel: 'standard' }, 0)
  const stop = bus.on('message', ({ status, channel }) => changes.inc({ status, channel }))

  new Gauge({
    name: 'kurir_waiting_messages',
    help: 'Messages that wait for their sender.',
    labelNames: ['sender_code'],
    registers,
    collect() {
      this.reset()
      for (const { id, code } of store.senders.list()) this.set({ sender_code: code }, store.messages.waiting(id))
    },
  })
  new Gauge({
    name: 'kurir_sender_connected',
    help: '1 while a sender is connected.',
    labelNames: ['sender_code', 'kind'],
    registers,
    collect() {
      this.reset()
      for (const { code, kind, state } of store.senders.list()) {
        this.set({ sender_code: code, kind }, state === 'connected' ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'kurir_callbacks',
    help: 'Callbacks that are pending or dead.',
    labelNames: ['webhook_id', 'state'],
    registers,
    collect() {
      this.reset()
      for (const { endpointId, state, count } of store.deliveries.counts()) {
        this.set({ webhook_id: String(endpointId), state }, count)
      }
    },
  })
  return { registry, stop }
}
