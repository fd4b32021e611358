import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { BinaryNode } from 'baileys'
import { type Contact, jidOf } from './directory.ts'
import { child, seconds, stanza } from './stanza.ts'

const BUCKET = 7 * 24 * 3600
const BUCKETS = 4
const bucketOf = (t: number) => Math.floor(t / BUCKET)

/**
 * A token is valid until the end of the fourth seven-day bucket. Times in milliseconds since 1970.
 */
const hasExpired = (at: number, now: number) => bucketOf(now / 1000) - bucketOf(at / 1000) >= BUCKETS

/**
 * Issues a token to an account, as WhatsApp's clients do after writing to it: once per bucket,
 * unless `again`. All clients of the account are notified.
 */
export function issueToken(from: Contact, to: Contact, now: number, { again = false } = {}): void {
  const { account, companions } = to
  const known = account.tokens.get(from)
  if (!again && known !== undefined && bucketOf(known.at / 1000) === bucketOf(now / 1000)) return
  const bytes = randomBytes(11)
  account.tokens.set(from, { bytes, at: now })
  for (const { outbox, device } of companions) {
    outbox.post(
      stanza(
        'notification',
        {
          id: randomUUID(),
          from: jidOf(from, false),
          sender_lid: jidOf(from, true),
          type: 'privacy_token',
          t: seconds(now),
        },
        [
          stanza('tokens', {}, [
            // The jid names the client, not the sender.
            stanza('token', { type: 'trusted_contact', t: seconds(now), jid: jidOf(to, true, device) }, bytes),
          ]),
        ],
      ),
    )
  }
}

export type TokenCheck = 'valid' | 'cstoken' | 'none' | 'malformed'

const bytesOf = (node: BinaryNode): Buffer | undefined =>
  node.content instanceof Uint8Array ? Buffer.from(node.content) : undefined
const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

/**
 * Checks the token with which a message shows that its recipient trusts the sender. A tctoken that
 * is expired or not the recipient's counts as none. Malformed: attributes, both kinds at once, or a
 * cstoken that the salt did not produce.
 */
export function checkToken(message: BinaryNode, sender: Contact, recipient: Contact, now: number): TokenCheck {
  const { account } = sender
  const [tctoken, cstoken] = [child(message, 'tctoken'), child(message, 'cstoken')]
  const given = tctoken ?? cstoken
  if (given === undefined) return 'none'
  const bytes = bytesOf(given)
  if ((tctoken && cstoken) || bytes === undefined || Object.keys(given.attrs).length > 0) return 'malformed'
  if (tctoken) {
    const issued = account.tokens.get(recipient)
    return issued && isSame(bytes, issued.bytes) && !hasExpired(issued.at, now) ? 'valid' : 'none'
  }
  if (account.salt === undefined) return 'malformed'
  const expected = createHmac('sha256', account.salt).update(jidOf(recipient, true)).digest()
  return isSame(bytes, expected) ? 'cstoken' : 'malformed'
}
