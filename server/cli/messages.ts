import type { MessageDetail, MessageRow } from '../contract/messages.ts'
import { COMMAND } from '../lib/command.ts'
import { type Client, refusal } from './client.ts'
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

/** @param query as `GET /messages` takes it */
export async function listMessages(
  client: Client,
  out: Output,
  query: Record<string, string | undefined>,
): Promise<void> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const answer = await client.request(`/messages?${new URLSearchParams(given)}`)
  if (!answer.ok) throw await refusal(answer)
  const { data, next_cursor } = (await answer.json()) as { data: MessageRow[]; next_cursor: string | null }
  await out.print(data, () =>
    table(
      ['ID', 'CREATED', 'SENDER', 'TO', 'STATUS', 'REFERENCE'],
      data.map((m) => [m.id, m.created_at, m.sender_code, m.recipient, m.status, m.reference_id]),
    ),
  )
  if (next_cursor !== null) out.note(`There are more: add --cursor ${next_cursor}.`)
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
