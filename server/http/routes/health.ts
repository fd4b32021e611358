import { type Health, health, overview } from '../../contract/overview.ts'
import type { Clock } from '../../lib/clock.ts'
import { localDay, startOfDay } from '../../lib/local-time.ts'
import { shownState } from '../../senders/view.ts'
import type { Store } from '../../store/index.ts'
import { defineRoute, ok, Reply, type Route } from '../route.ts'

const DAYS = 14

export interface HealthDeps {
  store: Store
  version: string
  startedAt: number
  clock: Clock
  /** What works, but needs the owner. */
  warnings: () => string[]
  freeBytes: () => number | null
}

export function healthRoutes({ store, version, startedAt, clock, warnings, freeBytes }: HealthDeps): Route[] {
  const callbacks = (state: string) =>
    store.deliveries
      .counts()
      .filter((row) => row.state === state)
      .reduce((sum, row) => sum + row.count, 0)
  const waiting = () => store.senders.list().reduce((sum, sender) => sum + store.messages.waiting(sender.id), 0)

  async function read(): Promise<Health> {
    const senders: Record<string, number> = {}
    for (const sender of store.senders.list()) senders[shownState(sender)] = (senders[shownState(sender)] ?? 0) + 1
    // Whoever waits for this to become ready sends nothing meanwhile, and so would never see it.
    const writable = store.isWritable() || (await store.upkeep.probe())
    const reasons = writable ? [] : ['The database cannot be written: messages are refused.']
    const ready = reasons.length === 0
    return {
      success: ready,
      message: ready ? 'Kurir is ready.' : (reasons[0] ?? ''),
      data: {
        status: ready ? 'ready' : 'not_ready',
        version,
        uptime_seconds: Math.round((clock.now() - startedAt) / 1000),
        reasons,
        warnings: warnings(),
        senders,
        waiting: waiting(),
        callbacks_pending: callbacks('pending'),
        callbacks_dead: callbacks('dead'),
      },
    }
  }

  function days() {
    const now = clock.now()
    const counts = store.upkeep.countsSince(localDay(startOfDay(now, 1 - DAYS)))
    return Array.from({ length: DAYS }, (_, i) => {
      const day = localDay(startOfDay(now, i + 1 - DAYS))
      const count = (status: string) => counts.find((row) => row.day === day && row.status === status)?.count ?? 0
      return { day, sent: count('sent'), delivered: count('delivered'), read: count('read'), failed: count('failed') }
    })
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      auth: 'none',
      tag: 'Operation',
      summary: 'Whether Kurir can accept messages',
      answer: health,
      handler: async () => {
        const report = await read()
        return new Reply(report.success ? 200 : 503, report)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/overview',
      auth: 'owner',
      tag: 'Operation',
      summary: 'What the first page shows',
      answer: overview,
      handler: () => {
        const series = days()
        const today = series.at(-1)
        return ok('Overview.', {
          today: {
            accepted: store.list.acceptedSince(startOfDay(clock.now())),
            sent: today?.sent ?? 0,
            failed: today?.failed ?? 0,
            waiting: waiting(),
          },
          days: series,
          callbacks: { pending: callbacks('pending'), dead: callbacks('dead') },
          disk: { database_bytes: store.upkeep.bytes(), free_bytes: freeBytes() },
          version,
        })
      },
    }),
  ]
}
