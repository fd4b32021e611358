import { connect, createServer, type Socket } from 'node:net'

export interface CutWire {
  port: number
  /** Like a pulled network cable: nothing arrives in either direction, and neither end is told. */
  cut(): void
  /**
   * Cuts the wire as soon as a client has sent all these texts in order; the last one still
   * arrives.
   */
  cutAfter(...said: string[]): void
  /** Lets new connections through; open ones are destroyed. */
  join(): void
  /**
   * Leads new connections to another server and ends open ones, like the address of a database that
   * fails over.
   */
  lead(port: number): void
  /** Number of connections accepted so far. */
  taken(): number
  close(): Promise<void>
}

const hasInOrder = (text: string, parts: readonly string[]): boolean => {
  let at = 0
  return parts.every((part) => {
    at = text.indexOf(part, at)
    return at >= 0
  })
}

/** Starts a proxy on 127.0.0.1 whose connections can be cut. */
export async function startCutWire(port: number): Promise<CutWire> {
  let leadsTo = port
  const open = new Set<Socket>()
  let cutAfter: readonly string[] = []
  let isCut = false
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }
  function cut(): void {
    isCut = true
    cutAfter = []
    for (const socket of open) socket.unpipe().pause()
  }
  let taken = 0
  const server = createServer((near) => {
    keep(near)
    taken += 1
    // Accept the connection but never answer.
    if (isCut) return near.pause()
    const far = keep(connect(leadsTo, '127.0.0.1'))
    near.pipe(far).on('close', () => near.destroy())
    far.pipe(near).on('close', () => far.destroy())
    let heard = ''
    near.on('data', (bytes) => {
      if (cutAfter.length === 0) return
      heard += bytes.toString('latin1')
      if (hasInOrder(heard, cutAfter)) cut()
    })
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    taken: () => taken,
    port: address.port,
    cut,
    cutAfter(...said) {
      cutAfter = said
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
