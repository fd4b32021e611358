import { uploadedFileId } from '../contract/send.ts'
import type { Clock } from '../lib/clock.ts'
import { type AddressPolicy, createGuardedDispatcher, type Network, withFraming } from '../lib/net-guard.ts'
import { createMediaFetcher } from './fetch.ts'
import { createMediaFiles } from './files.ts'
import { LARGEST_FILE } from './kind.ts'
import type { Uploads } from './uploads.ts'

/**
 * The files of messages: by address, into a folder of their own, or sent along.
 * @param policy asked for every connection
 */
export function createMediaService(
  folder: string,
  network: Network,
  policy: AddressPolicy,
  uploads: Uploads,
  clock: Clock,
) {
  const dispatcher = createGuardedDispatcher({ ...network, policy, mostBytes: withFraming(LARGEST_FILE) })
  const files = createMediaFiles(folder, createMediaFetcher(dispatcher, clock), clock)
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
