import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type LiveEvent, liveEvent } from '../../server/contract/events.ts'
import { applyLive } from './live.ts'

export type Connection = 'connecting' | 'live' | 'lost'

const TYPES = ['message', 'sender', 'webhook', 'settings'] as const

/** Bursts are applied together: a busy lane must not redraw the page for each message (milliseconds). */
const BATCH = 250
const RETRY_AFTER = 2_000

/** Follows /api/events for as long as the window is open, keeps the caches fresh; returns whether the server is there. */
export function useLiveStream(): Connection {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')

  useEffect(() => {
    let waiting: LiveEvent[] = []
    let wasLost = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let source: EventSource

    const flush = setInterval(() => {
      if (waiting.length === 0) return
      const events = waiting
      waiting = []
      applyLive(client, events)
    }, BATCH)

    function open() {
      source = new EventSource('/api/events')
      source.onopen = () => {
        setConnection('live')
        // What happened meanwhile may be more than the server replays.
        if (wasLost) void client.invalidateQueries()
        wasLost = false
      }
      for (const type of TYPES) {
        source.addEventListener(type, ({ data }) => {
          const event = liveEvent.safeParse({ type, data: JSON.parse(String(data)) })
          if (event.success) waiting.push(event.data)
        })
      }
      source.onerror = () => {
        wasLost = true
        setConnection('lost')
        // The browser tries again by itself unless the server answered with an error.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, RETRY_AFTER)
      }
    }

    open()
    return () => {
      clearInterval(flush)
      clearTimeout(timer)
      source.close()
    }
  }, [client])

  return connection
}
