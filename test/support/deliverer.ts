import { rmSync } from 'node:fs'
import { createBus } from '../../server/lib/bus.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createVault } from '../../server/lib/vault.ts'
import { PLACES } from '../../server/store/index.ts'
import type { CallbackRequest, PostResult } from '../../server/webhooks/attempt.ts'
import { createFormats, createSecret } from '../../server/webhooks/callback.ts'
import { createDeliverer } from '../../server/webhooks/deliverer.ts'
import { closeAfter } from './cleanup.ts'
import { createTestClock } from './clock.ts'
import { openTestStore } from './engine.ts'
import { newHome } from './new-home.ts'

/**
 * Starts the deliverer alone on a real store. `post` decides the receivers' answers; reads of due
 * deliveries are counted.
 */
export async function startDeliverer(post: (callback: CallbackRequest) => Promise<PostResult>) {
  const home = await newHome()
  const clock = createTestClock()
  const store = await openTestStore({ home, now: clock.now })
  const bus = createBus()
  const logged: string[] = []
  const counts = { reads: 0, rows: 0 }
  /** `broken`: reads fail. `slow`: awaited after each read, to delay it. */
  const disk = { broken: false, slow: async (): Promise<void> => {} }
  const deliveries: typeof store.deliveries = {
    ...store.deliveries,
    async due(...args) {
      if (disk.broken) throw new Error('disk I/O error')
      const rows = await store.deliveries.due(...args)
      counts.reads += 1
      counts.rows += rows.length
      await disk.slow()
      return rows
    },
  }
  const vault = createVault(Buffer.alloc(32, 7))
  const endpoint = (url: string) =>
    store.endpoints.add(
      { url, format: 'kurir', events: ['message.sent'], senderCodes: null, enabled: true, createdAt: clock.now() },
      (id) => vault.seal(createSecret(), PLACES.endpoint(id)),
    )
  const begin = () =>
    createDeliverer(
      {
        ...{ store: { ...store, deliveries }, vault, bus, clock, endTime: clock.now },
        ...{ formats: createFormats([]), refuseTarget: async () => null },
      },
      {
        post,
        awakeSince: () => 0,
        random: () => 0.5,
        logger: createLogger('warn', { write: (line) => void logged.push(line) }),
      },
    )
  const deliverer = { stop: async (): Promise<void> => {} }
  closeAfter('test', async () => {
    await deliverer.stop()
    await store.close()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    clock,
    store,
    bus,
    logged,
    counts,
    disk,
    endpoint,
    start: () => Object.assign(deliverer, begin()),
    /** Writes events for one endpoint. */
    async add(endpointId: number, count: number): Promise<void> {
      const event = { type: 'message.sent', messageSeq: null, senderCode: null, at: clock.now(), data: {} } as const
      await Promise.all(Array.from({ length: count }, () => store.events.addFor(endpointId, event)))
    },
  }
}
