import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the ports that Linux, macOS and Windows give to whoever asks for any: nobody gets it before
// the program that is started with it.
const FIRST = 20_000
const END = 32_768
const given = new Set<number>()

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** Resolves with a port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}
