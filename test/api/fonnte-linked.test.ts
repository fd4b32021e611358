import { expect, test } from 'vitest'
import { CUSTOMER, startShop } from '../support/shop.ts'

const NOBODY = '6280000000000'

test('a linked number sends it for real; what WhatsApp said of a number is known afterwards', async () => {
  const { app, peer, key, link } = await startShop()
  await link()
  peer.unknownNumber(NOBODY)
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
  async function ask(path: string, target: string): Promise<Record<string, unknown> & { id?: string[] }> {
    const headers = { authorization: key, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ target, message: 'Halo' }).toString()
    return JSON.parse((await app.fetch(`/compat/fonnte/${path}`, { method: 'POST', headers, body })).text)
  }
  const [good, bad] = [await ask('send', CUSTOMER), await ask('send', NOBODY)]
  const idOf = async (seq = '0') => (await app.app.store.messages.find({ seq: Number(seq) }))?.id ?? ''
  await app.reached(await idOf(good.id?.[0]), 'delivered', 'read')
  await app.reached(await idOf(bad.id?.[0]), 'failed')
  expect(await ask('validate', `${CUSTOMER},${NOBODY},x`)).toEqual({
    status: true,
    registered: [CUSTOMER],
    not_registered: [NOBODY, 'x'],
  })
})
