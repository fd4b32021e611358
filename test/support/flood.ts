import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server on 127.0.0.1 that sends `start` to each client, and then `again` endlessly. */
export async function startFlood(start: string, again: string) {
  const sockets = new Set<Socket>()
  const repeated = Buffer.from(again.repeat(Math.ceil(16_384 / again.length)))
  const server = createServer((socket) => {
    sockets.add(socket)
    const more = () => {
      while (socket.writable && socket.write(repeated));
    }
    socket.on('error', () => undefined).on('drain', more)
    socket.write(start, more)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port }
}

export const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n'
export const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
/** A chunk with one byte of body and a long extension. */
export const CHUNK = `1;x=${'y'.repeat(1_000)}\r\na\r\n`
