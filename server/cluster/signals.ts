import { z } from 'zod'
import type { Bus } from '../lib/bus.ts'
import type { Logger } from '../lib/logger.ts'
import type { NodeStore, Store } from '../store/index.ts'

/** A hint between nodes, as JSON: the name of a bus signal and the signal. */
const hint = z.discriminatedUnion('name', [
  z.object({ name: z.literal('lane'), signal: z.object({ senderId: z.number() }) }),
  z.object({ name: z.literal('deliveries'), signal: z.object({ endpointId: z.number() }) }),
  z.object({
    name: z.literal('message'),
    signal: z.object({
      seq: z.number(),
      status: z.string(),
      channel: z.string(),
      laneId: z.number(),
      providerMessageId: z.string().nullable(),
    }),
  }),
  z.object({ name: z.literal('sender'), signal: z.object({ code: z.string() }) }),
  z.object({ name: z.literal('free_sender'), signal: z.object({ senderId: z.number() }) }),
])

/** Parses a hint. Undefined: a node of another version or another program sent it. */
function readHint(text: string): z.infer<typeof hint> | undefined {
  try {
    return hint.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * Repeats signals of one node on the buses of the others. Signals are only hints, as on the bus
 * itself.
 * @param reloadSettings reads the owner's settings again
 */
export function shareSignals(
  nodes: NodeStore,
  { senders, endpoints }: Store,
  reloadSettings: () => void,
  bus: Bus,
  logger: Logger,
): () => void {
  let hearing = false

  /** Emits a signal of another node without sending it back. */
  function repeat(emit: () => void): void {
    hearing = true
    try {
      emit()
    } finally {
      hearing = false
    }
  }

  const say = (name: string, signal: object) => {
    if (!hearing) nodes.say(JSON.stringify({ name, signal }))
  }

  /** Emits every signal that might have been missed. */
  function wakeAll(): void {
    for (const { id, code } of senders.list()) {
      bus.emit('sender', { code })
      bus.emit('lane', { senderId: id })
    }
    for (const { id } of endpoints.list()) bus.emit('webhook', { id })
  }

  const stops = [
    bus.on('lane', (signal) => say('lane', signal)),
    bus.on('deliveries', (signal) => say('deliveries', signal)),
    bus.on('message', ({ isNewStatus, sinceDue, ...signal }) => say('message', signal)),
    bus.on('sender', (signal) => say('sender', signal)),
    bus.on('free_sender', (signal) => say('free_sender', signal)),
  ]
  nodes.onHint((text) => {
    if (text === null) return repeat(wakeAll)
    const said = readHint(text)
    if (said === undefined) return
    repeat(() => {
      // The node where the message changed has counted it.
      if (said.name === 'message') bus.emit('message', { ...said.signal, isNewStatus: false, sinceDue: 0 })
      else if (said.name === 'lane') bus.emit('lane', said.signal)
      else if (said.name === 'deliveries') bus.emit('deliveries', said.signal)
      else if (said.name === 'free_sender') bus.emit('free_sender', said.signal)
      else bus.emit('sender', said.signal)
    })
  })
  nodes.onProblem((problem) => {
    if (problem === null) logger.info('the database takes writes again')
    else logger.error({ problem }, 'the database takes no writes: calls that write are answered with 503 until it does')
    bus.emit('storage', {})
  })
  nodes.onChange((tables) => {
    repeat(() => {
      if (tables.includes('settings')) {
        reloadSettings()
        bus.emit('settings', {})
      }
      if (['senders', 'webhook_endpoints', 'meta'].some((table) => tables.includes(table))) wakeAll()
    })
  })
  return () => {
    for (const stop of stops) stop()
  }
}
