import { createDecipheriv, timingSafeEqual } from 'node:crypto'
import { getMediaKeys, hmacSign, sha256 } from 'baileys'
import type { MediaHost } from './media-host.ts'

export type MediaKind = 'image' | 'video' | 'audio' | 'document'

interface Sealed {
  url?: string | null
  directPath?: string | null
  mediaKey?: Uint8Array | null
  fileSha256?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
}

const MAC_LENGTH = 10

function mustEqual(actual: Uint8Array, expected: Uint8Array | null | undefined, what: string) {
  if (!expected || actual.length !== expected.length || !timingSafeEqual(actual, expected)) {
    throw new Error(`media with a wrong ${what}`)
  }
}

/** Fetches uploaded media from the host and decrypts it with all checks that a phone makes. */
export async function openMedia(sealed: Sealed, kind: MediaKind, host: MediaHost): Promise<Buffer> {
  const upload = host.file(sealed.directPath ?? '')
  if (!upload) throw new Error(`no media was uploaded at ${sealed.directPath}`)
  if (!sealed.mediaKey) throw new Error('media without a key')
  mustEqual(sha256(upload), sealed.fileEncSha256, 'hash of the encrypted file')

  const { iv, cipherKey, macKey } = await getMediaKeys(sealed.mediaKey, kind)
  if (!macKey) throw new Error('media without a MAC key')
  const ciphertext = upload.subarray(0, -MAC_LENGTH)
  const mac = hmacSign(Buffer.concat([iv, ciphertext]), macKey).subarray(0, MAC_LENGTH)
  mustEqual(mac, upload.subarray(-MAC_LENGTH), 'MAC')

  const cipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const bytes = Buffer.concat([cipher.update(ciphertext), cipher.final()])
  mustEqual(sha256(bytes), sealed.fileSha256, 'hash of the file')
  return bytes
}
