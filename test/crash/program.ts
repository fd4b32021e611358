import { fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { programFile } from '../support/built.ts'

export const OWNER_TOKEN = 'owner-token-of-the-crash-tests-012345'

export type Program = Awaited<ReturnType<typeof startProgram>>

/**
 * Kurir in a process of its own, so that it can be killed as by a power cut.
 * @param logFile where its log goes on
 * @param under a program, with what it is given, that starts it and looks on
 */
export async function startProgram(
  home: string,
  env: Record<string, string> = {},
  logFile?: string,
  under: readonly string[] = [],
) {
  const modules = (['composition/app', 'settings/config'] as const).map((name) => pathToFileURL(programFile(name)).href)
  const log = logFile === undefined ? 'inherit' : openSync(logFile, 'a')
  const child = fork(new URL('./child.ts', import.meta.url), modules, {
    execPath: under[0] ?? process.execPath,
    execArgv: under.length === 0 ? [] : [...under.slice(1), process.execPath],
    stdio: ['inherit', log, 'inherit', 'ipc'],
    env: {
      ...process.env,
      KURIR_HOME: home,
      KURIR_PORT: '0',
      KURIR_WEBHOOK_PORT: '0',
      KURIR_OWNER_TOKEN: OWNER_TOKEN,
      KURIR_LOG_LEVEL: 'error',
      // Most of a start is compiling.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'kurir-crash-compiled'),
      ...env,
    },
  })
  if (log !== 'inherit') closeSync(log)
  const exited = once(child, 'exit')
  const ready = once(child, 'message') as Promise<[{ url: string }]>
  const died = exited.then(([code]) => Promise.reject(new Error(`Kurir ended by itself with ${code}`)))
  died.catch(() => undefined)
  const [{ url }] = await Promise.race([ready, died])
  return {
    url,
    pid: child.pid ?? 0,
    /** Nothing is finished, nothing is closed. */
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await exited
    },
    /** It stands still and does not know it, as a computer that sleeps or a virtual machine that is moved. */
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    /** In order; fails if the program does not end well. */
    async stop(): Promise<void> {
      child.send('stop')
      const [code] = await exited
      if (code !== 0) throw new Error(`Kurir ended with ${code}`)
    },
  }
}

/** A call as the owner. @throws unless it is answered with 200 */
export async function ask<D>(program: Program, path: string, body?: unknown): Promise<D> {
  const answer = await fetch(program.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    // A kept-alive connection may be closed just when it is used.
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json', connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { data, message } = (await answer.json()) as { data: D; message: string }
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${message}`)
  return data
}
