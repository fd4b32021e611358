import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { OWNER_TOKEN } from './app.ts'
import { programFile, SPARSE_ENV } from './built.ts'
import { engineEnv } from './engine.ts'

export type Program = Awaited<ReturnType<typeof startProgram>>

/**
 * Starts Kurir as a separate process, for tests of a sudden end. The folder is removed after the
 * test.
 */
export async function startProgram(env: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), 'kurir-program-'))
  const engine = await engineEnv(env.KURIR_HOME ?? home)
  let child: ChildProcess
  let url = ''
  let log = ''

  async function start(): Promise<void> {
    child = spawn(process.execPath, [programFile('main')], {
      env: {
        ...SPARSE_ENV,
        KURIR_HOME: home,
        KURIR_PORT: '0',
        KURIR_WEBHOOK_PORT: '0',
        KURIR_OWNER_TOKEN: OWNER_TOKEN,
        KURIR_LOG_LEVEL: 'silent',
        ...engine,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout?.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
    let said = ''
    url = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`it did not start: ${said}`)))
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (url !== '') log += chunk.toString()
        const address = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(said)?.[1]
        if (address !== undefined) resolve(address)
      })
    })
  }

  /** Kills the program, as a power cut would. */
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async function call<D>(method: string, path: string, body: unknown, headers: Record<string, string>) {
    // A kept-alive connection may be closed just when it is used.
    const alone = { connection: 'close' }
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json', ...alone, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as D }
  }

  onTestFinished(async () => {
    await kill()
    rmSync(home, { recursive: true, force: true })
  })
  await start()
  return {
    home,
    start,
    kill,
    get url(): string {
      return url
    },
    get pid(): number {
      return child.pid ?? 0
    },
    hasEnded: (): boolean => child.exitCode !== null || child.signalCode !== null,
    /** The log, and everything printed on exit. */
    output: (): string => log,
    /** Calls as the owner. */
    owner: <D>(path: string, body?: unknown, headers: Record<string, string> = {}) =>
      call<D>(body === undefined ? 'GET' : 'POST', path, body, headers),
    /** Calls PATCH as the owner. */
    patch: <D>(path: string, body: unknown) => call<D>('PATCH', path, body, {}),
  }
}
