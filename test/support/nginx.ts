import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, fetch, type RequestInit } from 'undici'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './folder.ts'
import { freePort } from './free-port.ts'

const PROGRAM = '/usr/sbin/nginx'
const CONF = join(import.meta.dirname, '../../packaging/nginx.cluster.conf')

/** Debian keeps it outside of a user's PATH. */
export const hasNginx = (): boolean => existsSync(PROGRAM)

interface Ports {
  api: number
  webhook: number
}

/**
 * Starts nginx in front of nodes that its settings call node1, node2, …. Default: the settings that
 * Kurir ships.
 */
export async function startNginx(nodes: readonly Ports[], given = readFileSync(CONF, 'utf8')) {
  const folder = temporaryFolder()
  const [api, webhook] = [await freePort(), await freePort()]
  const portOf = (node: string, port: string) => nodes[Number(node) - 1]?.[port === '7420' ? 'api' : 'webhook'] ?? 9
  const [certificate, key] = [join(folder, 'kurir.crt'), join(folder, 'kurir.key')]
  const about = ['-subj', '/CN=kurir', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1', '-nodes']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...about, ...files], { stdio: 'pipe' })
  const dispatcher = new Agent({ connect: { ca: readFileSync(certificate) } })
  const settings = given
    .replaceAll('/etc/nginx/tls', folder)
    .replace(/\bnode(\d):(742[01])/g, (_, node: string, port: string) => `127.0.0.1:${portOf(node, port)}`)
    .replace(/listen (7420|443)/, `listen 127.0.0.1:${api}`)
    .replace('listen 7421', `listen 127.0.0.1:${webhook}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  mkdirSync(join(folder, 'logs'))
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; error_log ${folder}/error.log; pid ${folder}/nginx.pid; events {}
    http { access_log off; ${temporary.join(' ')} ${settings} }`,
  )
  // A single process, so that killing it ends nginx.
  const child = spawn(PROGRAM, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'master_process off;'], {
    stdio: 'inherit',
  })
  const exited = once(child, 'exit')
  const apiUrl = `https://127.0.0.1:${api}`
  const ask = (path: string, init: RequestInit = {}) => fetch(apiUrl + path, { ...init, dispatcher })
  await eventually(() =>
    ask('/health').then(
      () => true,
      () => false,
    ),
  )
  return {
    apiUrl,
    /** Sends a request to the nodes, trusting this run's certificate. */
    ask,
    webhookUrl: `http://127.0.0.1:${webhook}`,
    async close(): Promise<void> {
      await dispatcher.destroy()
      child.kill()
      await exited
    },
  }
}
