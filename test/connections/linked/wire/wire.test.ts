import type { BinaryNode } from 'baileys'
import { encode } from 'jpeg-js'
import { describe, expect, test } from 'vitest'
import { deletionId } from '../../../../server/connections/linked/sending/content.ts'
import type { AccountOptions } from '../../../support/whatsapp-peer/index.ts'
import { readable } from '../../../support/whatsapp-peer/readable.ts'
import { acknowledgement, createPlainWorld, lid, pn } from '../../whatsapp-peer/world.ts'
import { createWorld, OWNER, RECIPIENT } from '../world.ts'

/**
 * What the program writes for one message, as text. A difference means that something changed on the wire: look whether it
 * should have, and record it again with `npx vitest run test/connections/linked/wire -u`. README.md says what the two
 * reference clients write instead, and what is still to come.
 */
const recorded = (name: string) => `${import.meta.dirname}/${name}.txt`

async function linked(account: AccountOptions = {}) {
  const world = await createWorld()
  const run = world.open()
  await run.link({ method: 'qr' }, world.peer.phone(OWNER, { name: 'Toko', ...account }))
  const recipient = world.peer.recipient(RECIPIENT)
  const { journal } = world.peer

  /**
   * Everything that is written while `work` runs. With `token`, up to the query that issues ours; without it that query
   * is left out, because the library may repeat one whose answer it has not stored yet.
   */
  async function record(work: () => Promise<unknown>, { token = false } = {}): Promise<string> {
    const before = journal.queries.get('privacy tokens') ?? 0
    journal.stanzas.length = 0
    journal.recording = true
    await work()
    if (token) await expect.poll(() => journal.queries.get('privacy tokens')).toBe(before + 1)
    journal.recording = false
    // Acknowledgements come whenever receipts do.
    const isPart = ({ tag, attrs }: BinaryNode) =>
      tag === 'message' ||
      (tag === 'iq' && !OF_THE_CONNECTION.has(attrs.xmlns ?? '') && (token || attrs.xmlns !== 'privacy'))
    return readable(journal.stanzas.filter(isPart), world.peer)
  }
  return { ...world, run, recipient, record }
}

/** What belongs to no message: pings, props, lock and cap, the list of devices. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(['w:p', 'abt', 'w:mex', 'md'])

const picture = (() => {
  const [width, height] = [120, 90]
  const data = Buffer.from(Array.from({ length: width * height * 4 }, (_, i) => (i % 4 === 3 ? 255 : (i / 4) % 256)))
  return encode({ width, height, data }, 80).data
})()
const pdf = Buffer.from('%PDF-1.4\n2 0 obj\n<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>\nendobj\n%%EOF\n')

/** An Ogg whose last page ends at 48,000 samples. */
const oneSecondOfOpus = (() => {
  const page = Buffer.alloc(27)
  page.write('OggS')
  page.writeBigInt64LE(48_000n, 6)
  return page
})()

describe('an unmigrated account, by phone number', () => {
  test('a text to somebody it never wrote to', async () => {
    const { run, message, record } = await linked()
    const text = await message('Pesanan siap 🎉')
    await expect(await record(() => run.send(text), { token: true })).toMatchFileSnapshot(
      recorded('text-first-contact'),
    )
  })

  test('a text to somebody it knows, with several devices, who has issued a token', async () => {
    const { run, message, record, recipient, peer } = await linked()
    recipient.addDevice({ silently: true })
    await run.send(await message('pertama'))
    await recipient.send('Terima kasih', OWNER)
    await expect.poll(() => peer.phone(OWNER).pending.unconfirmed).toBe(0)
    const text = await message('kedua')
    await expect(await record(() => run.send(text))).toMatchFileSnapshot(recorded('text-known-contact'))
  })

  test('an image with a caption', async () => {
    const { run, message, file, record } = await linked()
    const image = await message('Ini fotonya', { file: 'https://example.com/f' })
    const media = await file('image', picture, 'image/jpeg', 'foto.jpg')
    await expect(await record(() => run.send(image, media), { token: true })).toMatchFileSnapshot(recorded('image'))
  })

  test('a PDF with a caption', async () => {
    const { run, message, file, record } = await linked()
    const invoice = await message('Faktur', { file: 'https://example.com/f' })
    const media = await file('document', pdf, 'application/pdf', 'INV-1001.pdf')
    await expect(await record(() => run.send(invoice, media), { token: true })).toMatchFileSnapshot(recorded('pdf'))
  })

  test('a text that the recipient’s phone asks for again', async () => {
    const { run, message, record, recipient } = await linked()
    const text = await message('baca ini')
    await run.send(text)
    await recipient.next()
    const again = async () => {
      recipient.askRetry(text.providerMessageId)
      await recipient.next()
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded('retry-phone'))
  })

  test('a text that another device of the recipient asks for again', async () => {
    const { run, message, record, recipient } = await linked()
    const device = recipient.addDevice({ silently: true })
    const text = await message('baca ini')
    await run.send(text)
    await recipient.onDevice(device)?.next()
    const again = async () => {
      recipient.askRetry(text.providerMessageId, device)
      await recipient.onDevice(device)?.next()
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded('retry-device'))
  })
})

describe('what goes along with a text', () => {
  test('a substitute where nobody has issued a token', async () => {
    const { run, message, record, peer, store, senderId } = await linked({ kind: 'migrated' })
    const phone = peer.phone(OWNER)
    phone.setProp(24_941, '1')
    await phone.keepSalt(Buffer.alloc(32, 7))
    await expect.poll(async () => (await store.sessions.keysOf(senderId, 'salt')).length).toBe(1)
    // The props are read with the next connection.
    phone.disconnect(428)
    await run.state('connected')
    await expect.poll(() => peer.journal.queries.get('w:g2 participating')).toBe(2)
    const text = await message('Halo')
    await expect(await record(() => run.send(text), { token: true })).toMatchFileSnapshot(recorded('substitute'))
  })

  test('the timer of a chat whose messages disappear', async () => {
    const { run, message, record, store, senderId, recipient } = await linked()
    await recipient.send({ extendedTextMessage: { text: 'halo', contextInfo: { expiration: 86_400 } } })
    await expect.poll(async () => (await store.contacts.get(senderId, RECIPIENT))?.timer).toBe(86_400)
    await run.send(await message('pertama'))
    const text = await message('kedua')
    await expect(await record(() => run.send(text))).toMatchFileSnapshot(recorded('timer'))
  })
})

test('a sound file', async () => {
  const { run, message, file, record } = await linked()
  const note = await message(null, { file: 'https://example.com/f' })
  const media = await file('audio', oneSecondOfOpus, 'audio/ogg; codecs=opus', 'suara.ogg')
  await expect(await record(() => run.send(note, media), { token: true })).toMatchFileSnapshot(recorded('audio'))
})

/** Kinds of stanzas with which a connection begins, in whatever order. */
const OF_LOGIN = [
  ...['passive', 'encrypt', 'abt', 'blocklist', 'privacy', 'w:mex', 'w:g2'].map((xmlns) => `iq ${xmlns}`),
  ...['presence', 'ib'],
]

test('a login', async () => {
  const { run, open, peer } = await linked()
  const { journal } = peer
  await run.linked.stop()
  journal.stanzas.length = 0
  journal.recording = true
  const next = open()
  next.linked.start()
  await next.state('connected')
  const kinds = () => new Set(journal.stanzas.map(({ tag, attrs }) => (tag === 'iq' ? `iq ${attrs.xmlns}` : tag)))
  await expect.poll(() => OF_LOGIN.filter((kind) => !kinds().has(kind))).toEqual([])
  await expect.poll(() => journal.stanzas.filter(({ attrs }) => attrs.xmlns === 'w:mex').length).toBe(2)
  journal.recording = false
  const written = journal.stanzas.filter(({ tag }) => ['iq', 'presence', 'ib'].includes(tag))
  const texts = await Promise.all(written.map((one) => readable([one], peer)))
  // The library names its last answer where the connection before lived long enough to keep it.
  const asked = texts.map((text) => text.replace(/ hash=props-\d+$/m, ''))
  await expect([...new Set(asked)].sort().join('\n')).toMatchFileSnapshot(recorded('login'))
})

test('the answers to what comes in', async () => {
  const { run, message, recipient, peer } = await linked({ kind: 'migrated' })
  await run.send(await message('Halo'))
  const phone = peer.phone(OWNER)
  const settled = () => expect.poll(() => phone.pending.unconfirmed).toBe(0)
  await settled()
  const { journal } = peer
  const written: string[] = []
  async function answer(what: string, comes: () => unknown) {
    journal.stanzas.length = 0
    journal.recording = true
    await comes()
    await settled()
    journal.recording = false
    // The token that comes with a message comes when it likes.
    const isAnswer = ({ tag, attrs }: BinaryNode) =>
      (tag === 'ack' && attrs.class !== 'notification') || tag === 'receipt'
    written.push(`# ${what}\n${await readable(journal.stanzas.filter(isAnswer), peer)}`)
  }
  await answer('a message', () => recipient.send('Ada stok?'))
  await answer('a status', () => recipient.postStatusStanza())
  await answer('a status as it came before July 2026', () => recipient.postStatus())
  await answer('a message of a group', () => recipient.postToGroup())
  await answer('a post of a channel', () => recipient.postToChannel())
  await answer('an answer of Meta AI', () => recipient.sendToBot())
  await answer('a stanza that nobody knows', () => recipient.postUnheardOf())
  const copy = { conversation: 'dari ponsel' }
  await answer('a copy, by LID', () => phone.write(RECIPIENT, copy, 'by LID'))
  await answer('a copy, by number', () => phone.write(RECIPIENT, copy, 'by number'))
  await answer('a copy of a prompt to a bot', () => phone.write(RECIPIENT, copy, 'to a bot'))
  await expect(written.join('\n')).toMatchFileSnapshot(recorded('incoming'))
})

describe('a message that is asked for again', () => {
  test('an image, by the phone of the recipient', async () => {
    const { run, message, file, record, recipient } = await linked()
    const image = await message('Ini fotonya', { file: 'https://example.com/f' })
    await run.send(image, await file('image', picture, 'image/jpeg', 'foto.jpg'))
    await recipient.next()
    const again = async () => {
      recipient.askRetry(image.providerMessageId)
      await recipient.next()
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded('retry-image'))
  })

  test.each([
    ['by the phone of the owner', 'retry-own-phone', { byLid: false }],
    ['by the phone of the owner, from its LID, for one that went by number', 'retry-own-phone-lid', { byLid: true }],
  ] as const)('%s', async (_, name, { byLid }) => {
    const { run, message, record, peer } = await linked()
    const text = await message('baca ini')
    await run.send(text)
    const arrived = peer.journal.messages.length + 1
    const again = async () => {
      peer.phone(OWNER).askRetry(text.providerMessageId, byLid)
      await peer.journal.arrived(arrived)
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded(name))
  })

  test('from a LID, for one that went by number', async () => {
    const { run, message, record, recipient } = await linked()
    const text = await message('baca ini')
    await run.send(text)
    await recipient.next()
    const again = async () => {
      recipient.answersFrom = 'lid'
      recipient.askRetry(text.providerMessageId)
      await recipient.next()
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded('retry-lid-for-number'))
  })
})

describe('a message that is deleted for everyone', () => {
  async function withDeletion(account: AccountOptions = {}) {
    const world = await linked(account)
    const device = world.recipient.addDevice({ silently: true })
    const text = await world.message('salah kirim')
    await world.run.send(text)
    const deletionOnWire = await world.record(() => world.run.linked.channel.revoke?.(text) ?? Promise.reject())
    return { ...world, device, id: deletionId(text.providerMessageId), deletionOnWire }
  }

  const arrived = async (device: { next(): Promise<unknown> } | undefined) => {
    // The message and its deletion.
    for (let one = 0; one < 2; one += 1) await device?.next()
  }

  test('the deletion, and its repetition for the phone that could not read it', async () => {
    const { deletionOnWire, id, recipient, record } = await withDeletion()
    await expect(deletionOnWire).toMatchFileSnapshot(recorded('deletion'))
    await arrived(recipient)
    const again = async () => {
      recipient.askRetry(id)
      await recipient.next()
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded('deletion-retry-phone'))
  })

  test('its repetition for another device, by LID', async () => {
    const { id, device, recipient, record } = await withDeletion({ kind: 'migrated' })
    await arrived(recipient.onDevice(device))
    const again = async () => {
      recipient.askRetry(id, device)
      await recipient.onDevice(device)?.next()
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded('deletion-retry-device'))
  })
})

describe('a migrated account', () => {
  test('a text to somebody it never wrote to, by LID', async () => {
    const { run, message, record } = await linked({ kind: 'migrated' })
    const text = await message('Pesanan siap')
    await expect(await record(() => run.send(text), { token: true })).toMatchFileSnapshot(
      recorded('migrated-first-contact'),
    )
  })

  test('is addressed by LID when the library is asked to, all of it in one form', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'migrated', ownDevicesByLid: 'listed' }, OWNER)
    const recipient = peer.recipient(RECIPIENT, { devices: 2 })
    peer.journal.stanzas.length = 0
    peer.journal.recording = true
    const acked = acknowledgement(client, 'LIDFORM')
    await client.socket.relayMessage(
      lid(recipient.lid),
      { extendedTextMessage: { text: 'Pesanan siap' } },
      { messageId: 'LIDFORM', additionalAttributes: { peer_recipient_pn: pn(RECIPIENT) } },
    )
    expect((await acked).attrs).not.toHaveProperty('error')
    const messages = peer.journal.stanzas.filter(({ tag }) => tag === 'message')
    await expect(await readable(messages, peer)).toMatchFileSnapshot(recorded('library-by-lid'))
  })
})

describe('a group', () => {
  async function inGroup() {
    const world = await linked({ kind: 'migrated' })
    const { peer, recipient, message } = world
    recipient.addDevice({ silently: true })
    const group = peer.group('Dapur', { members: [OWNER, RECIPIENT] })
    return { ...world, group, write: (text: string) => message(text, { to: group.jid }) }
  }

  test('the first text to it, and the next one', async () => {
    const { run, record, write } = await inGroup()
    const [first, second] = [await write('Rapat jam 5'), await write('Rapat jam 6')]
    await expect(await record(() => run.send(first))).toMatchFileSnapshot(recorded('group-first'))
    await expect(await record(() => run.send(second))).toMatchFileSnapshot(recorded('group-next'))
  })

  test('an image, and its repetition for a device that could not open it', async () => {
    const { run, record, message, file, group, recipient } = await inGroup()
    const image = await message('Ini fotonya', { to: group.jid, file: 'https://example.com/f' })
    const media = await file('image', picture, 'image/jpeg', 'foto.jpg')
    await run.send(image, media)
    const device = recipient.onDevice(1)
    await device?.next()
    const again = async () => {
      recipient.askRetry(image.providerMessageId, 1)
      await device?.next()
    }
    await expect(await record(again)).toMatchFileSnapshot(recorded('group-retry-image'))
  })
})
