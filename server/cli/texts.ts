import type { TextView } from '../slices/texts/contract.ts'
import type { Client } from './client.ts'
import { type Output, table } from './output.ts'

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
