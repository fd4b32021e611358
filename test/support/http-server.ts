import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestServer {
  port: number
  /** `http://127.0.0.1:port` */
  url: string
  close(): Promise<void>
}

/** Starts an HTTP server on 127.0.0.1, on a free port or `at`. */
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
