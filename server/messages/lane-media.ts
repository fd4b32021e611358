import { sleep } from '../lib/sleep.ts'
import { isOfFiles } from '../lib/storage-error.ts'
import { SECOND } from '../lib/time.ts'
import { MediaFailure } from '../media/failure.ts'
import type { MediaFile } from '../media/fetch.ts'
import { fileNameFor, sanitise } from '../media/file-name.ts'
import type { Message } from '../store/index.ts'
import type { Outcome } from './channel.ts'
import type { LaneContext } from './lane-context.ts'

// A slow file server must not hold up the messages behind: its message steps aside, the download
// goes on.
const PATIENCE = 15 * SECOND

/** Gives a lane the file of a message, or says what becomes of the message without it. */
export function createLaneMedia({ media, messages, clock, logger }: LaneContext) {
  /** Messages that used up the lane's patience once: from then on their file is there or not. */
  const slow = new Set<number>()

  return async (message: Message): Promise<{ file: MediaFile | null } | Outcome> => {
    // Content that WhatsApp was given once is kept: a second attempt must not have other content
    // under the same id.
    if (message.file === null || (await messages.content(message.seq)) !== undefined) return { file: null }
    const waiting = new AbortController()
    const late = sleep(clock, slow.has(message.seq) ? 0 : PATIENCE, waiting.signal).then(() => 'late' as const)
    late.catch(() => undefined)
    try {
      const file = await Promise.race([media.take(message.id, message.file), late])
      if (file === 'late') {
        slow.add(message.seq)
        return { kind: 'not_sent', reason: 'the file is still being downloaded' }
      }
      slow.delete(message.seq)
      const { filename } = message
      return { file: filename === null ? file : { ...file, fileName: nameFor(file, filename) } }
    } catch (error) {
      slow.delete(message.seq)
      if ((await messages.find({ seq: message.seq }))?.nextAt == null)
        return { kind: 'not_sent', reason: 'it was cancelled' }
      // Only messages with files wait for it; a disk or a database that fails holds up all of them.
      if (isOfFiles(error)) {
        logger.warn({ err: error, id: message.id }, 'a file cannot be fetched now')
        return { kind: 'not_sent', reason: error.message }
      }
      if (!(error instanceof MediaFailure)) throw error
      const hint = error.hint === undefined ? {} : { hint: error.hint }
      return { kind: 'refused', code: error.code, detail: error.message, ...hint }
    } finally {
      waiting.abort()
    }
  }
}

/** The name that the caller wants, with an extension that fits the content. */
function nameFor({ mimetype, kind, fileName }: MediaFile, wanted: string): string {
  const name = sanitise(wanted)
  return name === '' ? fileName : fileNameFor(name, mimetype, kind)
}
