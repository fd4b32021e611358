import { expect, test } from 'vitest'
import { fillIn, ownFieldsOf } from '../../server/contract/placeholders.ts'
import { TEXTS_MAX, type TextView } from '../../server/slices/texts/contract.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'

const list = async (app: TestApp) => (await app.owner<TextView[]>('/api/texts')).body.data
const save = (app: TestApp, body: object) => app.owner<TextView>('/api/texts', { body })

test('texts are saved, changed and removed; they are still there after a start', async () => {
  const app = await startApp()
  const ready = await save(app, { name: ' Siap ', text: 'Halo {nama}, pesanan siap.\nTerima kasih {tanggal}' })
  expect(ready.body.data).toMatchObject({ name: 'Siap', text: 'Halo {nama}, pesanan siap.\nTerima kasih {tanggal}' })
  await save(app, { name: 'Lunas', text: 'Sudah kami terima.' })
  await app.restart()
  expect((await list(app)).map(({ name }) => name)).toEqual(['Lunas', 'Siap'])

  const { id } = ready.body.data
  const changed = await app.owner<TextView>(`/api/texts/${id}`, { method: 'PATCH', body: { text: 'Ambil hari ini.' } })
  expect(changed.body.data).toMatchObject({ id, name: 'Siap', text: 'Ambil hari ini.' })
  expect((await app.owner(`/api/texts/${id}`, { method: 'DELETE' })).status).toBe(200)
  expect((await app.owner(`/api/texts/${id}`, { method: 'DELETE' })).body.error.code).toBe('not_found')
  expect((await list(app)).map(({ name }) => name)).toEqual(['Lunas'])
})

test('two texts never have the same name', async () => {
  const app = await startApp()
  await save(app, { name: 'Siap', text: 'Satu' })
  const other = await save(app, { name: 'Lunas', text: 'Dua' })
  expect((await save(app, { name: 'Siap', text: 'Tiga' })).body.error.code).toBe('conflict')
  const path = `/api/texts/${other.body.data.id}`
  expect((await app.owner(path, { method: 'PATCH', body: { name: 'Siap' } })).status).toBe(409)
  expect((await app.owner(path, { method: 'PATCH', body: { name: 'Lunas' } })).status).toBe(200)
  expect((await list(app)).map(({ text }) => text)).toEqual(['Dua', 'Satu'])
})

test('their number and their length have bounds', async () => {
  const app = await startApp()
  const fields = async (body: object) => (await save(app, body)).body.error.details?.map(({ field }) => field)
  expect(await fields({ name: ' ', text: 'Halo' })).toEqual(['name'])
  expect(await fields({ name: 'x'.repeat(81), text: 'Halo' })).toEqual(['name'])
  expect(await fields({ name: 'Siap', text: '' })).toEqual(['text'])
  expect(await fields({ name: 'Siap', text: '😀'.repeat(2049) })).toEqual(['text'])
  for (let at = 0; at < TEXTS_MAX; at += 1)
    expect((await save(app, { name: `Teks ${at}`, text: 'Halo' })).status).toBe(200)
  const full = await save(app, { name: 'One more', text: 'Halo' })
  expect([full.status, full.body.message]).toEqual([409, expect.stringContaining(String(TEXTS_MAX))])
})

test('the command line keeps, lists and removes them', async () => {
  const app = await startApp()
  const kurir = (...args: string[]) => runCommand(app.home, args)
  const { id } = (await kurir('texts', 'add', 'Siap', 'Halo {name}', '--json')).json()
  expect((await kurir('texts', 'list')).out).toMatch(new RegExp(`${id} +Siap +Halo \\{name\\}`))
  expect((await kurir('texts', 'remove', id)).code).toBe(0)
  expect((await kurir('texts', 'list', '--json')).json()).toEqual([])
})

const KNOWN = { date: '23 Nov 2026', time: '09.00', phone: '+62 812-3456-7890', sender: 'Toko Melati' }

test('words in braces are filled in, by Kurir or by the person; the others stay', () => {
  const text = 'Halo {name}, {Tanggal} {jam} {sender}: {no. faktur} {total} {name} {} { {"a":1} {toString}'
  expect(ownFieldsOf(text)).toEqual(['name', 'no. faktur', 'total', 'tostring'])
  expect(fillIn(text, KNOWN, { name: 'Ibu $& Sri', 'no. faktur': 'INV-7', total: '' })).toBe(
    'Halo Ibu $& Sri, 23 Nov 2026 09.00 Toko Melati: INV-7 {total} Ibu $& Sri {} { {"a":1} {toString}',
  )
  expect(fillIn('{date} {phone}', { ...KNOWN, phone: '' }, {})).toBe('23 Nov 2026 {phone}')
})
