import type { ServerResponse } from 'node:http'
import type { LiveEvent } from '../contract/live.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { messageRow } from '../messages/view.ts'
import type { Store } from '../store/index.ts'

const HEARTBEAT = 15_000
// What a window missed is sent again up to this many rows; beyond that it reads its list anew anyway.
const CATCH_UP = 500
// A window that does not read must not fill our memory: it comes back and catches up.
const MOST_BUFFERED = 4 * 1024 * 1024

export interface Stream {
  /** Keeps `res` open and writes what happens; `lastId` is the stream's own `<message>.<event>` of a lost connection. */
  open(res: ServerResponse, lastId: string | undefined): void
  close(): void
}

/** Server-sent events for the window. Ids name the newest message and event, so a window can go on where it stopped. */
export function createStream(store: Store, bus: Bus, clock: Clock): Stream {
  /** Each open window with what ends its heartbeat. */
  const clients = new Map<ServerResponse, () => void>()
  const dirty = new Set<number>()
  const flushes: LiveEvent[] = []
  let cancelFlush: (() => void) | undefined

  const position = () => `${store.list.newestSeq()}.${store.events.newest()}`
  const text = (event: LiveEvent) => `event: ${event.type}\nid: ${position()}\ndata: ${JSON.stringify(event.data)}\n\n`

  function rowOf(seq: number): LiveEvent | undefined {
    const message = store.messages.find({ seq })
    return message && { type: 'message', data: messageRow(message, store.senders.codeOf(message.senderId)) }
  }

  function flush(): void {
    cancelFlush = undefined
    const rows = [...dirty].map(rowOf).filter((event) => event !== undefined)
    const out = [...rows, ...flushes.splice(0)].map(text).join('')
    dirty.clear()
    for (const client of clients.keys()) {
      if (client.writableLength > MOST_BUFFERED) client.destroy()
      else client.write(out)
    }
  }

  /** Many changes of one moment become one write; without a window nothing is read at all. */
  function schedule(): void {
    if (clients.size > 0) cancelFlush ??= clock.after(50, flush)
  }

  function tell(event: LiveEvent): void {
    if (clients.size === 0) return
    flushes.push(event)
    schedule()
  }

  const stops = [
    bus.on('message', ({ seq }) => {
      if (clients.size === 0) return
      dirty.add(seq)
      schedule()
    }),
    bus.on('sender', ({ code }) => tell({ type: 'sender', data: { sender_code: code } })),
    bus.on('webhook', ({ id }) => tell({ type: 'webhook', data: { webhook_id: String(id) } })),
    bus.on('settings', () => tell({ type: 'settings', data: {} })),
  ]

  function catchUp(res: ServerResponse, lastId: string | undefined): void {
    const [message, event] = (lastId ?? '').split('.').map(Number)
    if (message === undefined || event === undefined || !Number.isFinite(message + event)) return
    const seqs = new Set(store.list.after(message, CATCH_UP).map((row) => row.seq))
    for (const { messageSeq } of store.events.messagesSince(event, CATCH_UP)) seqs.add(messageSeq)
    const rows = [...seqs].map(rowOf).filter((row) => row !== undefined)
    res.write(rows.map(text).join(''))
  }

  return {
    open(res, lastId) {
      res.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'keep-alive',
      })
      res.write(`retry: 2000\nid: ${position()}\n: connected\n\n`)
      catchUp(res, lastId)
      let cancel = clock.after(HEARTBEAT, beat)
      clients.set(res, () => cancel())
      function beat(): void {
        res.write(': still here\n\n')
        cancel = clock.after(HEARTBEAT, beat)
      }
      res.on('close', () => {
        cancel()
        clients.delete(res)
      })
    },
    close() {
      for (const stop of stops) stop()
      // The database may be closed before it would run.
      cancelFlush?.()
      for (const [client, rest] of clients) {
        rest()
        client.end()
      }
    },
  }
}
