import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { createGuardedDispatcher, type GuardOptions } from '../lib/net-guard.ts'
import { mediaPolicy, type OwnAddress } from './allowed-hosts.ts'
import { createMediaFetcher } from './fetch.ts'
import { createMediaFiles } from './files.ts'

export interface MediaServiceDeps {
  home: string
  /** Entries of `media_allowed_hosts`, asked for every connection. */
  allowedHosts: () => readonly string[]
  /** Asked for every connection as well. */
  ownAddresses: () => readonly OwnAddress[]
  network: Omit<GuardOptions, 'policy'>
  clock: Clock
}

/** Files by address, put together: guarded connections, downloads, the folder that they wait in. */
export function createMediaService({ home, allowedHosts, ownAddresses, network, clock }: MediaServiceDeps) {
  const dispatcher = createGuardedDispatcher({ ...network, policy: () => mediaPolicy(allowedHosts(), ownAddresses()) })
  const fetchMedia = createMediaFetcher({ dispatcher, clock })
  const files = createMediaFiles({ folder: join(home, 'media'), fetchMedia, clock })
  return {
    ...files,
    async close(): Promise<void> {
      await files.close()
      await dispatcher.destroy()
    },
  }
}
