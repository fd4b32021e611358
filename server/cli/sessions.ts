import type { SessionView, WindowLink } from '../contract/access.ts'
import type { Client } from './client.ts'
import { type Output, table } from './output.ts'

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
