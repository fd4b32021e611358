import { randomBytes } from 'node:crypto'
import { type BinaryNode, S_WHATSAPP_NET } from 'baileys'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { stanza } from '../../support/whatsapp-peer/stanza.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

const CUSTOMER = `${RECIPIENT}@s.whatsapp.net`
const LID = '200000000000001@lid'
const SELF = `${OWNER}@s.whatsapp.net`
const SERVER = S_WHATSAPP_NET
const GROUP = '120363000000000002@g.us'
const CHANNEL = '120363000000000001@newsletter'

const notification = (type: string, from: string, ...content: BinaryNode[]) =>
  stanza('notification', { type, from }, content)
const receipt = (from: string, type?: string, more = {}, ...content: BinaryNode[]) =>
  stanza('receipt', { from, type, ...more }, content)
const call = (...content: BinaryNode[]) => stanza('call', { from: LID, notify: 'Ani' }, content)
const called = (what: string) => call(stanza(what, { 'call-id': 'A1', 'call-creator': LID }))
const message = (from: string, more: Record<string, string>, type: string) =>
  stanza('message', { from, type: 'text', ...more }, [stanza('enc', { v: '2', type }, randomBytes(60))])

/** Stanzas that the handlers of whatsmeow 33cfac51 and whatsapp-rust 1489b7da know, and some that they do not. */
const KINDS: BinaryNode[] = [
  notification('encrypt', SERVER, stanza('count', { value: '3' })),
  notification('encrypt', CUSTOMER, stanza('identity')),
  notification('encrypt', SERVER, stanza('digest')),
  notification('devices', CUSTOMER, stanza('update', { hash: 'abcd' })),
  notification('devices', CUSTOMER, stanza('add')),
  notification('account_sync', SELF, stanza('privacy')),
  notification('account_sync', SELF, stanza('blocklist')),
  notification('account_sync', SELF, stanza('disappearing_mode', { duration: '86400', t: '1' })),
  notification('account_sync', SELF, stanza('tos')),
  notification('picture', CUSTOMER, stanza('set', { jid: CUSTOMER, id: '1' })),
  notification('picture', CUSTOMER, stanza('delete', { jid: CUSTOMER })),
  notification('status', CUSTOMER, stanza('set', {}, Buffer.from('tidur'))),
  notification('mediaretry', CUSTOMER, stanza('rmr', { jid: CUSTOMER, from_me: 'false' })),
  notification('privacy_token', CUSTOMER, stanza('tokens')),
  notification('privacy_token', CUSTOMER),
  notification('newsletter', CHANNEL, stanza('live_updates')),
  notification('mex', SERVER, stanza('update', { op_name: 'NotificationNewsletterJoin' }, Buffer.from('{}'))),
  notification('mex', SERVER, stanza('update', { op_name: 'Unheard' }, Buffer.from('no JSON'))),
  notification('business', CUSTOMER, stanza('verified_name', { jid: CUSTOMER })),
  notification('business', CUSTOMER, stanza('remove', { jid: CUSTOMER })),
  notification('contacts', SERVER, stanza('update', { jid: CUSTOMER })),
  notification('contacts', SERVER, stanza('modify', { old: CUSTOMER, new: CUSTOMER, new_lid: LID })),
  notification('w:gp2', GROUP, stanza('subject', { subject: 'Dapur' })),
  notification('w:gp2', GROUP, stanza('add', {}, [stanza('participant', { jid: CUSTOMER })])),
  notification('w:gp2', GROUP),
  notification('disappearing_mode', CUSTOMER, stanza('disappearing_mode', { duration: '86400', t: '1' })),
  notification('psa', SERVER),
  notification('pay', SERVER),
  notification('hosted', SERVER),
  notification('registration', SERVER, stanza('wa_old_registration', { code: '123456' })),
  notification('unheard_of', SERVER),
  receipt(CUSTOMER),
  receipt(LID, 'inactive'),
  receipt(CUSTOMER, 'read', {}, stanza('list', {}, [stanza('item', { id: 'B' })])),
  receipt(CUSTOMER, 'played'),
  receipt(SELF, 'read-self', { recipient: CUSTOMER }),
  receipt(SELF, 'played-self', { recipient: CUSTOMER }),
  receipt(SELF, 'sender', { recipient: CUSTOMER }),
  receipt(SELF, 'peer_msg'),
  receipt(SELF, 'hist_sync'),
  receipt(SELF, 'server-error', { recipient: CUSTOMER }),
  receipt(GROUP, undefined, { participant: CUSTOMER }),
  receipt(GROUP, 'read', { participant: LID }),
  receipt('status@broadcast', 'read', { participant: CUSTOMER }),
  receipt(CUSTOMER, 'retry', {}, stanza('retry', { id: 'NONE', count: '1', v: '1', t: '1' })),
  receipt(LID, 'enc_rekey_retry', {}, stanza('enc_rekey', { 'call-id': 'A1' })),
  receipt(CUSTOMER, 'unheard_of'),
  ...['offer', 'offer_notice', 'preaccept', 'accept', 'transport', 'relaylatency', 'mute'].map(called),
  ...['reject', 'terminate', 'unheard_of'].map(called),
  call(),
  message(CUSTOMER, {}, 'msg'),
  message(LID, {}, 'pkmsg'),
  message(CUSTOMER, {}, 'msmsg'),
  message(CUSTOMER, {}, 'unheard_of'),
  message('6281234567890:99@hosted', {}, 'msg'),
  message('12345@broadcast', { participant: CUSTOMER }, 'msg'),
  message('12345@broadcast', {}, 'msg'),
  message(GROUP, { participant: CUSTOMER }, 'skmsg'),
  message(GROUP, {}, 'skmsg'),
  message(SELF, { category: 'peer' }, 'msg'),
  message(SELF, { recipient: CUSTOMER }, 'msg'),
  message(SELF, { recipient: '867051314767696@bot' }, 'msg'),
  stanza('message', { from: CUSTOMER, type: 'text' }, [stanza('verified_name', {}, randomBytes(40))]),
  stanza('message', { from: CUSTOMER, type: 'text' }, [stanza('plaintext', {}, Buffer.from([1, 2]))]),
  stanza('message', { from: CUSTOMER, type: 'text' }, [stanza('unavailable', { type: 'view_once' })]),
  stanza('message', { from: CUSTOMER, type: 'text' }),
  stanza('status', { from: 'status@broadcast', participant: CUSTOMER, type: 'media' }),
  stanza('appdata', { from: SERVER }),
]

test('whatever WhatsApp brings is answered once, and keeps nothing back', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  world.peer.recipient(RECIPIENT)
  world.peer.journal.recording = true
  const post = async () => {
    const names = new Map(KINDS.map((node) => [phone.post(node), JSON.stringify(node).slice(0, 150)]))
    const isAnswer = ({ tag, attrs }: BinaryNode) => tag === 'ack' || (tag === 'receipt' && attrs.type !== 'retry')
    const left = () => {
      const answered = new Set(world.peer.journal.stanzas.filter(isAnswer).map(({ attrs }) => attrs.id))
      return [...names].filter(([id]) => !answered.has(id)).map(([, name]) => name)
    }
    return left
  }
  let left = await post()
  await expect.poll(left).toEqual([])
  const refusals = () =>
    world.peer.journal.stanzas.filter(({ tag, attrs }) => tag === 'ack' && attrs.error !== undefined)
  expect(refusals()).toEqual([])
  await eventually(() => phone.pending.unconfirmed === 0)
  await run.linked.stop()
  left = await post()
  const next = world.open()
  next.linked.start()
  await expect.poll(left).toEqual([])
  expect(refusals()).toEqual([])
  await eventually(() => phone.pending.unconfirmed === 0)
  expect(phone.pending).toEqual({ unconfirmed: 0, refused: 0, withheld: 0 })
})

test.each(['groups', 'communities'])('that %s have changed costs no line where WhatsApp gives none', async (type) => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  world.peer.faults.refuseQuery('w:g2 participating', 429)
  phone.post(stanza('ib', { from: SERVER }, [stanza('dirty', { type, timestamp: '1790000000' })]))
  await eventually(() => world.peer.journal.queries.get('urn:xmpp:whatsapp:dirty clean') === 1)
  expect(run.changes.filter(({ state }) => state === 'offline')).toEqual([])
})

test('somebody who only rang is nobody who wrote', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  const rings = { 'call-id': 'A1', 'call-creator': CUSTOMER }
  phone.post(stanza('call', { from: CUSTOMER, t: '1790000000' }, [stanza('offer', { ...rings, type: 'group' })]))
  phone.post(
    stanza('call', { from: CUSTOMER, t: '1790000000' }, [stanza('terminate', { ...rings, reason: 'timeout' })]),
  )
  await eventually(() => phone.pending.unconfirmed === 0)
  // A call would be recorded before the message that follows it.
  await world.peer.recipient('6281234567891').send('halo')
  await eventually(async () => (await world.store.contacts.get(world.senderId, '6281234567891'))?.known === true)
  expect((await world.store.contacts.get(world.senderId, RECIPIENT))?.known).not.toBe(true)
})

test('a connection holds for hours: nothing that comes is left unanswered for long', async () => {
  let hours = 0
  const world = await createWorld({ now: () => Date.now() + hours * 3_600_000 })
  const run = world.open()
  const phone = await run.link()
  const customer = world.peer.recipient(RECIPIENT)
  const { journal } = world.peer
  const before = journal.logins.length
  // The server looks at what is owed when the client says something.
  const asked = async () => {
    const pings = journal.queries.get('w:p ping') ?? 0
    run.linked.wake()
    await eventually(() => (journal.queries.get('w:p ping') ?? 0) > pings)
  }
  for (; hours < 6; hours += 1) {
    for (const node of KINDS) phone.post(node)
    customer.postStatusStanza()
    await customer.send(`pesan ${hours}`)
    await asked()
    await eventually(() => phone.pending.unconfirmed === 0)
  }
  await asked()
  expect(journal.logins.length).toBe(before)
  expect(run.changes.filter(({ state }) => state === 'offline')).toEqual([])
})

test.each(['unmigrated', 'migrated'] as const)(
  'what a customer writes on another device is heard, and confirmed for that device (%s account)',
  async (kind) => {
    const world = await createWorld()
    const heard: object[] = []
    const run = world.open({ onReceived: async (received) => void heard.push(received) })
    const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind }))
    await world.peer.recipient(RECIPIENT, { devices: 2 }).send('Ada stok?', undefined, { device: 1 })
    await eventually(() => phone.pending.unconfirmed === 0)
    // It may be told twice: what it says is known by its id.
    await eventually(() => heard.length > 0)
    expect(heard[0]).toMatchObject({ from: RECIPIENT, text: 'Ada stok?' })
  },
)
