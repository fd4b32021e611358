import { createServer, type Server } from 'node:http'
import type { Express } from 'express'
import type { Disposer } from '../lib/disposer.ts'
import { MINUTE, SECOND } from '../lib/time.ts'

// Calls that are being answered may finish within this time when Kurir stops.
export const FINISH_WITHIN = 10 * SECOND

export interface Listener {
  app: Express
  host: string
  port: number
  /** The environment variable that chooses another port. */
  variable: string
}

/** Opens a listener and has it closed in turn. Returns the port. @throws Error, a sentence for the owner */
export async function openListener({ app, host, port, variable }: Listener, disposer: Disposer): Promise<number> {
  const opened = await listen(app, host, port, variable)
  disposer.defer(variable, () => shut(opened.server, FINISH_WITHIN))
  return opened.port
}

/** Begins to listen. @throws Error that names the port and what to do when it is taken. */
export async function listen(
  app: Express,
  host: string,
  port: number,
  variable: string,
): Promise<{ server: Server; port: number }> {
  const server = createServer(app)
  // Slow senders of headers would hold sockets open for ever.
  server.headersTimeout = 20 * SECOND
  // Only authenticated callers may send a body; a backup of some gigabytes takes its time.
  server.requestTimeout = 10 * MINUTE
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port, variable)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return { server, port: typeof address === 'object' && address !== null ? address.port : port }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  const advice = `Close the other program, or choose another port with ${variable}=<number> or in Settings.`
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken by another program. ${advice}`, { cause: error })
  if (error.code === 'EACCES') return new Error(`This user may not use port ${port}. ${advice}`, { cause: error })
  return new Error(`Kurir cannot listen on ${host}:${port}. ${advice}`, { cause: error })
}

/** Stops listening and lets calls that are being answered finish, at most `ms`. */
export async function shut(server: Server, ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection whose last call ends while we close would be kept open for a next one that never comes.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const end = setTimeout(() => server.closeAllConnections(), ms)
  await closed
  clearInterval(idle)
  clearTimeout(end)
}
