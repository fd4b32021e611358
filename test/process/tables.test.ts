import { expect, test } from 'vitest'
import { OWNER_TOKEN, SANDBOX } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'
import { startProgram } from '../support/program.ts'

const ROWS = 1_500

interface View {
  id: string
  counts: { waiting?: number; queued?: number }
}

test('a power cut in the middle of a table sends each row exactly once', async () => {
  const program = await startProgram({})
  await program.patch(`/api/senders/${SANDBOX}`, { country_code: '62' })
  await program.owner(`/api/senders/${SANDBOX}/pause`, {})
  const rows = Array.from({ length: ROWS }, (_, n) => `0812${10_000_000 + n},Pelanggan ${n}`)
  const taken = await fetch(`${program.url}/api/tables`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/octet-stream' },
    body: ['nomor,nama', ...rows].join('\n'),
  })
  const { id } = ((await taken.json()) as { data: View }).data
  const plan = { sender_code: SANDBOX, phone_column: 'nomor', message: 'Halo {nama}', count: ROWS }
  expect((await program.owner(`/api/tables/${id}/send`, plan)).status).toBe(200)

  const view = async () => (await program.owner<{ data: View }>(`/api/tables/${id}`)).body.data.counts
  // Once within the ten seconds, then in the middle of its rows.
  await program.kill()
  await program.start()
  let last = 0
  const seen: number[] = []
  // A test that is slow to look may find all rows queued before the third cut.
  for (let cut = 0; cut < 3 && last < ROWS; cut += 1) {
    await eventually(async () => {
      const { queued = 0 } = await view()
      if (queued <= last) return false
      last = queued
      return true
    })
    await program.kill()
    seen.push(last)
    await program.start()
  }
  expect(seen.filter((count) => count < ROWS).length, String(seen)).toBeGreaterThan(0)
  await eventually(async () => (await view()).waiting === undefined)
  expect(await view()).toEqual({ queued: ROWS })

  const recipients: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await program.owner<{ data: { recipient: string }[]; next_cursor: string | null }>(
      `/messages?limit=200${cursor}`,
    )
    recipients.push(...body.data.map(({ recipient }) => recipient))
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(recipients).toHaveLength(ROWS)
  expect(new Set(recipients).size).toBe(ROWS)
})
