import { encodeBinaryNode } from 'baileys'
import { describe, expect, test } from 'vitest'
import { MOST_DEVICES } from '../../../server/connections/linked/library/bounds.ts'
import type { ContactStore } from '../../../server/store/index.ts'
import { eventually } from '../../support/eventually.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

/** A linked number of an account that the server knows as migrated or not. */
async function linked(kind: 'migrated' | 'unmigrated', clientProps: 'sent' | 'missing' | 'unreadable' = 'sent') {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind, clientProps }))
  const errors = () => world.peer.journal.messages.flatMap(({ error }) => (error === undefined ? [] : [error]))
  const addresses = () => world.peer.journal.messages.map(({ address }) => address.split('@')[1])
  return { world, run, phone, errors, addresses }
}

describe.each([
  ['migrated', 'lid'],
  ['unmigrated', 's.whatsapp.net'],
] as const)('a %s account', (kind, server) => {
  test('writes to strangers, to known contacts and to several devices in its own form only', async () => {
    const { world, run, errors, addresses } = await linked(kind)
    const customer = world.peer.recipient(RECIPIENT, { devices: 3, hosted: true })
    for (const text of ['satu', 'dua', 'tiga']) {
      const message = await world.message(text)
      expect(await run.send(message)).toEqual({ kind: 'acknowledged' })
      // Receipts are joined by the id, whatever address they come from.
      await run.reported(message.providerMessageId, 'read')
    }
    expect((await customer.messages()).map(({ text }) => text)).toEqual(['satu', 'dua', 'tiga'])
    expect(errors()).toEqual([])
    expect(new Set(addresses())).toEqual(new Set([server]))
  })

  test('goes on in that form after a restart', async () => {
    const { world, run, errors, addresses } = await linked(kind)
    await run.send(await world.message('sebelum'))
    await run.linked.stop()
    const next = world.open()
    next.linked.start()
    await next.state('connected')
    expect(await next.send(await world.message('sesudah'))).toEqual({ kind: 'acknowledged' })
    expect(errors()).toEqual([])
    expect(new Set(addresses())).toEqual(new Set([server]))
  })
})

describe('an account that does not say whether it is migrated', () => {
  test.each(['missing', 'unreadable'] as const)(
    'in pair-success (%s) says it by a server prop',
    async (clientProps) => {
      const { world, run, addresses } = await linked('migrated', clientProps)
      expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
      expect(addresses().at(-1)).toBe('lid')
    },
  )

  test('reaches a stranger who has moved, without a refusal that counts', async () => {
    const { world, run, errors, addresses } = await linked('unmigrated', 'missing')
    world.peer.recipient(RECIPIENT).moved = true
    expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
    expect({ errors: errors(), addresses: addresses() }).toEqual({ errors: [], addresses: ['lid'] })
  })

  test('and is not: the first message is refused as a whole, which does not count, and goes by number', async () => {
    const { world, run, errors, addresses } = await linked('unmigrated', 'missing')
    for (const text of ['satu', 'dua'])
      expect(await run.send(await world.message(text))).toEqual({ kind: 'acknowledged' })
    expect(errors()).toEqual(['400'])
    expect(addresses()).toEqual(['lid', 's.whatsapp.net', 's.whatsapp.net'])
    expect((await world.peer.recipient(RECIPIENT).messages()).map(({ text }) => text)).toEqual(['satu', 'dua'])
  })

  test('until its phone has moved its chats: the pairs that it names have the server asked, and nothing is refused', async () => {
    const { world, run, errors, addresses } = await linked('unmigrated')
    expect(await run.send(await world.message('sebelum'))).toEqual({ kind: 'acknowledged' })
    await world.peer.phone(OWNER).migrate([RECIPIENT])
    await eventually(async () => {
      const facts = (await world.store.linkedFacts.get(world.senderId)) as { form?: object } | undefined
      return facts?.form !== undefined && Object.values(facts.form).includes('prop')
    })
    expect(await run.send(await world.message('sesudah'))).toEqual({ kind: 'acknowledged' })
    expect(addresses()).toEqual(['s.whatsapp.net', 'lid'])
    expect(errors()).toEqual([])
    expect((await world.peer.recipient(RECIPIENT).messages()).map(({ text }) => text)).toEqual(['sebelum', 'sesudah'])
  })

  test('until a message is refused: it is written once more in the other form, under the same id', async () => {
    const { world, run } = await linked('unmigrated')
    await run.send(await world.message('sebelum'))
    // The server moved the account, and nothing announced it.
    world.peer.phone(OWNER, { kind: 'migrated' })
    const message = await world.message('sesudah')
    expect(await run.send(message)).toEqual({ kind: 'acknowledged' })
    const ids = world.peer.journal.messages.filter(({ id }) => id === message.providerMessageId)
    expect(ids.map(({ error, address }) => [error, address.split('@')[1]])).toEqual([
      ['400', 's.whatsapp.net'],
      [undefined, 'lid'],
    ])
    await run.send(await world.message('lagi'))
    expect(world.peer.journal.messages.filter(({ error }) => error === '400')).toHaveLength(1)
    expect((await world.peer.recipient(RECIPIENT).messages()).map(({ text }) => text)).toEqual([
      'sebelum',
      'sesudah',
      'lagi',
    ])
  })
})

test('a LID that is named without its number is asked for once', async () => {
  const { world, run } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT)
  const message = await world.message('halo')
  world.peer.faults.lookUps = 'lid only'
  expect(await run.linked.channel.check(message)).toBe('again')
  world.peer.faults.lookUps = undefined
  expect(await run.send(message)).toEqual({ kind: 'acknowledged' })
  expect(world.peer.journal.messages.map(({ address }) => address)).toEqual([`${customer.lid}@lid`])
  const asked = world.peer.journal.lookUps.filter(({ protocols }) => protocols.includes('lid'))
  expect(asked).toHaveLength(1)
})

test('a LID that has changed is asked for again when the acknowledgement says so; the message is not repeated', async () => {
  const { world, run } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT)
  await run.send(await world.message('satu'))
  const former = customer.lid
  customer.changeLid()
  const lookUps = () => world.peer.journal.lookUps.length
  const before = lookUps()
  expect(await run.send(await world.message('dua'))).toEqual({ kind: 'acknowledged' })
  await expect.poll(lookUps).toBeGreaterThan(before)
  const sent = () => world.peer.journal.messages.map(({ address }) => address.split('@')[0])
  await expect
    .poll(async () => {
      await run.send(await world.message('tiga'))
      return sent().at(-1)
    })
    .toBe(customer.lid)
  expect(sent().slice(0, 2)).toEqual([former, former])
  const texts = (await customer.messages()).map(({ text }) => text)
  expect(texts.filter((text) => text !== 'tiga')).toEqual(['satu', 'dua'])
})

test('and when a refusal says so', async () => {
  const { world, run } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT)
  await run.send(await world.message('satu'))
  customer.changeLid()
  const lookUps = () => world.peer.journal.lookUps.length
  const before = lookUps()
  world.peer.faults.acknowledge({ error: '479' }, { next: 1 })
  expect(await run.send(await world.message('dua'))).toMatchObject({ kind: 'refused' })
  await expect.poll(lookUps).toBe(before + 1)
})

test('a number that somebody else has by now is reached by the LID of that one', async () => {
  const { world, run } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT)
  await run.send(await world.message('satu'))
  await run.linked.stop()
  customer.changeLid({ isForgotten: true })
  const next = world.open()
  next.linked.start()
  await next.state('connected')
  const message = await world.message('dua')
  expect(await next.send(message)).toMatchObject({ kind: 'not_sent' })
  expect(await next.send(message)).toEqual({ kind: 'acknowledged' })
  expect((await customer.messages()).map(({ text }) => text)).toEqual(['satu', 'dua'])
})

test('a contact who has moved is reached by LID from an account that is not migrated, and that is remembered', async () => {
  const { world, run } = await linked('unmigrated')
  expect(await run.send(await world.message('sebelum'))).toEqual({ kind: 'acknowledged' })
  const customer = world.peer.recipient(RECIPIENT)
  customer.moved = true
  expect(await run.send(await world.message('sesudah'))).toEqual({ kind: 'acknowledged' })
  await world.written()
  expect(await run.send(await world.message('lagi'))).toEqual({ kind: 'acknowledged' })
  expect(world.peer.journal.messages.map(({ error }) => error)).toEqual([undefined, '463', undefined, undefined])
  expect(await world.store.contacts.get(world.senderId, RECIPIENT)).toMatchObject({ form: 'lid', formWhile: 'pn' })
})

test('a refusal of what the customer has read already takes nothing back, and nothing is written twice', async () => {
  const { world, run, phone } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT)
  await run.send(await world.message('satu'))
  world.peer.faults.acknowledge('never', { next: 1 })
  customer.receipts = 'none'
  const message = await world.message('dua')
  const { providerMessageId: id } = message
  const outcome = run.send(message)
  await world.peer.journal.arrived(2)
  customer.read(id)
  await run.reported(id, 'read')
  const attrs = { class: 'message', id, from: `${customer.lid}@lid`, error: '463' }
  phone.sendBytes(encodeBinaryNode({ tag: 'ack', attrs }))
  expect(await outcome).toEqual({ kind: 'acknowledged' })
  await run.send(await world.message('tiga'))
  expect((await customer.messages()).map(({ text }) => text)).toEqual(['satu', 'dua', 'tiga'])
})

test('a form that cannot be remembered harms nothing', async () => {
  const world = await createWorld()
  const change: ContactStore['change'] = (senderId, phone, to) =>
    'form' in to ? Promise.reject(new Error('the disk is full')) : world.store.contacts.change(senderId, phone, to)
  const run = world.open({ contacts: { ...world.store.contacts, change } })
  await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind: 'unmigrated' }))
  await run.send(await world.message('sebelum'))
  world.peer.recipient(RECIPIENT).moved = true
  expect(await run.send(await world.message('sesudah'))).toEqual({ kind: 'acknowledged' })
  await eventually(() => world.printed.join('').includes('the form of a contact could not be stored'))
})

test('devices without keys are left out and stop neither the others nor the message', async () => {
  const { world, run } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT, { devices: 3 })
  customer.withholdKeys(1, 406)
  customer.withholdKeys(2, 404)
  expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
  expect((await customer.next()).text).toBe('halo')
})

test('a whole question for keys that is refused is asked device by device', async () => {
  const { world, run } = await linked('unmigrated')
  const customer = world.peer.recipient(RECIPIENT, { devices: 2 })
  world.peer.faults.refuseQuery('encrypt key', 406, { next: 1 })
  expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
  expect((await customer.next()).text).toBe('halo')
})

test('a recipient for whom there are no keys at all gets nothing, and the message says so', async () => {
  const { world, run } = await linked('unmigrated')
  world.peer.recipient(RECIPIENT).withholdKeys(0, 404)
  expect(await run.send(await world.message('halo'))).toMatchObject({ kind: 'not_sent' })
  expect(world.peer.journal.messages).toEqual([])
})

test('of more devices than anybody has, so many are written to', async () => {
  const { world, run } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT, { devices: MOST_DEVICES + 1 })
  expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
  const read = (device: number) => customer.onDevice(device)?.messages()
  expect(await read(MOST_DEVICES - 1)).toMatchObject([{ text: 'halo' }])
  expect(await read(MOST_DEVICES)).toEqual([])
})

test('a new device of a customer gets the next message', async () => {
  const { world, run } = await linked('migrated')
  const customer = world.peer.recipient(RECIPIENT)
  await run.send(await world.message('satu'))
  const device = customer.addDevice({ silently: true })
  // The hash of this acknowledgement says that the list is out of date.
  await run.send(await world.message('dua'))
  await run.send(await world.message('tiga'))
  const inbox = customer.onDevice(device)
  expect((await inbox?.messages())?.map(({ text }) => text)).toEqual(['tiga'])
})

test('the same message is given out five times to somebody who could not read it', async () => {
  const { world, run } = await linked('unmigrated')
  const customer = world.peer.recipient(RECIPIENT)
  const message = await world.message('penting')
  await run.send(message)
  await customer.next()
  for (let count = 1; count <= 5; count += 1) {
    customer.askRetry(message.providerMessageId)
    expect(await customer.next()).toMatchObject({ id: message.providerMessageId, text: 'penting' })
  }
})
