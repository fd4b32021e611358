import type { MessageDetail, MessageRow } from '../contract/messages.ts'
import { COMMAND } from '../lib/program.ts'
import type { TextView } from '../slices/texts/contract.ts'
import { type Client, formWith, refusal } from './client.ts'
import { CliError, EXIT, type Output, table } from './terminal.ts'

export interface SendOptions {
  sender: string | undefined
  /** URL, or path of a file of this computer. */
  file: string | undefined
  reference: string | undefined
  at: string | undefined
}

export async function sendMessage(
  client: Client,
  out: Output,
  [phone, message = '']: string[],
  { sender, file, reference, at }: SendOptions,
): Promise<void> {
  const sendAt = at === undefined ? undefined : momentOf(at)
  const fields = { phone, message, sender_code: sender, reference_id: reference, send_at: sendAt }
  const isOwnFile = file !== undefined && !/^(https?|file):/i.test(file)
  const request = isOwnFile ? { body: await formWith(file, fields) } : { json: { ...fields, file } }
  const sent = await client.call<{ id: string; sender_code: string }>('/send', request)
  const when = sendAt === undefined ? '' : ` until ${sendAt}`
  await out.print(
    sent,
    () => `Message ${sent.id} is queued at ${sent.sender_code}${when}. See it: ${COMMAND} messages show ${sent.id}`,
  )
}

const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?$/i

/**
 * Returns a time in the form of the API. A time without an offset is this computer's local time.
 * @throws CliError for no time, and for a time in the past, because the API would send at once
 */
function momentOf(text: string): string {
  const [, day, time, offset] = MOMENT.exec(text.trim()) ?? []
  const moment = new Date(`${day}T${time}${offset ?? ''}`)
  // Date takes 30 February for a day in March.
  const isDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(`${day}T`)
  if (!isDay || Number.isNaN(moment.getTime()))
    throw new CliError(
      `${text} is no time. Write one of this computer, such as "2026-12-24 08:00", or with an offset: 2026-12-24T08:00+07:00.`,
      EXIT.usage,
    )
  if (moment.getTime() < Date.now()) throw new CliError(`${text} is over. Leave --at out to send now.`, EXIT.usage)
  return moment.toISOString()
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
  if (next_cursor !== null) out.note(`There are more: add --cursor ${next_cursor}.`, { next_cursor })
}

const path = (id: string) => `/messages/${encodeURIComponent(id)}`

export async function showMessage(client: Client, out: Output, id: string): Promise<void> {
  const message = await client.call<MessageDetail>(path(id))
  await out.print(message, () =>
    [
      `${message.id} to ${message.recipient} from ${message.sender_code}: ${message.status}`,
      ...(message.error === null ? [] : [`Why: ${message.error.message} (${message.error.code})`, message.error.hint]),
      ...message.timeline.map(({ at, type }) => `${at}  ${type}`),
    ].join('\n'),
  )
}

export async function cancelMessage(client: Client, out: Output, id: string): Promise<void> {
  await client.call(path(id), { method: 'DELETE' })
  await out.print({ id, cancelled: true }, () => `Message ${id} is cancelled.`)
}

export async function listTexts(client: Client, out: Output): Promise<void> {
  const texts = await client.call<TextView[]>('/api/texts')
  await out.print(texts, () =>
    table(
      ['ID', 'NAME', 'TEXT'],
      texts.map(({ id, name, text }) => [id, name, text]),
    ),
  )
}

export async function addText(client: Client, out: Output, name: string, text: string): Promise<void> {
  const saved = await client.call<TextView>('/api/texts', { json: { name, text } })
  await out.print(saved, () => `Text ${saved.id} is saved.`)
}

export async function removeText(client: Client, out: Output, id: string): Promise<void> {
  await client.call(`/api/texts/${encodeURIComponent(id)}`, { method: 'DELETE' })
  await out.print({ id, removed: true }, () => `Text ${id} is removed.`)
}
