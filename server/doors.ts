import type { Express } from 'express'
import { listen, shut } from './http/server.ts'
import type { Disposer } from './lib/disposer.ts'

const FINISH_WITHIN = 10_000

export interface Door {
  app: Express
  host: string
  port: number
  /** The environment variable that chooses another port. */
  variable: string
}

/** Opens a listener and has it closed in turn. @throws Error in words for the owner */
export async function openDoor({ app, host, port, variable }: Door, disposer: Disposer): Promise<number> {
  const opened = await listen(app, host, port, variable)
  disposer.defer(variable, () => shut(opened.server, FINISH_WITHIN))
  return opened.port
}
