import { connect, createServer, type Socket } from 'node:net'

export interface CutWire {
  port: number
  /** As a network cable that is pulled: nothing arrives any more, in either direction, and nobody says so. */
  cut(): void
  /** What was open stays dead; what connects from now on gets through. */
  join(): void
  /** What connects from now on gets to another server; what is open ends. As the address of a database that fails over. */
  lead(port: number): void
  close(): Promise<void>
}

/** A wire between a program and a server on 127.0.0.1. */
export async function startCutWire(port: number): Promise<CutWire> {
  let leadsTo = port
  const open = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }
  const server = createServer((near) => {
    keep(near)
    // Taken by the system, answered by nobody.
    if (isCut) return near.pause()
    const far = keep(connect(leadsTo, '127.0.0.1'))
    near.pipe(far).on('close', () => near.destroy())
    far.pipe(near).on('close', () => far.destroy())
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    cut() {
      isCut = true
      for (const socket of open) socket.unpipe().pause()
    },
    join() {
      isCut = false
      for (const socket of open) socket.destroy()
    },
    lead(other) {
      leadsTo = other
      for (const socket of open) socket.destroy()
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
