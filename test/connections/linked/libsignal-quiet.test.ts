import { SessionRecord } from 'libsignal'
import { afterEach, expect, test, vi } from 'vitest'
import { quietLibsignal } from '../../../server/connections/linked/library/corrections.ts'

// Without the peer, which makes libsignal quiet in a way of its own.
const print = vi.spyOn(console, 'info').mockImplementation(() => undefined)
afterEach(() => print.mockClear())

/** What its types leave out. */
interface Records {
  new (): { closeSession(session: object): void }
  createEntry(): { indexInfo?: object }
}

function closeSession() {
  const Records = SessionRecord as unknown as Records
  const session = Records.createEntry()
  session.indexInfo = { closed: -1 }
  new Records().closeSession(session)
  return session
}

test('libsignal prints sessions with their private keys', () => {
  const session = closeSession()
  expect(print).toHaveBeenCalledWith('Closing session:', session)
})

test('and does not when it is made quiet; others still print', () => {
  quietLibsignal()
  closeSession()
  expect(print).not.toHaveBeenCalled()
  console.info('Closing the shop')
  expect(print).toHaveBeenCalledWith('Closing the shop')
})
