import { join } from 'node:path'
import { hasLibrary, hasProgram } from './run.ts'

const root = join(import.meta.dirname, '..', '..')
const sample = (path: string): string => join(root, 'docs', 'clients', path)
const adapter = (name: string): string => join(import.meta.dirname, 'clients', name)

const has = (...packages: string[]): boolean => packages.every(hasLibrary)

export interface OtherClient {
  /** Folder in docs/clients. */
  folder: string
  missing: boolean
  compile?: (into: string) => string[]
  /** Returns the command before its arguments `<phone> <message> <reference>`. */
  send: (from: string) => string[]
  /** Matches the error output when Kurir refuses. Default set by the test. */
  refusal?: RegExp
  /** Number of calls when Kurir refuses. */
  refused?: number
}

/**
 * Samples for systems where the user writes no whole program. Those with an adapter run through it.
 */
export const OTHER_CLIENTS: OtherClient[] = [
  {
    folder: 'pascal',
    missing: !hasProgram('fpc'),
    compile: (into) => ['fpc', '-v0', `-FE${into}`, `-Fu${sample('pascal')}`, sample('pascal/send.pas')],
    send: (from) => [join(from, 'send')],
  },
  { folder: 'apps-script', missing: false, send: () => [process.execPath, adapter('apps-script.mjs')] },
  {
    folder: 'laravel',
    missing: !hasProgram('php') || !has('php-illuminate-http', 'php-guzzlehttp-guzzle'),
    send: () => ['php', adapter('laravel.php')],
  },
  { folder: 'woocommerce', missing: !hasProgram('php'), send: () => ['php', adapter('woocommerce.php')] },
  { folder: 'node-red', missing: false, send: () => [process.execPath, adapter('node-red.mjs')] },
  // n8n also repeats a refused call.
  { folder: 'n8n', missing: false, send: () => [process.execPath, adapter('n8n.mjs')], refused: 5 },
  {
    folder: 'home-assistant',
    missing: !has('python3-jinja2', 'python3-yaml'),
    send: () => ['/usr/bin/python3', adapter('home-assistant.py')],
    refusal: /400: .*phone/,
  },
  {
    folder: 'apprise',
    missing: !hasProgram('apprise'),
    send: () => [sample('apprise/notify.sh')],
    refusal: /INV-3 was not taken.* error=400/s,
  },
]
