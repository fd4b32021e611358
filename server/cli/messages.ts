import type { MessageDetail, MessageRow } from '../contract/messages.ts'
import { COMMAND } from '../lib/command.ts'
import type { Client } from './client.ts'
import { type Output, table } from './output.ts'

export interface SendOptions {
  sender: string | undefined
  file: string | undefined
  reference: string | undefined
}

export async function sendMessage(
  client: Client,
  out: Output,
  [phone, message = '']: string[],
  { sender, file, reference }: SendOptions,
): Promise<void> {
  const json = { phone, message, sender_code: sender, file, reference_id: reference }
  const sent = await client.call<{ id: string; sender_code: string }>('/send', { json })
  await out.print(
    sent,
    () => `Message ${sent.id} is queued at ${sent.sender_code}. See it: ${COMMAND} messages show ${sent.id}`,
  )
}

export interface ListOptions {
  status: string | undefined
  sender: string | undefined
  limit: string
}

export async function listMessages(client: Client, out: Output, { status, sender, limit }: ListOptions): Promise<void> {
  const query = new URLSearchParams({ limit })
  if (status !== undefined) query.set('status', status)
  if (sender !== undefined) query.set('sender_code', sender)
  const messages = await client.call<MessageRow[]>(`/messages?${query}`)
  await out.print(messages, () =>
    table(
      ['ID', 'CREATED', 'SENDER', 'TO', 'STATUS', 'REFERENCE'],
      messages.map((m) => [m.id, m.created_at, m.sender_code, m.recipient, m.status, m.reference_id]),
    ),
  )
}

const path = (id: string) => `/messages/${encodeURIComponent(id)}`

export async function showMessage(client: Client, out: Output, id: string): Promise<void> {
  const message = await client.call<MessageDetail>(path(id))
  await out.print(message, () =>
    [
      `${message.id} to ${message.recipient} from ${message.sender_code}: ${message.status}`,
      ...(message.error === null ? [] : [`Why: ${message.error.message} (${message.error.code})`]),
      ...message.timeline.map(({ at, type }) => `${at}  ${type}`),
    ].join('\n'),
  )
}

export async function cancelMessage(client: Client, out: Output, id: string): Promise<void> {
  await client.call(path(id), { method: 'DELETE' })
  await out.print({ id, cancelled: true }, () => `Message ${id} is cancelled.`)
}
