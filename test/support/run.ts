import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface Ended {
  code: number | null
  out: string
  err: string
}

/** Runs a program to its end. This process keeps serving its calls meanwhile. */
export async function run(
  command: readonly string[],
  { env, cwd, input = '' }: { env: NodeJS.ProcessEnv; cwd?: string; input?: string | Buffer },
): Promise<Ended> {
  const [program = '', ...args] = command
  // Kill a program that hangs, as Mono's runtime sometimes does.
  const child = spawn(program, args, { env, cwd, timeout: 120_000, killSignal: 'SIGKILL' })
  // A program may end without reading its input.
  child.stdin.on('error', () => undefined).end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number | null, out, err }
}

export const BROWSERS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/** Returns the first match in the order of the PATH's folders. */
export const findProgram = (names: readonly string[], path = process.env.PATH ?? ''): string | undefined =>
  path
    .split(delimiter)
    .flatMap((folder) => names.flatMap((name) => [join(folder, name), join(folder, `${name}.exe`)]))
    .find(isExecutable)

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export const hasProgram = (name: string): boolean =>
  spawnSync(process.platform === 'win32' ? 'where' : 'which', [name]).status === 0

/** Files of the Debian packages that adapters need, by package. */
export const LIBRARIES: Readonly<Record<string, string>> = {
  'php-guzzlehttp-guzzle': '/usr/share/php/GuzzleHttp/autoload.php',
  'php-illuminate-http': '/usr/share/php/Illuminate/Http/autoload.php',
  'python3-jinja2': '/usr/lib/python3/dist-packages/jinja2/__init__.py',
  'python3-yaml': '/usr/lib/python3/dist-packages/yaml/__init__.py',
}

export const hasLibrary = (name: string): boolean => existsSync(LIBRARIES[name] ?? '')
