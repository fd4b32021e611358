import { createHash } from 'node:crypto'
import { jidDecode } from 'baileys'

/**
 * Returns the hash of a list of devices, as in acknowledgements: `2:` and the first six bytes of a
 * SHA-256 in base64.
 */
export function participantHash(jids: readonly string[]): string {
  const names = jids.map((jid) => {
    const { user, device = 0, server } = jidDecode(jid) ?? { user: '', server: '' }
    return `${user}.0:${device}@${server}`
  })
  const digest = createHash('sha256').update(names.sort().join('')).digest()
  return `2:${digest.subarray(0, 6).toString('base64').replaceAll('=', '')}`
}
