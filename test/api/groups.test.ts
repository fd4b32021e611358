import { describe, expect, test } from 'vitest'
import { SANDBOX, startApp } from '../support/app.ts'

const app = await startApp({ lives: 'file' })
const key = await app.key({ sender: SANDBOX })
const GROUP = '120363040000000009@g.us'

const OFFICIAL = { phone_number_id: '1', waba_id: '2', access_token: 't', app_secret: 's', verify_token: 'v' }

interface Detail {
  id: string
  recipient: string
  group: string | null
  status: string
  receipts: { delivered: number; read: number; members: number } | null
  error: { code: string } | null
}

const detail = async (id: string) => (await app.call<Detail>(key, `/messages/${id}`)).body.data
const send = (body: unknown, headers: Record<string, string> = {}) => app.call<Detail>(key, '/send', body, { headers })

test('a message to a group is sent, delivered and read when every member has it', async () => {
  const answer = await send({ group: GROUP, message: 'Rapat jam 5' })
  expect(answer.body.data).toMatchObject({ recipient: GROUP, status: 'queued' })
  const { id } = answer.body.data
  await app.reached(id, 'delivered')
  expect(await detail(id)).toMatchObject({ group: GROUP, receipts: { delivered: 4, members: 4 } })
  await app.reached(id, 'read')
  expect(await detail(id)).toMatchObject({ status: 'read', receipts: { delivered: 4, read: 4, members: 4 } })
  const list = await app.call<Detail[]>(key, `/messages?recipient=${encodeURIComponent(GROUP)}`)
  expect(list.body.data.map((row) => row.id)).toEqual([id])
})

test('a message to a person has neither group nor receipts', async () => {
  const { id } = (await send({ phone: '6281234567890', message: 'Halo' })).body.data
  await app.reached(id, 'read')
  expect(await detail(id)).toMatchObject({ group: null, receipts: null, recipient: '6281234567890' })
})

describe('a group is named', () => {
  test.each([
    ['as JSON', { group: GROUP, message: 'x' }, {}],
    [
      'as a form',
      `group=${encodeURIComponent(GROUP)}&message=x`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    [
      'in parts',
      `--b\r\ncontent-disposition: form-data; name="group"\r\n\r\n${GROUP}\r\n--b\r\ncontent-disposition: form-data; name="message"\r\n\r\nx\r\n--b--\r\n`,
      { 'content-type': 'multipart/form-data; boundary=b' },
    ],
  ] as const)('%s', async (_, body, headers) => {
    const answer = await send(body, headers)
    expect(answer.body, answer.text).toMatchObject({ data: { recipient: GROUP } })
  })

  test('by its exact name; a rehearsal knows each name, and always by the same id', async () => {
    const kitchen = await send({ group: 'Kitchen', message: 'x' })
    const listed = await app.call<{ group: string; name: string }[]>(key, `/senders/${SANDBOX}/groups`)
    expect(kitchen.body.data.recipient).toBe(listed.body.data.find(({ name }) => name === 'Kitchen')?.group)
    const [one, two] = [await send({ group: 'Gudang', message: 'x' }), await send({ group: 'Gudang', message: 'y' })]
    expect(one.body.data.recipient).toMatch(/^\d+@g\.us$/)
    expect(two.body.data.recipient).toBe(one.body.data.recipient)
  })

  test('by a name of a linked number that is in one such group alone', async () => {
    const code = await app.sender('linked')
    const id = app.app.store.senders.byCode(code)?.id ?? 0
    const row = { members: 3, canSend: true }
    await app.app.store.groups.replace(id, [
      { ...row, jid: GROUP, name: 'Dapur' },
      { ...row, jid: '120363040000000002@g.us', name: 'Sopir' },
      { ...row, jid: '120363040000000003@g.us', name: 'Sopir' },
    ])
    const ask = (group: string) => app.owner<Detail>('/send', { body: { group, message: 'x', sender_code: code } })
    expect((await ask('Dapur')).body.data.recipient).toBe(GROUP)
    for (const name of ['Sopir', 'dapur', 'Bar']) {
      const { status, body } = await ask(name)
      expect([status, body.error.code]).toEqual([404, 'group_unknown'])
    }
    const groups = await app.owner(`/senders/${code}/groups`)
    expect(groups.body.data).toEqual([
      { group: GROUP, name: 'Dapur', members: 3, can_send: true },
      { group: '120363040000000002@g.us', name: 'Sopir', members: 3, can_send: true },
      { group: '120363040000000003@g.us', name: 'Sopir', members: 3, can_send: true },
    ])
    expect((await app.call(key, `/senders/${code}/groups`)).body.error.code).toBe('sender_not_allowed')
  })
})

describe('refused', () => {
  test.each([
    [{ group: GROUP, phone: '6281234567890', message: 'x' }, 'group', 'not_together'],
    [{ message: 'x' }, 'phone', 'required'],
    [{ group: '', message: 'x' }, 'group', 'empty'],
    [{ group: 'x'.repeat(401), message: 'x' }, 'group', 'too_long'],
  ])('%j', async (body, field, code) => {
    const { status, body: answer } = await send(body)
    expect([status, answer.error.details?.map((one) => [one.field, one.code])]).toEqual([400, [[field, code]]])
  })

  test('advertising', async () => {
    const { status, body } = await send({ group: GROUP, message: 'Promo', purpose: 'marketing' })
    expect([status, body.error.code]).toEqual([422, 'group_no_marketing'])
  })

  test('an official sender, in words', async () => {
    const official = await app.owner<{ sender_code: string }>('/api/senders', {
      body: { kind: 'official', name: 'Resmi', ...OFFICIAL },
    })
    const { sender_code } = official.body.data
    const { status, body } = await app.owner('/send', { body: { group: GROUP, message: 'x', sender_code } })
    expect([status, body.error.code]).toEqual([422, 'sender_kind_mismatch'])
    expect(body.message).toContain('groups')
    expect((await app.owner(`/senders/${sender_code}/groups`)).body.message).toContain('groups')
  })

  test.each([
    ['arrives', 'Kitchen', 'read'],
    ['not in it', '120363040000010001@g.us', 'not_in_group'],
    ['closed', 'Announcements', 'group_closed'],
  ])('by WhatsApp, as the sandbox plays it (%s)', async (_, group, end) => {
    const { id } = (await send({ group, message: 'x' })).body.data
    const { status, error } = await app.reached(id, 'read', 'failed')
    expect(error?.code ?? status).toBe(end)
  })
})
