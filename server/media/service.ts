import { join } from 'node:path'
import { uploadedFileId } from '../contract/send.ts'
import type { Clock } from '../lib/clock.ts'
import { createGuardedDispatcher, type Network, withFraming } from '../lib/net-guard.ts'
import { mediaPolicy, type OwnAddress } from './allowed-hosts.ts'
import { createMediaFetcher } from './fetch.ts'
import { createMediaFiles } from './files.ts'
import { LARGEST_FILE } from './kind.ts'
import type { Uploads } from './uploads.ts'

export interface MediaServiceDeps {
  home: string
  /** Entries of `media_allowed_hosts`, asked for every connection. */
  allowedHosts: () => readonly string[]
  uploads: Uploads
  /** Asked for every connection as well. */
  ownAddresses: () => readonly OwnAddress[]
  network: Network
  clock: Clock
}

/** The files of messages: by address, into a folder of their own, or sent along. */
export function createMediaService({ home, allowedHosts, ownAddresses, uploads, network, clock }: MediaServiceDeps) {
  const dispatcher = createGuardedDispatcher({
    ...network,
    policy: (target) => mediaPolicy(allowedHosts(), ownAddresses())(target),
    mostBytes: withFraming(LARGEST_FILE),
  })
  const files = createMediaFiles(join(home, 'media'), createMediaFetcher(dispatcher, clock), clock)
  return {
    ...files,
    prefetch(messageId: string, file: string): void {
      if (uploadedFileId(file) === undefined) files.prefetch(messageId, file)
    },
    take(messageId: string, file: string) {
      const id = uploadedFileId(file)
      return id === undefined ? files.take(messageId, file) : uploads.take(id)
    },
    async close(): Promise<void> {
      await files.close()
      await dispatcher.destroy()
    },
  }
}
