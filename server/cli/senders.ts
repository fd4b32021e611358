import type { SenderView } from '../contract/senders.ts'
import type { Client } from './client.ts'
import { type Output, table } from './output.ts'

export const senderTable = (senders: SenderView[]): string =>
  table(
    ['CODE', 'NAME', 'KIND', 'STATE', 'NUMBER', 'WAITING'],
    senders.map(({ sender_code, name, kind, state, phone, waiting }) => [
      sender_code,
      name,
      kind,
      state,
      phone,
      waiting,
    ]),
  )

export async function listSenders(client: Client, out: Output): Promise<void> {
  const senders = await client.call<SenderView[]>('/api/senders')
  await out.print(senders, () => senderTable(senders))
}

export async function addSender(client: Client, out: Output, name: string): Promise<void> {
  const sender = await client.call<SenderView>('/api/senders', { json: { kind: 'linked', name } })
  await out.print(
    sender,
    () => `${sender.sender_code} added. Link its number: kurir senders link ${sender.sender_code}`,
  )
}
