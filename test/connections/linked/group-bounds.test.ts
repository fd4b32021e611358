import { expect, test } from 'vitest'
import { MOST_GROUPS, MOST_MEMBERS } from '../../../server/connections/linked/library/bounds.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `62816${String(n).padStart(7, '0')}`)

async function linked(prepare: (world: Awaited<ReturnType<typeof createWorld>>) => void) {
  const world = await createWorld()
  const kitchen = world.peer.group('Dapur', { members: [RECIPIENT, OWNER] })
  prepare(world)
  const run = world.open()
  await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind: 'migrated' }))
  const listed = () => world.store.groups.list(world.senderId)
  const send = async (to: string) => run.send(await world.message('Rapat', { to }))
  /** All others get their messages. */
  const othersGoOn = async () => {
    for (const to of [RECIPIENT, kitchen.jid]) expect(await send(to)).toEqual({ kind: 'acknowledged' })
    expect(run.view().state).toBe('connected')
  }
  return { ...world, run, listed, send, othersGoOn }
}

test('a group of more members than WhatsApp’s groups have is listed and not written to; all others are', async () => {
  let jid = ''
  const { send, listed, othersGoOn, peer } = await linked((world) => {
    jid = world.peer.group('Pengumuman', { members: [OWNER, ...numbers(MOST_MEMBERS)] }).jid
  })
  await expect.poll(listed).toMatchObject([{}, { name: 'Pengumuman', members: MOST_MEMBERS + 1, canSend: false }])
  expect(await send(jid)).toMatchObject({ kind: 'refused', code: 'group_closed' })
  expect(peer.journal.messages).toEqual([])
  await othersGoOn()
})

test('of more groups than are kept, so many are listed; one beyond is written to by its id', async () => {
  let last = ''
  const { send, listed, othersGoOn, peer } = await linked((world) => {
    for (let n = 0; n < MOST_GROUPS; n += 1) last = world.peer.group(`Grup ${n}`, { members: [RECIPIENT, OWNER] }).jid
  })
  await expect.poll(async () => (await listed()).length).toBe(MOST_GROUPS)
  expect((await listed()).map(({ jid }) => jid)).not.toContain(last)
  expect(await send(last)).toEqual({ kind: 'acknowledged' })
  const another = peer.group('Satu lagi', { members: [RECIPIENT, OWNER], silently: false })
  await expect.poll(() => peer.phone(OWNER).pending.unconfirmed).toBe(0)
  expect(await send(another.jid)).toEqual({ kind: 'acknowledged' })
  expect(await listed()).toHaveLength(MOST_GROUPS)
  await othersGoOn()
})
