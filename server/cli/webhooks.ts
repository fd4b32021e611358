import type { WebhookView } from '../contract/webhooks.ts'
import type { Client } from './client.ts'
import { CliError, type Output, table } from './terminal.ts'

const path = (id: string, action = '') => `/api/webhooks/${encodeURIComponent(id)}${action}`

export async function listWebhooks(client: Client, out: Output): Promise<void> {
  const webhooks = await client.call<WebhookView[]>('/api/webhooks')
  await out.print(webhooks, () =>
    table(
      ['ID', 'URL', 'FORMAT', 'STATE', 'PENDING', 'GIVEN UP', 'LAST DELIVERED'],
      webhooks.map((hook) => [
        hook.id,
        hook.url,
        hook.format,
        stateOf(hook),
        hook.pending,
        hook.dead,
        hook.last_delivered_at,
      ]),
    ),
  )
}

const stateOf = ({ enabled, disabled_reason }: WebhookView): string =>
  enabled ? 'on' : `off${disabled_reason === null ? '' : ` (${disabled_reason})`}`

interface Asked {
  events: string | undefined
  format: string | undefined
}

export async function addWebhook(client: Client, out: Output, url: string, { events, format }: Asked): Promise<void> {
  const json = {
    url,
    ...(events === undefined ? {} : { events: events.split(',') }),
    ...(format === undefined ? {} : { format }),
  }
  const hook = await client.call<WebhookView & { secret: string }>('/api/webhooks', { json })
  await out.print(hook, () => {
    // Only the secret goes to standard output, so that a script can read it.
    out.note(`Webhook ${hook.id} added. Its secret, which checks the signature, is shown only once:`)
    return hook.secret
  })
}

interface Tested {
  attempt: { status: number | null; error: string | null; took_ms: number }
}

export async function testWebhook(client: Client, out: Output, id: string): Promise<void> {
  const { attempt } = await client.call<Tested>(path(id, '/test'), { method: 'POST' })
  const { status, error, took_ms } = attempt
  if (error !== null || status === null || status >= 300) {
    const ask = status === 401 ? ' Does the receiver have the secret of this webhook?' : ''
    throw new CliError(`The callback was not taken: ${error ?? `HTTP ${status}`}.${ask}`)
  }
  await out.print(attempt, () => `The callback was taken: HTTP ${status}, ${took_ms} ms.`)
}

export async function discardCallbacks(client: Client, out: Output, id: string): Promise<void> {
  const json = { webhook_id: id }
  const done = await client.call<{ discarded: number }>('/api/deliveries/discard-dead', { json })
  await out.print(done, () => `Callbacks that were given up and are forgotten now: ${done.discarded}.`)
}

export async function removeWebhook(client: Client, out: Output, id: string): Promise<void> {
  await client.call(path(id), { method: 'DELETE' })
  await out.print({ id, removed: true }, () => `Webhook ${id} is removed.`)
}
