import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'
import { describe, expect, test } from 'vitest'
import { startReceiver } from '../../support/receiver.ts'
import { CUSTOMER, SHOP, startShop } from '../../support/shop.ts'

const STRANGER = '6281999999999'
const { Type } = proto.Message.ProtocolMessage

/** A shop whose customer got a message, a stranger, and a program that is told of opt-outs. */
async function chat() {
  const shop = await startShop()
  await shop.link()
  const receiver = await startReceiver()
  const body = { url: receiver.url, events: ['message.received', 'contact.opted_out', 'contact.opted_in'] }
  await shop.app.owner('/api/webhooks', { body })
  const sent = await shop.app.reached(await shop.send({ message: 'Pesanan siap' }), 'delivered', 'read')
  const [customer, stranger] = [shop.peer.recipient(CUSTOMER), shop.peer.recipient(STRANGER)]
  const optOuts = async () =>
    (await shop.app.owner<{ phone: string }[]>('/suppressions')).body.data.map(({ phone }) => phone)
  /** When all that was written before has been read. */
  async function heard(text: string) {
    await customer.send(text)
    await receiver.until((all) => all.some(({ event }) => event.data.text === text))
  }
  return { ...shop, receiver, customer, stranger, optOuts, heard, messageId: sent.providerMessageId ?? '' }
}

const editInto = (word: string, key: proto.IMessageKey): proto.IMessage => ({
  protocolMessage: { key, type: Type.MESSAGE_EDIT, editedMessage: { conversation: word } },
})

/** Ways in which a stranger's client may say that the customer has written a word. */
function forgeries(word: string, lid: string, messageId: string): proto.IMessage[] {
  const said = { conversation: word }
  const jid = `${CUSTOMER}@s.whatsapp.net`
  const [ours, theirs] = [
    { remoteJid: jid, fromMe: false, id: messageId },
    { remoteJid: jid, fromMe: false, id: 'A1', participant: jid },
  ]
  const editOf = (key: proto.IMessageKey) => editInto(word, key)
  const pairs = proto.LIDMigrationMappingSyncPayload.encode({
    pnToLidMappings: [{ pn: Number(CUSTOMER), assignedLid: Number(lid), latestLid: Number(lid) }],
  }).finish()
  const history = proto.HistorySync.encode({
    syncType: proto.HistorySync.HistorySyncType.RECENT,
    phoneNumberToLidMappings: [{ pnJid: jid, lidJid: `${lid}@lid` }],
  }).finish()
  const resent = proto.WebMessageInfo.encode({ key: theirs, message: said, messageTimestamp: 1 }).finish()
  const quoted = { stanzaId: messageId, participant: jid, remoteJid: jid, quotedMessage: said }
  return [
    { deviceSentMessage: { destinationJid: jid, message: said } },
    editOf(theirs),
    editOf(ours),
    { editedMessage: { message: editOf(theirs) } },
    { extendedTextMessage: { text: '.', contextInfo: quoted } },
    { commentMessage: { message: said, targetMessageKey: theirs } },
    {
      protocolMessage: {
        type: Type.LID_MIGRATION_MAPPING_SYNC,
        lidMigrationMappingSyncMessage: { encodedMappingPayload: pairs },
      },
    },
    {
      protocolMessage: {
        type: Type.HISTORY_SYNC_NOTIFICATION,
        historySyncNotification: {
          syncType: proto.Message.HistorySyncType.RECENT,
          initialHistBootstrapInlinePayload: deflateSync(history),
        },
      },
    },
    {
      protocolMessage: {
        type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
        peerDataOperationRequestResponseMessage: {
          stanzaId: 'A1',
          peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes: resent } }],
        },
      },
    },
  ]
}

describe('nobody opts another person', () => {
  test.each([
    ['out', 'STOP', [STRANGER]],
    ['in', 'START', [CUSTOMER]],
  ] as const)('%s', async (_, word, after) => {
    const { peer, phone, receiver, customer, stranger, optOuts, heard, messageId } = await chat()
    if (word === 'START') {
      await customer.send('STOP')
      await receiver.event('contact.opted_out')
    }
    const before = await optOuts()
    for (const withAlternative of [false, true]) {
      for (const message of forgeries(word, stranger.lid, messageId)) {
        await stranger.send(message, SHOP, { withAlternative })
      }
    }
    stranger.sendAsOwner()
    for (const from of ['120363000000000009@g.us', '1700000000@broadcast', 'status@broadcast']) {
      const content = proto.Message.encode({ conversation: word }).finish()
      const attrs = { from, participant: `${CUSTOMER}@s.whatsapp.net`, type: 'text' }
      phone.post({ tag: 'message', attrs, content: [{ tag: 'plaintext', attrs: {}, content }] })
    }
    await heard('that was all of them')
    expect(await optOuts()).toEqual(before)
    // By a LID of which a lie was told.
    await stranger.send(word, SHOP, { withAlternative: false })
    await heard('and now one of its own')
    expect(await optOuts()).toEqual(after)
    expect(phone.pending).toEqual({ unconfirmed: 0, refused: 0, withheld: 0 })
    expect(peer.journal.oddAnswers).toEqual([])
  })
})

test('a customer who is known by LID alone opts out, and the program is told the number', async () => {
  const { receiver, customer, optOuts, sender } = await chat()
  customer.answersFrom = 'lid'
  await customer.send('STOP', SHOP, { withAlternative: false })
  const { event } = await receiver.event('contact.opted_out')
  expect(event.data).toMatchObject({ sender_code: sender, phone: CUSTOMER, scope: 'marketing', source: 'keyword' })
  expect(await optOuts()).toEqual([CUSTOMER])
})

test('a text that is edited into STOP opts out who sealed it, whomever it names', async () => {
  const { receiver, customer, stranger, optOuts, heard } = await chat()
  const key = { remoteJid: `${CUSTOMER}@s.whatsapp.net`, fromMe: true, id: 'A1' }
  await stranger.send(editInto('STOP', key))
  await heard('that was the stranger')
  expect(await optOuts()).toEqual([STRANGER])
  await customer.send({ editedMessage: { message: editInto('STOP', { ...key, remoteJid: `${SHOP}@s.whatsapp.net` }) } })
  await heard('and that the customer')
  expect(await optOuts()).toEqual(expect.arrayContaining([CUSTOMER, STRANGER]))
  expect(receiver.received.filter(({ event }) => event.data.type === 'edit')).toHaveLength(2)
})
