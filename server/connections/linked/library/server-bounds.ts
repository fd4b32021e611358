import { syncBuiltinESMExports } from 'node:module'
import zlib, { type InputType, type ZlibOptions } from 'node:zlib'
import type { WASocket } from 'baileys'
import { MOST_FRAME_BYTES, MOST_GREETING_BYTES } from './bounds.ts'

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
export function boundServer({ ws }: WASocket, onTooMuch: (error: Error) => void): void {
  const take = onlyListener<Buffer>(ws, 'message')
  let most = MOST_GREETING_BYTES
  ws.once('frame', () => {
    most = MOST_FRAME_BYTES
  })
  ws.on('message', (data: Buffer) => {
    if (data.length <= most) return take(data)
    onTooMuch(new Error(`WhatsApp's server sent ${data.length} bytes at a time, more than ${most}`))
  })
}

/** Takes the library's listener off. */
function onlyListener<T>(ws: WASocket['ws'], event: string): (value: T) => unknown {
  const [listener] = ws.listeners(event)
  if (listener === undefined) throw new Error(`the library does not listen to ${event}`)
  ws.removeAllListeners(event)
  return listener as (value: T) => unknown
}
