import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import type { ServerIdentity } from './certificate.ts'
import type { Faults } from './faults.ts'
import { createLink, type LinkEvents } from './link.ts'

export type LinkHandlers = Pick<LinkEvents, 'onHello' | 'onStanza' | 'onClose'>

/** Creates the WebSocket endpoint, which can stop and start again. */
export function createSocketServer(
  identity: () => ServerIdentity,
  faults: Faults,
  handlers: LinkHandlers & { onConnection(): void },
) {
  const events = () => ({ ...handlers, gate: faults.internal.gate, identity: identity() })
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const sockets = new Set<Socket>()
  let links = 0
  let server: Server | undefined

  function open(port: number): Promise<void> {
    const opened = createServer((_request, response) => response.writeHead(404).end())
    opened.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    opened.on('upgrade', (request, socket, head) => {
      // A client that is killed resets the connection.
      socket.on('error', () => socket.destroy())
      handlers.onConnection()
      const status = faults.refuseUpgrade
      if (status !== undefined) {
        socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
        return
      }
      webSockets.handleUpgrade(request, socket, head, (webSocket) => createLink(++links, webSocket, events()))
    })
    server = opened
    return new Promise((resolve, reject) => {
      opened.once('error', reject)
      opened.listen(port, '127.0.0.1', resolve)
    })
  }

  return {
    open,
    /** Drops all connections and refuses new ones. */
    async close() {
      const closing = server
      if (!closing) return
      server = undefined
      const closed = new Promise((resolve) => closing.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
