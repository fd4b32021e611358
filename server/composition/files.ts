import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ownNetworks } from '../http/hosts.ts'
import { openLocalFile } from '../media/local-file.ts'
import { createMediaService } from '../media/service.ts'
import { createUploads } from '../media/uploads.ts'
import { createAttach } from '../messages/accept.ts'
import type { Core } from './core.ts'

/**
 * Files of messages: those that callers send along, those on this PC, those that are downloaded.
 */
export async function createFiles({ config, store, settings, network, endTime, clock, disposer }: Core) {
  const allowedHosts = () => settings.get().media_allowed_hosts
  const uploads = createUploads({
    folder: join(config.home, 'files'),
    rows: store.uploads,
    shared: store.fileBytes,
    quota: () => settings.get().files_quota_mb * 1024 * 1024,
    newId: randomUUID,
    endTime,
    clock,
  })
  await uploads.settle()
  const attach = createAttach({
    uploads,
    openLocalFile: (address) => openLocalFile(address, { folders: settings.get().file_folders, home: config.home }),
  })
  const media = createMediaService({
    home: config.home,
    allowedHosts,
    ownAddresses: ownNetworks,
    uploads,
    network,
    clock,
  })
  disposer.defer('media', media.close)
  await media.sweep(async (id) => (await store.messages.find({ id }))?.nextAt != null)
  return { uploads, attach, media }
}
