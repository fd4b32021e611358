import type { KeyView, SessionView, WindowLink } from '../contract/access.ts'
import type { Client } from './client.ts'
import { type Output, table } from './terminal.ts'

interface NewKey {
  name: string
  /** Undefined: every sender. */
  device: string | undefined
  scopes: KeyView['scopes']
}

export async function createKey(client: Client, out: Output, { name, device, scopes }: NewKey): Promise<void> {
  const of = device === undefined ? { kind: 'global' } : { kind: 'device', sender_code: device }
  const json = { ...of, name, scopes }
  const key = await client.call<KeyView & { key: string }>('/api/keys', { json })
  await out.print(key, () => {
    // Only the key goes to standard output, so that a script can read it.
    out.note(`API key ${key.id} created. It is shown only once:`)
    return key.key
  })
}

export async function listKeys(client: Client, out: Output): Promise<void> {
  const keys = await client.call<KeyView[]>('/api/keys')
  await out.print(keys, () =>
    table(
      ['ID', 'NAME', 'KIND', 'SENDER', 'MAY', 'ENDS IN', 'LAST USED', 'STATE'],
      keys.map((key) => [
        key.id,
        key.name,
        key.kind,
        key.sender_code,
        key.scopes,
        key.hint,
        key.last_used_at,
        keyState(key, Date.now()),
      ]),
    ),
  )
}

export async function revokeKey(client: Client, out: Output, id: string): Promise<void> {
  await client.call(`/api/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })
  await out.print({ id, revoked: true }, () => `API key ${id} is revoked.`)
}

/** Returns the state of a key for a table. @param now milliseconds since 1970 */
export function keyState({ revoked_at, expires_at }: Pick<KeyView, 'revoked_at' | 'expires_at'>, now: number): string {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'valid'
  return Date.parse(expires_at) <= now ? `expired ${expires_at}` : `until ${expires_at}`
}

export async function openLink(client: Client, out: Output): Promise<void> {
  const link = await client.call<WindowLink>('/api/sessions/code', { method: 'POST' })
  await out.print(link, () => {
    out.note('Open this in a browser. It works once, for 10 minutes:')
    return [link.url, ...link.lan_urls].join('\n')
  })
}

export async function listSessions(client: Client, out: Output): Promise<void> {
  const sessions = await client.call<SessionView[]>('/api/sessions')
  await out.print(sessions, () =>
    table(
      ['ID', 'OPENED FROM', 'LAST USED', 'ENDS', 'BROWSER'],
      sessions.map(({ id, address, last_used_at, expires_at, browser }) => [
        id,
        address,
        last_used_at,
        expires_at,
        browser,
      ]),
    ),
  )
}

export async function revokeSession(client: Client, out: Output, id: string): Promise<void> {
  await client.call(`/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
  await out.print({ id, revoked: true }, () => `Session ${id} is logged out.`)
}
