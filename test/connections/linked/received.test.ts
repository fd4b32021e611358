import { expect, test } from 'vitest'
import { LONGEST_ID } from '../../../server/connections/linked/library/bounds.ts'
import { readReceived } from '../../../server/connections/linked/receiving/recording.ts'

const CHAT = '6281234567890@s.whatsapp.net'
const read = (id: string, messageTimestamp: number, stanzaId = '') =>
  readReceived({
    key: { remoteJid: CHAT, id, fromMe: false },
    message: { extendedTextMessage: { text: 'halo', contextInfo: { stanzaId } } },
    messageTimestamp,
  })

test.each([
  [1_790_000_000, 1_790_000_000_000],
  [1e300, 0],
  [Number.POSITIVE_INFINITY, 0],
  [Number.NaN, 0],
  [-1, 0],
])('a message of %d seconds occurred at %d', (seconds, at) => {
  expect(read('A', seconds)?.occurredAt).toBe(at)
})

test('an id that no client makes is none', () => {
  const long = 'A'.repeat(LONGEST_ID)
  expect(read(long, 1, long)).toMatchObject({ id: long, replyTo: long })
  expect(read(`${long}A`, 1, `${long}A`)).toMatchObject({ id: null, replyTo: null, text: 'halo' })
})
