import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestServer {
  port: number
  /** `http://127.0.0.1:port` */
  url: string
  close(): Promise<void>
}

/** A real HTTP server on a free port of 127.0.0.1, or the given one. */
export async function startHttpServer(listener: RequestListener, at = 0): Promise<TestServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
