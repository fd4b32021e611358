import { syncBuiltinESMExports } from 'node:module'
import zlib, { type InputType, type ZlibOptions } from 'node:zlib'
import type { WASocket } from 'baileys'
import { MOST_FRAME_BYTES, MOST_GREETING_BYTES } from './bounds.ts'
import { takeOver } from './take-over.ts'

const { inflate } = zlib

/** Comes before the library, which inflates a stanza as far as it goes: one of 1.5 MB to 1.5 GB. */
Object.assign(zlib, {
  inflate: (bytes: InputType, ...rest: [zlib.CompressCallback] | [ZlibOptions, zlib.CompressCallback]): void => {
    const [options, done] = rest.length === 1 ? [{}, rest[0]] : rest
    inflate(bytes, { maxOutputLength: MOST_FRAME_BYTES, ...options }, done)
  },
})
syncBuiltinESMExports()

/**
 * Bounds even WhatsApp's server, or an impostor: no more at a time than a frame has.
 * @param onTooMuch the connection is of no use from then on
 */
export function boundServer(sock: WASocket, onTooMuch: (error: Error) => void): void {
  let most = MOST_GREETING_BYTES
  sock.ws.once('frame', () => {
    most = MOST_FRAME_BYTES
  })
  takeOver<Buffer>(sock, 'message', (data, theirs) =>
    data.length <= most
      ? theirs(data)
      : onTooMuch(new Error(`WhatsApp's server sent ${data.length} bytes at a time, more than ${most}`)),
  )
}
