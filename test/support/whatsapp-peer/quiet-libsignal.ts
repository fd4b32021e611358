import { SessionCipher, SessionRecord } from 'libsignal'

interface Session {
  indexInfo: { closed: number; used: number }
}
interface Decrypting {
  doDecryptWhisperMessage(data: Buffer, session: Session): Promise<Buffer>
}

/**
 * libsignal prints whole sessions, private keys included, when it closes or opens one, and a page of errors when
 * a message does not fit: straight to the console. These do the same work without the printing.
 */
Object.assign(SessionRecord.prototype, {
  closeSession(session: Session) {
    if (session.indexInfo.closed === -1) session.indexInfo.closed = Date.now()
  },
  openSession(session: Session) {
    session.indexInfo.closed = -1
  },
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
    // The original hides this one; it alone tells a repetition from a message for another session.
    const repeated = errors.find((error) => error instanceof Error && error.name === 'MessageCounterError')
    throw repeated ?? new Error('no session fits the message', { cause: errors })
  },
})
