import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './folder.ts'
import { freePort } from './free-port.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
const asRoot = process.getuid?.() === 0

/** Debian keeps it outside of a user's PATH. */
export const hasPgBouncer = (): boolean => existsSync(PROGRAM)

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.destroy()).on('close', (failed) => resolve(!failed))
    socket.on('error', () => undefined)
  })

/**
 * Starts a connection pooler in front of a local server. If the tests run as root, which PgBouncer
 * refuses, it runs as the user `postgres`.
 */
export async function startPgBouncer(databaseUrl: string, mode: 'session' | 'transaction', { inTurn = false } = {}) {
  const folder = temporaryFolder()
  const port = await freePort()
  const url = new URL(databaseUrl)
  const file = join(folder, 'pgbouncer.ini')
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    server_round_robin: inTurn ? '1' : '0',
    default_pool_size: '40',
    max_client_conn: '200',
  }
  const target = `host=127.0.0.1 port=${url.port} dbname=${url.pathname.slice(1)} user=${url.username}`
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(file, ['[databases]', `* = ${target}`, '[pgbouncer]', ...lines, ''].join('\n'), { mode: 0o644 })
  if (asRoot) {
    const { stdout } = await promisify(execFile)('id', ['-u', 'postgres'])
    await chown(folder, Number(stdout), -1)
    await chown(file, Number(stdout), -1)
  }
  const child = spawn(PROGRAM, ['-q', ...(asRoot ? ['-u', 'postgres'] : []), file], { stdio: 'inherit' })
  const exited = once(child, 'exit')
  await eventually(() => answers(port))
  url.port = String(port)
  return {
    url: url.href,
    async close(): Promise<void> {
      child.kill()
      await exited
    },
  }
}
