import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type LiveEvent, liveEvent } from '../../server/contract/events.ts'
import { shownIn } from '../../server/contract/shown.ts'
import { followStream, type StreamEvent, StreamRefused } from './event-stream.ts'
import { applyLive } from './live.ts'
import { FIRST_READ, queryKeys } from './query-keys.ts'

export type Connection = 'connecting' | 'live' | 'lost'

/** Milliseconds between redraws: a busy lane must not redraw the page for each message. */
const BATCH = 250
const RETRY_AFTER = 2_000
/** Longer, because each try of a window that is not logged in counts as a failure at the server. */
const REFUSED_RETRY_AFTER = 10_000

/**
 * Follows /api/events as long as the window is open, and keeps the caches fresh. Returns the state
 * of the connection.
 */
export function useLiveStream(): Connection {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')

  useEffect(() => {
    let waiting: LiveEvent[] = []
    let wasLost = false
    let lastId: string | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const closed = new AbortController()

    const flush = setInterval(() => {
      if (waiting.length === 0) return
      const events = waiting
      waiting = []
      applyLive(client, events)
    }, BATCH)

    function opened() {
      setConnection('live')
      // After a loss, the server may replay only a part of what happened. At the start, the first
      // answers are older than the stream.
      if (wasLost) void client.invalidateQueries()
      else for (const queryKey of FIRST_READ) void client.invalidateQueries({ queryKey })
      wasLost = false
    }

    function received({ type, data }: StreamEvent) {
      const event = liveEvent.safeParse({ type, data: shownIn(JSON.parse(data)) })
      if (event.success) waiting.push(event.data)
    }

    function lost(error?: unknown) {
      if (closed.signal.aborted) return
      // The cause may be a lost database, which Home shows.
      if (!wasLost) void client.invalidateQueries({ queryKey: queryKeys.overview })
      wasLost = true
      setConnection('lost')
      const isRefused = error instanceof StreamRefused
      // If this window was logged out, the settings are refused too, and the window says so.
      if (isRefused && error.status < 404) void client.invalidateQueries({ queryKey: queryKeys.settings })
      timer = setTimeout(open, isRefused ? REFUSED_RETRY_AFTER : RETRY_AFTER)
    }

    function open() {
      followStream(
        '/api/events',
        { lastId, signal: closed.signal },
        {
          open: opened,
          event: received,
          id: (id) => {
            lastId = id
          },
        },
      ).then(() => lost(), lost)
    }

    open()
    return () => {
      clearInterval(flush)
      clearTimeout(timer)
      closed.abort()
    }
  }, [client])

  return connection
}
