import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { createGuardedDispatcher, type GuardOptions } from '../lib/net-guard.ts'
import { mediaPolicy } from './allowed-hosts.ts'
import { createMediaFetcher } from './fetch.ts'
import { createMediaDesk } from './prefetch.ts'

export interface MediaDeps {
  home: string
  /** The way out to the network. */
  network: Omit<GuardOptions, 'policy'>
  allowedHosts: () => readonly string[]
  clock: Clock
}

/** The files of messages: fetched through a guarded way out, kept in the data folder until they are sent. */
export function openMedia({ home, network, allowedHosts, clock }: MediaDeps) {
  const dispatcher = createGuardedDispatcher({ ...network, policy: () => mediaPolicy(allowedHosts()) })
  const fetchMedia = createMediaFetcher({ dispatcher, clock })
  const desk = createMediaDesk({ folder: join(home, 'media'), fetchMedia, clock })
  return {
    ...desk,
    async close(): Promise<void> {
      await desk.close()
      await dispatcher.destroy()
    },
  }
}
