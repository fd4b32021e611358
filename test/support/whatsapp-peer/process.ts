import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Commands } from './commands.ts'
import type { PeerOptions } from './index.ts'

export interface Request {
  id: number
  name: string
  values: unknown[]
}
export interface Reply {
  id: number
  value?: unknown
  error?: string
}

/**
 * Starts a peer in its own process, so that its cryptography does not share the event loop with the
 * program under test. `call('messages', number)` and the like correspond to the functions of a
 * local peer.
 */
export async function startPeerProcess({ lazy = false, fewKeys = false }: Pick<PeerOptions, 'lazy' | 'fewKeys'> = {}) {
  const args = [...(lazy ? ['--lazy'] : []), ...(fewKeys ? ['--few-keys'] : [])]
  const child = fork(new URL('./peer-process.ts', import.meta.url), args, {
    execArgv: [],
    serialization: 'advanced',
  })
  const exited = once(child, 'exit')
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  let nextId = 1
  const ready = Promise.withResolvers<unknown>()
  asked.set(0, ready)

  child.on('message', ({ id, value, error }: Reply) => {
    const answer = asked.get(id)
    asked.delete(id)
    if (error === undefined) answer?.resolve(value)
    else answer?.reject(new Error(error))
  })
  child.on('exit', (code) => {
    for (const { reject } of asked.values()) reject(new Error(`the peer's process ended with ${code}`))
  })

  async function call<Name extends keyof Commands>(
    name: Name,
    ...values: Parameters<Commands[Name]>
  ): Promise<Awaited<ReturnType<Commands[Name]>>> {
    const answer = Promise.withResolvers<unknown>()
    const request: Request = { id: nextId++, name, values }
    asked.set(request.id, answer)
    child.send(request)
    return (await answer.promise) as Awaited<ReturnType<Commands[Name]>>
  }

  await ready.promise
  return {
    ...(await call('describe')),
    pid: child.pid,
    call,
    async close() {
      child.disconnect()
      await exited
    },
  }
}
export type PeerProcess = Awaited<ReturnType<typeof startPeerProcess>>
