import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:https'
import {
  type AnyMessageContent,
  type AuthenticationState,
  Curve,
  generateSignalPubKey,
  type UserFacingSocketConfig,
  type WAMessage,
  type WAMessageUpdate,
} from 'baileys'
import { verifySignature } from 'libsignal/src/curve.js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect, memoryAuth } from '../../support/plain-client.ts'
import { type Phone, startWhatsAppPeer, type WhatsAppPeer } from '../../support/whatsapp-peer/index.ts'
import { type PeerProcess, startPeerProcess } from '../../support/whatsapp-peer/process.ts'

const OWNER = '6281111111111'
let peer: WhatsAppPeer
let clients: Client[] = []
let numbers = 0

/** Nobody has written to this number before. */
const stranger = () => `62812${String(1_000_000 + numbers++)}`
const jid = (number: string) => `${number}@s.whatsapp.net`

function client(auth?: AuthenticationState, config?: Partial<UserFacingSocketConfig>): Client {
  const made = connect(peer, auth, config)
  clients.push(made)
  return made
}

async function link(phone: Phone): Promise<AuthenticationState> {
  const linking = client()
  await phone.scan(await linking.qr())
  expect((await linking.closed).code).toBe(515)
  return linking.auth
}

async function online(auth: AuthenticationState, config?: Partial<UserFacingSocketConfig>): Promise<Client> {
  const made = client(auth, config)
  await made.open
  return made
}

async function send({ socket }: Client, to: string, content: AnyMessageContent, id?: string) {
  const sent = await socket.sendMessage(jid(to), content, id === undefined ? {} : { messageId: id })
  return String(sent?.key.id)
}

const text = (client: Client, to: string, body: string, id?: string) => send(client, to, { text: body }, id)

function statusOf({ socket }: Client, id: string, status: number) {
  return new Promise<WAMessageUpdate>((resolve) => {
    socket.ev.on('messages.update', (updates) => {
      const update = updates.find(({ key, update }) => key.id === id && update.status === status)
      if (update) resolve(update)
    })
  })
}

beforeAll(async () => {
  peer = await startWhatsAppPeer()
})
afterEach(async () => {
  peer.faults.answerAgain()
  peer.faults.acknowledge('now')
  peer.faults.refuseUpgrade = undefined
  peer.faults.refuseLogin = undefined
  await Promise.all(clients.map(({ socket }) => socket.end(undefined)))
  clients = []
  expect(peer.journal.unanswered).toEqual([])
})
afterAll(() => peer.close())

describe('linking', () => {
  test('by QR code, of which the client shows several', async () => {
    const phone = peer.phone('6281000000001', { name: 'Toko Melati' })
    const linking = client(memoryAuth(), { qrTimeout: 50 })
    const [first, second] = [await linking.qr(0), await linking.qr(1)]
    expect(second).not.toBe(first)
    await phone.scan(second)
    expect((await linking.closed).code).toBe(515)
    const { socket } = await online(linking.auth)
    expect(socket.user).toMatchObject({
      id: '6281000000001:1@s.whatsapp.net',
      lid: `${phone.lid}:1@lid`,
      name: 'Toko Melati',
    })
  })

  test('by pairing code; another code is refused', async () => {
    // The library writes a nonce that WhatsApp's own clients do not.
    const phone = peer.phone('6281000000002', { kind: 'lenient 2024' })
    const linking = client()
    await linking.qr()
    const code = await linking.socket.requestPairingCode(phone.number)
    await phone.enterCode(`${code.slice(0, 4)}-${code.slice(4)}`)
    expect((await linking.closed).code).toBe(515)
    await online(linking.auth)

    const other = client()
    await other.qr()
    await other.socket.requestPairingCode(phone.number, 'AAAA1111')
    await expect(phone.enterCode('BBBB2222')).rejects.toThrow('the pairing code is another one')
  })

  test('a QR code dies with its connection, and its codes are used up after a while', async () => {
    const linking = client(memoryAuth(), { qrTimeout: 10 })
    const shown = await linking.qr()
    expect((await linking.closed).code).toBe(408)
    await expect(peer.phone('6281000000003').scan(shown)).rejects.toThrow('expired')
  })

  test('several numbers at the same time', async () => {
    const owners = ['6281000000011', '6281000000012', '6281000000013']
    const senders = await Promise.all(owners.map(async (number) => online(await link(peer.phone(number)))))
    const recipient = peer.recipient(stranger())
    await Promise.all(senders.map((sender, index) => text(sender, recipient.number, `from ${owners[index]}`)))
    const got = [await recipient.next(), await recipient.next(), await recipient.next()]
    expect(got.map(({ text, from }) => text === `from ${from}`)).toEqual([true, true, true])
    expect(new Set(got.map(({ from }) => from))).toEqual(new Set(owners))
  })
})

describe('a linked number', () => {
  let phone: Phone
  let auth: AuthenticationState
  beforeAll(async () => {
    phone = peer.phone(OWNER)
    auth = await link(phone)
  })

  test.each(['halo', '😀👩‍👩‍👧 مرحبا بالعالم \u0000 ñ', 'é'.repeat(65_536)])(
    'sends text exactly: %.20s',
    async (body) => {
      const recipient = peer.recipient(stranger())
      await text(await online(auth), recipient.number, body)
      expect(await recipient.next()).toMatchObject({ type: 'text', text: body, from: OWNER })
    },
  )

  const file = randomBytes(100_003)
  test.each<[string, AnyMessageContent, object]>([
    ['image', { image: file, caption: 'gambar', jpegThumbnail: '' }, { text: 'gambar' }],
    ['video', { video: file, caption: 'klip', jpegThumbnail: '' }, { text: 'klip' }],
    ['audio', { audio: file, mimetype: 'audio/ogg; codecs=opus', seconds: 3, ptt: true }, {}],
    [
      'document',
      { document: file, mimetype: 'application/pdf', fileName: 'nota.pdf', caption: 'nota' },
      { text: 'nota' },
    ],
  ])('sends media byte for byte: %s', async (type, content, expected) => {
    const recipient = peer.recipient(stranger())
    await send(await online(auth), recipient.number, content)
    const message = await recipient.next()
    expect(message).toMatchObject({ type, ...expected })
    expect(message.media?.bytes.equals(file)).toBe(true)
    if (type === 'document') expect(message.media).toMatchObject({ fileName: 'nota.pdf', mimetype: 'application/pdf' })
    if (type === 'audio') expect(message.media).toMatchObject({ ptt: true })
  })

  test('reaches every device of the recipient', async () => {
    const recipient = peer.recipient(stranger(), { devices: 3 })
    await text(await online(auth), recipient.number, 'to all')
    for (const device of [0, 1, 2]) expect((await recipient.onDevice(device)?.next())?.text).toBe('to all')
  })

  test('learns who is on WhatsApp', async () => {
    const [there, missing] = [stranger(), stranger()]
    peer.unknownNumber(missing)
    const { socket } = await online(auth)
    expect(await socket.onWhatsApp(there)).toEqual([{ jid: jid(there), exists: true }])
    expect(await socket.onWhatsApp(missing)).toEqual([])
    peer.faults.neverAnswer('usync usync')
    const impatient = await online(auth, { defaultQueryTimeoutMs: 100 })
    expect(await impatient.socket.onWhatsApp(there)).toBeUndefined()
  })

  test.each(['number', 'lid'] as const)('hears that a message was delivered and read, from the %s', async (address) => {
    const recipient = peer.recipient(stranger())
    recipient.receipts = 'deliver'
    recipient.answersFrom = address
    const sender = await online(auth)
    const id = `RECEIPTS ${address}`
    const delivered = statusOf(sender, id, 3)
    await text(sender, recipient.number, 'hi', id)
    const from = address === 'lid' ? `${recipient.lid}@lid` : jid(recipient.number)
    expect((await delivered).key).toMatchObject({ remoteJid: from, fromMe: true })
    const read = statusOf(sender, id, 4)
    recipient.read(id)
    await read
  })

  test('gets the receipts that it missed at its next login', async () => {
    const recipient = peer.recipient(stranger())
    recipient.receipts = 'none'
    const before = await online(auth)
    const id = await text(before, recipient.number, 'hi')
    await recipient.next()
    await before.socket.end(undefined)
    recipient.deliver(id)
    const after = client(auth)
    await statusOf(after, id, 3)
  })

  test('hears an inbound message and answers it in the same session', async () => {
    const recipient = peer.recipient(stranger(), { name: 'Budi' })
    const sender = await online(auth)
    await text(sender, recipient.number, 'ping')
    await recipient.next()
    const upsert = new Promise<WAMessage[]>((resolve) =>
      sender.socket.ev.on('messages.upsert', ({ messages }) => resolve(messages)),
    )
    const id = await recipient.send('pong', OWNER)
    expect((await upsert)[0]).toMatchObject({ key: { id }, message: { conversation: 'pong' }, pushName: 'Budi' })
    await text(sender, recipient.number, 'again')
    expect((await recipient.next()).text).toBe('again')
  })

  test('writes to another linked number, whose client hears it too', async () => {
    const other = peer.phone('6281000000031', { history: 'withheld' })
    const reader = await online(await link(other))
    const heard = new Promise<WAMessage[]>((resolve) =>
      reader.socket.ev.on('messages.upsert', ({ messages }) => resolve(messages)),
    )
    await text(await online(auth), other.number, 'to a client')
    expect((await heard)[0]?.message).toMatchObject({ extendedTextMessage: { text: 'to a client' } })
    expect((await peer.recipient(other.number).next()).text).toBe('to a client')
  })

  test('sends a message again when its reader asks, also after a restart', async () => {
    const recipient = peer.recipient(stranger())
    const sender = await online(auth)
    const id = await text(sender, recipient.number, 'once more')
    await recipient.next()
    recipient.askRetry(id)
    expect(await recipient.next()).toMatchObject({ id, text: 'once more' })
    await sender.socket.end(undefined)

    await online(auth, { getMessage: async () => ({ conversation: 'once more' }) })
    recipient.askRetry(id)
    expect(await recipient.next()).toMatchObject({ id, text: 'once more' })
    expect(peer.journal.messages.filter((entry) => entry.id === id).map((entry) => entry.askedFor)).toEqual([
      false,
      true,
      true,
    ])
  })

  test('sends again what a newly installed WhatsApp cannot read', async () => {
    const recipient = peer.recipient(stranger())
    const sender = await online(auth)
    await text(sender, recipient.number, 'before')
    await recipient.next()
    recipient.reinstall()
    const id = await text(sender, recipient.number, 'after')
    expect(await recipient.next()).toMatchObject({ id, text: 'after' })
    expect(recipient.unreadable).toMatchObject([{ id }])
  })

  describe('and faults', () => {
    test('an error in the acknowledgement', async () => {
      const recipient = peer.recipient(stranger())
      peer.faults.acknowledge({ error: '463' }, { to: recipient.number, next: 1 })
      const sender = await online(auth)
      const refused = sender.acknowledged('REFUSED')
      const failed = statusOf(sender, 'REFUSED', 0)
      await text(sender, recipient.number, 'refused', 'REFUSED')
      expect(await refused).toBe('463')
      expect((await failed).update.messageStubParameters?.[0]).toBe('463')
      const accepted = sender.acknowledged('ACCEPTED')
      await text(sender, recipient.number, 'accepted', 'ACCEPTED')
      expect(await accepted).toBeUndefined()
      expect((await recipient.next()).text).toBe('accepted')
    })

    test('late and missing acknowledgements', async () => {
      const recipient = peer.recipient(stranger())
      peer.faults.acknowledge('late', { to: recipient.number, next: 1 })
      const sender = await online(auth)
      const late = sender.acknowledged('LATE')
      await text(sender, recipient.number, 'late', 'LATE')
      await recipient.next()
      expect(peer.journal.messages.at(-1)).toMatchObject({ id: 'LATE', acked: false, delivered: true })
      expect(peer.faults.release()).toBe(1)
      expect(await late).toBeUndefined()

      peer.faults.acknowledge('never', { to: recipient.number })
      await text(sender, recipient.number, 'never', 'NEVER')
      expect((await recipient.next()).text).toBe('never')
      expect(peer.journal.messages.at(-1)).toMatchObject({ id: 'NEVER', acked: false, delivered: true })
    })

    test.each([
      ['cut before', { acked: false, delivered: true }],
      ['cut after', { acked: true, delivered: true }],
      ['lost', { acked: false, delivered: false }],
    ] as const)('the connection drops around the acknowledgement: %s', async (how, entry) => {
      const recipient = peer.recipient(stranger())
      const sender = await online(auth)
      const id = `DROP ${how}`
      let acknowledged = false
      void sender.acknowledged(id).then(() => (acknowledged = true))
      peer.faults.acknowledge(how, { next: 1 })
      await text(sender, recipient.number, how, id)
      expect((await sender.closed).code).toBe(428)
      expect(acknowledged).toBe(entry.acked)
      expect(peer.journal.messages.at(-1)).toMatchObject({ id, ...entry })

      // The receipt of what did arrive waits for the next login; the session goes on.
      const again = client(auth)
      if (entry.delivered) await statusOf(again, id, 4)
      else await again.open
      await text(again, recipient.number, 'next')
      const expected = entry.delivered ? [how, 'next'] : ['next']
      for (const body of expected) expect((await recipient.next()).text).toBe(body)
    })

    test('a frozen link', async () => {
      const recipient = peer.recipient(stranger())
      const sender = await online(auth)
      await text(sender, recipient.number, 'before')
      await recipient.next()
      const { length } = peer.journal.messages
      const acknowledged = sender.acknowledged('FROZEN')
      peer.faults.freeze()
      await text(sender, recipient.number, 'frozen', 'FROZEN')
      expect(peer.journal.messages).toHaveLength(length)
      peer.faults.thaw()
      await acknowledged
      expect((await recipient.next()).text).toBe('frozen')
    })

    test.each([403, 405, 408, 411, 428, 440, 500, 503, 515])('the server closes with %i', async (code) => {
      const sender = await online(auth)
      phone.disconnect(code)
      expect((await sender.closed).code).toBe(code)
      expect(phone.isLinked).toBe(true)
    })

    test.each([403, 405, 503])('a login is refused with %i', async (code) => {
      peer.faults.refuseLogin = ({ number }) => (number === OWNER ? code : undefined)
      expect((await client(auth).closed).code).toBe(code)
    })

    test('the upgrade is refused', async () => {
      peer.faults.refuseUpgrade = 503
      const { socket } = client(auth)
      const [, response] = (await once(socket.ws, 'unexpected-response')) as [unknown, { statusCode: number }]
      expect(response.statusCode).toBe(503)
    })

    test('keys are never given out', async () => {
      peer.faults.neverAnswer('encrypt key')
      const sender = await online(auth, { defaultQueryTimeoutMs: 1_000 })
      await expect(text(sender, stranger(), 'hi')).rejects.toThrow('All encryptions failed')
    })

    test('uploads of media are refused', async () => {
      peer.refuseMedia(500)
      const sender = await online(auth)
      await expect(send(sender, stranger(), { image: file, jpegThumbnail: '' })).rejects.toThrow('upload failed')
      peer.refuseMedia()
    })

    test.each(['forged', 'borrowed'] as const)('the certificate is %s', async (presents) => {
      peer.present(presents)
      const verified: boolean[] = []
      const { verify } = Curve
      // As the library ships it, every signature passes; libsignal reports a false one by its answer, not by throwing.
      Curve.verify = (key, message, signature) => {
        verified.push(verifySignature(generateSignalPubKey(key), message, signature))
        return true
      }
      await online(auth).finally(() => {
        Curve.verify = verify
        peer.present('genuine')
      })
      expect(verified).toEqual(presents === 'forged' ? [true, false] : [true, true])
    })

    test('the same device connects twice', async () => {
      const first = await online(auth)
      await online(auth)
      expect((await first.closed).code).toBe(440)
    })

    test('the peer restarts and the session goes on', async () => {
      const recipient = peer.recipient(stranger())
      const before = await online(auth)
      await text(before, recipient.number, 'before')
      await recipient.next()
      await peer.stop()
      expect((await before.closed).code).toBe(428)
      expect((await client(auth).closed).code).toBe(408)
      await peer.start()
      await text(await online(auth), recipient.number, 'after')
      expect((await recipient.next()).text).toBe('after')
    })
  })
})

test('the owner unlinks the device, and links it again as another one', async () => {
  const phone = peer.phone('6281000000021')
  const auth = await link(phone)
  const sender = await online(auth)
  phone.unlink()
  expect(await sender.closed).toMatchObject({ code: 401, data: { attrs: { type: 'device_removed' } } })
  expect((await client(auth).closed).code).toBe(401)
  const again = await online(await link(phone))
  expect(again.socket.user?.id).toBe('6281000000021:2@s.whatsapp.net')
})

test('the client logs out', async () => {
  const phone = peer.phone('6281000000022')
  const sender = await online(await link(phone))
  await sender.socket.logout()
  expect((await sender.closed).code).toBe(401)
  await expect.poll(() => phone.isLinked).toBe(false)
})

describe('in a process of its own', () => {
  let far: PeerProcess
  beforeAll(async () => {
    far = await startPeerProcess()
  })
  afterAll(() => far.close())

  test('the peer does the same', async () => {
    const linking = connect({ ...far, mediaAgent: new Agent({ ca: far.mediaCa }) })
    const qr = await linking.qr()
    await far.call('scan', OWNER, qr)
    await linking.closed
    const sender = connect({ ...far, mediaAgent: new Agent({ ca: far.mediaCa }) }, linking.auth)
    clients.push(sender)
    await sender.open
    const to = stranger()
    await text(sender, to, 'over there')
    await far.call('arrived', 1)
    expect(await far.call('messages', to)).toMatchObject([{ text: 'over there', from: OWNER }])
    expect(await far.call('journal')).toMatchObject([{ to, acked: true }])
    await expect(far.call('scan', OWNER, qr)).rejects.toThrow('expired')
  })
})
