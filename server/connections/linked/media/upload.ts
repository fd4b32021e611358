import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { getMediaKeys } from 'baileys'
import { request } from 'undici'
import { MINUTE } from '../../../lib/clock.ts'
import { freeBuffers } from '../../../lib/heap.ts'
import { describeNetworkError } from '../../../lib/net-errors.ts'
import { readAll } from '../../../lib/read-body.ts'
import { startDeadline } from '../../../lib/sleep.ts'
import { type MediaFile, startWatchdog } from '../../../media/fetch.ts'
import type { LinkedContext } from '../account/context.ts'
import { isMediaHost } from '../receiving/history-file.ts'

/** Place of an encrypted file, with its key and hashes. */
export interface Uploaded {
  url?: string
  directPath?: string
  mediaKey: Uint8Array
  fileSha256: Uint8Array
  fileEncSha256: Uint8Array
  fileLength: number
}

/** WhatsApp's hosts for files, and the token with which they accept a file. */
export interface MediaHosts {
  auth: string
  hosts: readonly { hostname: string }[]
}

/** @param renewed true: asks WhatsApp again, because a host refused the earlier token */
export type FindHosts = (renewed: boolean) => Promise<MediaHosts>

// All limits here are our own. 100 MB over a shop's 2 Mbit/s line take 7 minutes.
const LONGEST_MS = 10 * MINUTE
// Longer than for a download that stands still, because the operating system may still be sending
// a part of the file.
const MOST_IDLE_MS = MINUTE
// An answer has two addresses and a few numbers.
const MOST_ANSWER_BYTES = 64 * 1024
const FREE_EVERY_BYTES = 4 * 1024 * 1024
const MAC_LENGTH = 10
const BLOCK = 16

type Keys = Awaited<ReturnType<typeof getMediaKeys>>

/** No host took the file: nothing was sent. */
export class NotUploaded extends Error {}
/** A host refused the token. */
class NotAllowed extends NotUploaded {}

/**
 * Encrypts a file and gives it to the first of WhatsApp's hosts that takes it. The file is
 * encrypted once for its checksum and again during the upload, so that no encrypted copy is needed
 * on disk, where it could be left behind or find no room.
 * @throws NotUploaded if no host took the file in time
 */
export async function uploadMedia(
  { path, kind }: MediaFile,
  context: LinkedContext,
  findHosts: FindHosts,
): Promise<Uploaded> {
  const mediaKey = randomBytes(32)
  const keys = await getMediaKeys(mediaKey, kind)
  const deadline = startDeadline(context.clock, LONGEST_MS)
  const stopping = AbortSignal.any([context.stopping, deadline.signal])
  try {
    const { fileLength, ...hashes } = await checksums(path, keys, stopping)
    const sealed = { path, keys, kind, fileLength, hash: hashes.fileEncSha256 }
    const place = await placeOf(sealed, { ...context, stopping }, findHosts)
    return { ...place, mediaKey, fileLength, ...hashes }
  } catch (error) {
    if (context.stopping.aborted || !deadline.signal.aborted) throw error
    throw new NotUploaded(`the file was not uploaded within ${LONGEST_MS / MINUTE} minutes`, { cause: error })
  } finally {
    deadline.cancel()
  }
}

interface Sealed {
  path: string
  keys: Keys
  kind: MediaFile['kind']
  fileLength: number
  hash: Buffer
}

async function placeOf(sealed: Sealed, context: LinkedContext, findHosts: FindHosts) {
  try {
    return await firstThatTakes(sealed, context, await findHosts(false))
  } catch (error) {
    if (!(error instanceof NotAllowed)) throw error
    return firstThatTakes(sealed, context, await findHosts(true))
  }
}

async function firstThatTakes(sealed: Sealed, context: LinkedContext, { auth, hosts }: MediaHosts) {
  let failure: unknown = new NotUploaded('WhatsApp named no host for files')
  for (const { hostname } of hosts.filter((host) => isMediaHost(host.hostname))) {
    try {
      return await post(sealed, hostname, auth, context)
    } catch (error) {
      context.stopping.throwIfAborted()
      if (!(failure instanceof NotAllowed)) failure = error
    }
  }
  throw failure
}

async function post(
  { path, keys, kind, fileLength, hash }: Sealed,
  host: string,
  auth: string,
  { dispatcher, clock, stopping }: LinkedContext,
) {
  const watchdog = startWatchdog(clock, stopping, MOST_IDLE_MS)
  const token = hash.toString('base64url')
  const told = `WhatsApp's host for files (${host}) did not take the file`
  try {
    const { statusCode, body } = await request(
      `https://${host}/mms/${kind}/${token}?${new URLSearchParams({ auth, token })}`,
      {
        method: 'POST',
        headers: {
          origin: 'https://web.whatsapp.com',
          'content-type': 'application/octet-stream',
          'content-length': String(sealedLength(fileLength)),
        },
        body: Readable.from(encrypted(path, keys, watchdog.touch)),
        dispatcher,
        signal: watchdog.signal,
      },
    )
    if (statusCode === 200) return placeIn((await readAll(body, MOST_ANSWER_BYTES, tooLong)).toString())
    // A redirect is not followed, because WhatsApp names the hosts itself.
    body.on('error', () => undefined).destroy()
    if (statusCode === 401 || statusCode === 403) throw new NotAllowed(`${told}: it answered ${statusCode}`)
    throw new Error(`it answered ${statusCode}`)
  } catch (error) {
    if (error instanceof NotAllowed) throw error
    const cause: unknown = watchdog.signal.aborted ? watchdog.signal.reason : error
    throw new NotUploaded(`${told}: ${describeNetworkError(cause)}`, { cause })
  } finally {
    watchdog.stop()
  }
}

const tooLong = () => new Error('its answer is too long')

function placeIn(answer: string): { url?: string; directPath?: string } {
  const { url, direct_path: path } = parsed(answer) as { url?: unknown; direct_path?: unknown }
  const place = {
    ...(typeof url === 'string' && url !== '' ? { url } : {}),
    ...(typeof path === 'string' && path !== '' ? { directPath: path } : {}),
  }
  if (Object.keys(place).length === 0) throw new Error('its answer does not say where the file lies')
  return place
}

function parsed(answer: string): object {
  try {
    return Object(JSON.parse(answer))
  } catch {
    return {}
  }
}

/** Returns the length of an encrypted file, with the padding to whole blocks and the MAC. */
const sealedLength = (length: number): number => (Math.floor(length / BLOCK) + 1) * BLOCK + MAC_LENGTH

/**
 * Yields the encrypted file, the same bytes for the same keys. `onRead` gets each piece of the
 * plain file.
 */
async function* encrypted(
  path: string,
  { cipherKey, iv, macKey }: Keys,
  onRead: (piece: Buffer) => void,
): AsyncGenerator<Buffer> {
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const mac = createHmac('sha256', macKey ?? '').update(iv)
  let freeIn = FREE_EVERY_BYTES
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    onRead(piece)
    const part = cipher.update(piece)
    mac.update(part)
    yield part
    freeIn -= part.length
    if (freeIn > 0) continue
    freeBuffers()
    freeIn = FREE_EVERY_BYTES
  }
  const end = cipher.final()
  mac.update(end)
  yield Buffer.concat([end, mac.digest().subarray(0, MAC_LENGTH)])
}

async function checksums(path: string, keys: Keys, signal: AbortSignal) {
  const plain = createHash('sha256')
  const sealed = createHash('sha256')
  let fileLength = 0
  const onRead = (piece: Buffer): void => {
    signal.throwIfAborted()
    plain.update(piece)
    fileLength += piece.length
  }
  for await (const part of encrypted(path, keys, onRead)) sealed.update(part)
  return { fileSha256: plain.digest(), fileEncSha256: sealed.digest(), fileLength }
}
