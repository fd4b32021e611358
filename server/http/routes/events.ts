import type { ServerResponse } from 'node:http'
import type { LiveEvent } from '../../contract/events.ts'
import { type Clock, SECOND } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { MessageContext } from '../../messages/context.ts'
import { messageRows } from '../../messages/view.ts'
import type { Authentication } from '../auth.ts'
import { ANSWERED, defineRoute, type Route } from '../route.ts'
import type { OwnerSessions } from '../sessions.ts'

const HEARTBEAT = 15 * SECOND
// Changes within this time (ms) become one write.
const GATHER_FOR = 50
// Most missed rows that a window gets. A window that missed more reads its list again anyway.
const CATCH_UP = 500
// Most unread bytes of a window. A window that does not read must not fill the memory: it is
// disconnected, comes back and catches up.
const MOST_BUFFERED = 4 * 1024 * 1024

export interface Window {
  /** Id of the last event before the connection was lost: `<message>.<event>`. */
  lastId: string | undefined
  /** True if the window may read. Called before each write: the owner may have logged it out. */
  mayRead: () => boolean
}

export interface Stream {
  /** Keeps `res` open and writes events to it. */
  open(res: ServerResponse, window: Window): void
  close(): Promise<void>
}

/**
 * Creates the stream of server-sent events for windows. Event ids name the newest message and event
 * in the store, so that a window can resume where it stopped.
 */
export function createStream(messaging: MessageContext, clock: Clock, logger: Logger): Stream {
  const { store, bus } = messaging
  const { messages, events } = store
  /** Open windows. */
  const clients = new Map<ServerResponse, { stopBeating: () => void; mayRead: () => boolean }>()
  /** Number of windows that are catching up. */
  let opening = 0
  const dirty = new Set<number>()
  const pending: LiveEvent[] = []
  let cancelFlush: (() => void) | undefined
  // Jobs run one after the other, because rows must be written in the order of their reading.
  let work = Promise.resolve()

  /** Runs a job in turn. If it fails, disconnects `windows`, which come back and catch up. */
  function inOrder(job: () => Promise<void>, windows: () => Iterable<ServerResponse>): Promise<void> {
    work = work.then(job).catch((error: unknown) => {
      logger.warn({ err: error }, 'events for the window could not be read')
      for (const window of windows()) window.destroy()
    })
    return work
  }

  const position = async (): Promise<string> => `${(await messages.newest())?.seq ?? 0}.${await events.newest()}`
  const textOf = (event: LiveEvent, id: string) =>
    `event: ${event.type}\nid: ${id}\ndata: ${JSON.stringify(event.data)}\n\n`

  async function rowsOf(seqs: Iterable<number>): Promise<LiveEvent[]> {
    const found = await Promise.all([...seqs].map((seq) => messages.find({ seq })))
    const data = await messageRows(
      messaging,
      found.filter((message) => message !== undefined),
    )
    return data.map((row) => ({ type: 'message', data: row }))
  }

  async function flush(): Promise<void> {
    const seqs = [...dirty]
    const others = pending.splice(0)
    dirty.clear()
    // Read the position before the rows: changes during the reading are then sent again after a
    // lost connection, and not skipped.
    const id = await position()
    const text = [...(await rowsOf(seqs)), ...others].map((event) => textOf(event, id)).join('')
    for (const [client, { mayRead }] of clients) {
      if (!mayRead() || client.writableLength > MOST_BUFFERED) client.destroy()
      else client.write(text)
    }
  }

  function schedule(): void {
    cancelFlush ??= clock.after(GATHER_FOR, () => {
      cancelFlush = undefined
      void inOrder(flush, () => clients.keys())
    })
  }

  function announce(event: LiveEvent): void {
    pending.push(event)
    schedule()
  }

  const listen = () => [
    bus.on('message', ({ seq }) => {
      dirty.add(seq)
      schedule()
    }),
    bus.on('sender', ({ code }) => announce({ type: 'sender', data: { sender_code: code } })),
    bus.on('webhook', ({ id }) => announce({ type: 'webhook', data: { webhook_id: String(id) } })),
    bus.on('settings', () => announce({ type: 'settings', data: {} })),
    // If the database cannot be read, the flush disconnects the windows, which tells them so.
    bus.on('storage', schedule),
  ]

  /** Listens only while there is a window. Without one, nothing is read at all. */
  let stops: (() => void)[] = []
  function listenIfWatched(): void {
    if (clients.size + opening === 0) for (const stop of stops.splice(0)) stop()
    else if (stops.length === 0) stops = listen()
  }

  /** Reads the rows that changed since a window lost its connection. */
  async function missed(lastId: string | undefined): Promise<LiveEvent[]> {
    const [message, event] = (lastId ?? '').split('.').map(Number)
    if (message === undefined || event === undefined || !Number.isFinite(message + event)) return []
    const seqs = new Set((await messages.after(message, CATCH_UP)).map(({ seq }) => seq))
    for (const { messageSeq } of await events.messagesSince(event, CATCH_UP)) seqs.add(messageSeq)
    return rowsOf(seqs)
  }

  /** Writes the missed rows. From then on the window gets live events. */
  async function begin(res: ServerResponse, { lastId, mayRead }: Window): Promise<void> {
    const id = await position()
    const lost = await missed(lastId)
    if (res.destroyed || res.writableEnded) return
    if (!mayRead()) return void res.destroy()
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'keep-alive',
    })
    res.write(`retry: 2000\nid: ${id}\n: connected\n\n${lost.map((event) => textOf(event, id)).join('')}`)
    let cancel = clock.after(HEARTBEAT, beat)
    clients.set(res, { stopBeating: () => cancel(), mayRead })
    function beat(): void {
      if (!mayRead()) return void res.destroy()
      res.write(': still here\n\n')
      cancel = clock.after(HEARTBEAT, beat)
    }
  }

  return {
    open(res, window) {
      res.on('close', () => {
        clients.get(res)?.stopBeating()
        clients.delete(res)
        listenIfWatched()
      })
      opening += 1
      listenIfWatched()
      void inOrder(
        () => begin(res, window),
        () => [res],
      ).finally(() => {
        opening -= 1
        listenIfWatched()
      })
    },
    async close() {
      for (const stop of stops) stop()
      // The database may be closed before the flush would run.
      cancelFlush?.()
      await work
      for (const [client, { stopBeating }] of clients) {
        stopBeating()
        client.end()
      }
    },
  }
}

export const eventRoutes = (stream: Stream, sessions: OwnerSessions, authentication: Authentication): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    auth: 'owner',
    tag: 'Operation',
    summary: 'Stream changes (server-sent events)',
    description: 'An event about a message contains its row; any other event only says which data to read again.',
    answer: 'text/event-stream',
    handler: ({ req, res, caller: { session } }) => {
      if (session !== null)
        res.on(
          'close',
          sessions.whenRevoked(session, () => res.destroy()),
        )
      const lastId = req.headers['last-event-id']
      stream.open(res, {
        lastId: typeof lastId === 'string' ? lastId : undefined,
        mayRead: () => authentication.mayBeOwner(req) && (session === null || sessions.isOpen(session)),
      })
      return ANSWERED
    },
  }),
]
