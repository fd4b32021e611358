import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestApp } from './app.ts'

export interface RawAnswer {
  status: number
  headers: string
  body: string
}

/** Sends a request as raw bytes and reads the answer to its end. */
export async function sendBytes(app: TestApp, head: readonly string[], body: string | Buffer = ''): Promise<RawAnswer> {
  const { port, host } = new URL(app.url)
  const length = Buffer.byteLength(body)
  const lines = [
    ...head,
    `Host: ${host}`,
    ...(length === 0 ? [] : [`Content-Length: ${length}`]),
    'Connection: close',
    '',
    '',
  ]
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), Buffer.from(body)]))
  const [headers = '', ...rest] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(headers.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}
