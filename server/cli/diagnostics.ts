import { type Diagnostics, diagnostics as schema } from '../contract/diagnostics.ts'
import { type Client, refusal } from './client.ts'
import type { Output } from './output.ts'

/** Everything that a report of a fault needs; without numbers, texts and keys. */
export async function showDiagnostics(client: Client, out: Output): Promise<void> {
  const answer = await client.request('/api/diagnostics')
  if (!answer.ok) throw await refusal(answer)
  const diagnostics: Diagnostics = schema.parse(await answer.json())
  await out.print(diagnostics, () => JSON.stringify(diagnostics, null, 2))
}
