import { type Diagnostics, diagnostics as schema } from '../contract/diagnostics.ts'
import { type Client, refusal } from './client.ts'
import type { Output } from './output.ts'

async function read(client: Client): Promise<Diagnostics> {
  const answer = await client.request('/api/diagnostics')
  if (!answer.ok) throw await refusal(answer)
  return schema.parse(await answer.json())
}

/** Everything that a report of a fault needs; without numbers, texts and keys. */
export async function showDiagnostics(client: Client, out: Output): Promise<void> {
  const diagnostics = await read(client)
  await out.print(diagnostics, () => JSON.stringify(diagnostics, null, 2))
}

export async function showLog(client: Client, out: Output): Promise<void> {
  const { log } = await read(client)
  await out.print(log, () => log.join('\n'))
}
