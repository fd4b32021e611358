import { SessionBuilder, SessionCipher, SessionRecord } from 'libsignal'

interface Session {
  indexInfo: { closed: number; used: number }
}
interface Sessions {
  getOpenSession(): Session | undefined
  getSession(baseKey: Buffer): Session | undefined
  closeSession(session: Session): void
}
interface Building {
  initIncoming(sessions: Sessions, message: { baseKey: Buffer; preKeyId: number }): Promise<number | undefined>
  storage: { loadPreKey(id: number): Promise<unknown> }
}
interface Decrypting {
  doDecryptWhisperMessage(data: Buffer, session: Session): Promise<Buffer>
}

/**
 * libsignal prints whole sessions, private keys included, when it opens or closes one, and a page
 * of errors for a message that does not fit. These replacements do the same work without printing.
 */
Object.assign(SessionRecord.prototype, {
  closeSession(session: Session) {
    if (session.indexInfo.closed === -1) session.indexInfo.closed = Date.now()
  },
  openSession(session: Session) {
    session.indexInfo.closed = -1
  },
  // The original prints each session beyond forty closed ones. These phones do not live long enough
  // to need this.
  removeOldSessions() {},
})

Object.assign(SessionCipher.prototype, {
  async decryptWithSessions(this: Decrypting, data: Buffer, sessions: Session[]) {
    const errors: unknown[] = []
    for (const session of sessions) {
      try {
        const plaintext = await this.doDecryptWhisperMessage(data, session)
        session.indexInfo.used = Date.now()
        return { session, plaintext }
      } catch (error) {
        errors.push(error)
      }
    }
    // The original hides this error, which alone tells a repetition from a message of another
    // session.
    const repeated = errors.find((error) => error instanceof Error && error.name === 'MessageCounterError')
    throw repeated ?? new Error('no session fits the message', { cause: errors })
  },
})

const { initIncoming } = SessionBuilder.prototype as unknown as Building
Object.assign(SessionBuilder.prototype, {
  async initIncoming(this: Building, sessions: Sessions, message: Parameters<typeof initIncoming>[1]) {
    // Closing the session beforehand leaves nothing to print. A message with an unknown key must
    // leave
    // the session open.
    const open = sessions.getOpenSession()
    if (open && !sessions.getSession(message.baseKey) && (await this.storage.loadPreKey(message.preKeyId))) {
      sessions.closeSession(open)
    }
    return initIncoming.call(this, sessions, message)
  },
})
