import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { closeAfter } from './cleanup.ts'

/**
 * Starts a proxy to another port that records all requests.
 * @param change modifies the bytes that come back
 */
export async function startRelay(port: number, change: (bytes: Buffer) => Buffer = (bytes) => bytes, at = 0) {
  const asked: Buffer[] = []
  let connections = 0
  const server = createServer((near) => {
    connections += 1
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
    near.on('data', (bytes: Buffer) => asked.push(bytes))
    near.pipe(far).on('close', () => near.destroy())
    far.on('data', (bytes: Buffer) => near.write(change(bytes))).on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  closeAfter('test', () => new Promise<void>((resolve) => server.close(() => resolve())))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    /** Returns everything that clients sent. */
    asked: () => Buffer.concat(asked).toString('latin1'),
  }
}
