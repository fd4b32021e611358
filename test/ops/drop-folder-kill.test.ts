import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DropFolderView } from '../../server/slices/drop-folder/contract.ts'
import { SANDBOX } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startProgram } from '../support/program.ts'
import { samples } from '../support/samples.ts'

const FILES = 60
const KILLS = 4

/** Kills the real program while it takes files: between any two of its steps. */
test('killed again and again while it takes files, it sends each once', async () => {
  const program = await startProgram({})
  const folder = join(temporaryFolder(), 'kirim')
  const chosen = { folder, sender_code: SANDBOX, on: true, daily_limit: 1_000 }
  expect((await program.patch('/api/drop-folder', chosen)).status).toBe(200)
  const inbox = () => readdirSync(folder).filter((name) => name.endsWith('.pdf'))
  const view = async () => (await program.owner<{ data: DropFolderView }>('/api/drop-folder')).body.data
  // Its last digits decide what the sandbox plays.
  const phoneOf = (n: number) => `62812${String(n).padStart(6, '0')}77`
  for (let n = 0; n < FILES; n += 1) writeFileSync(join(folder, `${phoneOf(n)} INV-${n}.pdf`), samples.pdf)
  let inTheMiddle = 0
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const left = FILES - Math.round((FILES * kill) / (KILLS + 1))
    await eventually(() => inbox().length <= left)
    await program.kill()
    if (inbox().length > 0) inTheMiddle += 1
    await program.start()
  }
  expect(inTheMiddle, 'it was killed before it was done').toBeGreaterThan(0)
  await eventually(() => inbox().length === 0)
  await eventually(async () => (await view()).waiting === 0)

  const { body } = await program.owner<{ data: { recipient: string }[] }>('/messages?limit=200')
  const phones = Array.from({ length: FILES }, (_, n) => phoneOf(n))
  expect(body.data.map(({ recipient }) => recipient).toSorted()).toEqual(phones)
  expect(readdirSync(join(folder, 'sent'))).toHaveLength(FILES)
  expect(readdirSync(join(folder, 'failed'))).toEqual([])
})
