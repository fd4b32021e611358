import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { STATUSES } from '../contract/messages.ts'
import type { Bus } from '../lib/bus.ts'
import type { DeliveryStore, MessageStore, SenderStore } from '../store/index.ts'

export interface MetricsDeps {
  senders: Pick<SenderStore, 'list'>
  messages: Pick<MessageStore, 'waiting'>
  deliveries: Pick<DeliveryStore, 'counts'>
  bus: Bus
}

/** Prometheus metrics; no number or text of a customer is a label. */
export function createMetrics({ senders, messages, deliveries, bus }: MetricsDeps) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const changes = new Counter({
    name: 'kurir_messages_total',
    help: 'Messages that reached a status since the start.',
    labelNames: ['status', 'channel'],
    registers,
  })
  for (const status of STATUSES) changes.inc({ status, channel: 'standard' }, 0)
  const restarts = new Counter({
    name: 'kurir_linked_restarts_total',
    help: 'Linked numbers that were started again because their connection brought nothing.',
    labelNames: ['sender_code'],
    registers,
  })
  const stopCounting = [
    bus.on('message', ({ status, channel, isNewStatus }) => {
      if (isNewStatus) changes.inc({ status, channel })
    }),
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
      for (const { id, code } of senders.list()) this.set({ sender_code: code }, messages.waiting(id))
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
    name: 'kurir_callbacks',
    help: 'Callbacks that are pending or dead.',
    labelNames: ['webhook_id', 'state'],
    registers,
    async collect() {
      const counts = await deliveries.counts()
      this.reset()
      for (const { endpointId, state, count } of counts) this.set({ webhook_id: String(endpointId), state }, count)
    },
  })
  return { registry, stop }
}
