import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { getMediaKeys, type proto } from 'baileys'
import { type Dispatcher, request } from 'undici'
import { SECOND } from '../../../lib/clock.ts'
import { MOST_HISTORY_BYTES } from '../library/bounds.ts'

/**
 * Place of a chunk of the history, from the phone's notification. The place is stored before the
 * notification is confirmed; the chunk is fetched afterwards.
 */
export type HistoryNotice = Pick<
  proto.Message.IHistorySyncNotification,
  'mediaKey' | 'fileEncSha256' | 'directPath' | 'initialHistBootstrapInlinePayload'
>

export interface HistoryFileOptions {
  /** Hosts that `media_conn` names, in its order; each may have a port. */
  hosts: readonly string[]
  /** Guarded: decides which addresses may be called. */
  dispatcher: Dispatcher
  signal?: AbortSignal
}

const SILENCE = 30 * SECOND
const MAC_LENGTH = 10
const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?$/i

/** True if a name has the form of a host, with or without a port. */
export const isMediaHost = (name: string): boolean => HOST.test(name)

/**
 * Yields the chunk that a notification names, still compressed, for `readHistory`. The checksums
 * can be compared only at the end, so use the content only after the last piece came without an
 * error.
 * @throws if no host has the chunk, or if it is not what the phone wrote
 */
export async function* openHistoryFile(notice: HistoryNotice, options: HistoryFileOptions): AsyncGenerator<Uint8Array> {
  const inline = notice.initialHistBootstrapInlinePayload
  if (inline != null && inline.length > 0) yield inline
  else yield* openMediaFile(notice, { type: 'md-msg-hist', most: MOST_HISTORY_BYTES }, options)
}

/**
 * Yields the decrypted content of a file that the phone made for its clients, of at most `most`
 * encrypted bytes.
 * @throws if no host has the file, it is too large, or it is not what the phone wrote
 */
export async function* openMediaFile(
  { mediaKey, fileEncSha256, directPath }: HistoryNotice,
  { type, most }: { type: 'md-msg-hist' | 'md-app-state'; most: number },
  options: HistoryFileOptions,
): AsyncGenerator<Uint8Array> {
  if (!mediaKey?.length || !fileEncSha256?.length || !directPath?.startsWith('/')) {
    throw new Error('no file is named')
  }
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, type)
  if (macKey === undefined || macKey === null) throw new Error('a media key without a MAC key')

  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const mac = createHmac('sha256', macKey).update(iv)
  const hash = createHash('sha256')
  let tail: Buffer = Buffer.alloc(0)
  let size = 0
  for await (const piece of await download(directPath, options)) {
    size += piece.length
    if (size > most) throw new Error('a file of the phone is too large')
    hash.update(piece)
    const known = Buffer.concat([tail, piece])
    const content = known.subarray(0, Math.max(0, known.length - MAC_LENGTH))
    tail = known.subarray(content.length)
    mac.update(content)
    yield decipher.update(content)
  }
  mustEqual(hash.digest(), Buffer.from(fileEncSha256))
  mustEqual(mac.digest().subarray(0, MAC_LENGTH), tail)
  yield decipher.final()
}

function mustEqual(computed: Buffer, expected: Buffer): void {
  if (computed.length !== expected.length || !timingSafeEqual(computed, expected)) {
    throw new Error('a file is not what the phone wrote')
  }
}

/** Fetches the file from the first host that has it. */
async function download(
  path: string,
  { hosts, dispatcher, signal }: HistoryFileOptions,
): Promise<AsyncIterable<Buffer>> {
  let failure: unknown = new Error('WhatsApp named no host for media')
  for (const host of hosts.filter(isMediaHost)) {
    try {
      const { statusCode, body } = await request(`https://${host}${path}`, {
        headers: { origin: 'https://web.whatsapp.com' },
        headersTimeout: SILENCE,
        bodyTimeout: SILENCE,
        dispatcher,
        ...(signal === undefined ? {} : { signal }),
      })
      if (statusCode === 200) return body
      await body.dump()
      failure = new Error(`a file of the phone could not be fetched: HTTP ${statusCode}`)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
