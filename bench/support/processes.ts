import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LoadPlan, LoadResult } from './load.ts'

const script = (name: string) => join(import.meta.dirname, name)

/**
 * Runs the load generator in a process of its own, so that the server under test keeps its core.
 */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [script('load.ts'), JSON.stringify(plan)])
  return JSON.parse(stdout) as LoadResult
}

export interface Started<T> {
  ready: T
  pid: number
  /** Sends a message to the process and resolves with its next one. */
  ask(message: object): Promise<unknown>
  stop(): Promise<void>
}

/** Starts a script of this folder and waits for its first message, which says that it is ready. */
export async function start<T>(name: string, args: readonly string[] = []): Promise<Started<T>> {
  const child: ChildProcess = fork(script(name), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [ready] = (await once(child, 'message')) as [T]
  return {
    ready,
    pid: child.pid ?? 0,
    async ask(message) {
      const answered = once(child, 'message')
      child.send(message)
      const [answer] = await answered
      return answer
    },
    async stop() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'kurir-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Reports to the parent, and exits when the parent disconnects. */
export function reportReady(ready: unknown, close: () => unknown): void {
  process.send?.(ready)
  process.on('disconnect', async () => {
    await close()
    process.exit(0)
  })
}
