import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** Runs a program to its end, while what it calls answers from this process. */
export async function run(
  command: readonly string[],
  { env, cwd, input = '' }: { env: NodeJS.ProcessEnv; cwd?: string; input?: string | Buffer },
): Promise<Ended> {
  const [program = '', ...args] = command
  // What hangs, as Mono's runtime does now and then, is not left behind.
  const child = spawn(program, args, { env, cwd, timeout: 60_000, killSignal: 'SIGKILL' })
  // One that ends without reading its input is not to be blamed for it.
  child.stdin.on('error', () => undefined).end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number | null, out, err }
}

/** Whether this computer has a program. */
export const hasProgram = (name: string): boolean =>
  spawnSync(process.platform === 'win32' ? 'where' : 'which', [name]).status === 0
