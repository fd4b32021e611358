import type { Server } from 'node:http'
import type { Express } from 'express'
import { listen, shut } from './server.ts'

/** The ports that this run listens on: the API's, and the one that a tunnel may show to the world. */
export function createDoors(finishWithin: number) {
  const ports = { api: 0, webhook: 0 }
  const servers: Server[] = []
  return {
    /** 0 until they are open. */
    ports,
    /** @throws Error in words for the owner */
    async open(name: keyof typeof ports, app: Express, host: string, port: number, variable: string): Promise<void> {
      const opened = await listen(app, host, port, variable)
      servers.push(opened.server)
      ports[name] = opened.port
    },
    close: async (): Promise<void> => {
      await Promise.all(servers.map((server) => shut(server, finishWithin)))
    },
  }
}
