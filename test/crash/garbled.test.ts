import { expect, onTestFinished, test } from 'vitest'
import { engineEnv } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startLinkedShop } from './linked.ts'
import { ask, startProgram } from './program.ts'

test('a frame that cannot be opened ends the connection, and not the program', async () => {
  const shop = await startLinkedShop()
  onTestFinished(shop.close)
  const home = temporaryFolder()
  const program = await startProgram(home, { ...(await engineEnv(home)), ...shop.variant.env })
  onTestFinished(program.kill)
  const sender_code = await shop.variant.prepare(program)
  /** Resolves with the connection by which a new message left. */
  async function send(): Promise<number | undefined> {
    const body = { sender_code, phone: shop.variant.phoneOf(0), message: 'Terima kasih' }
    const { id } = await ask<{ id: string }>(program, '/send', body)
    await eventually(async () => (await ask<{ status: string }>(program, `/messages/${id}`)).status === 'read')
    return (await shop.journal()).at(-1)?.link
  }
  const before = await send()
  await shop.garble()
  await eventually(async () => (await send()) !== before)
  expect(await send()).not.toBe(before)
})
