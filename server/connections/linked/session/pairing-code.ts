import { randomBytes } from 'node:crypto'
import {
  aesEncryptCTR,
  type BinaryNode,
  Browsers,
  bytesToCrockford,
  derivePairingCodeKey,
  getCompanionPlatformId,
  jidEncode,
  S_WHATSAPP_NET,
  type WASocket,
} from 'baileys'

/** WhatsApp takes pairing codes only from names of systems that it knows. */
export const PAIRING_BROWSER = Browsers.macOS('Chrome')

/** One byte of zero, as WhatsApp Web, whatsmeow and whatsapp-rust (d394551e) write it. */
const NONCE = Buffer.from([0])

const part = (name: string, content: Uint8Array | string): BinaryNode => ({ tag: name, attrs: {}, content })

/**
 * Announces a pairing code for a phone's number, and gives it. The library's own announcement has
 * the text "0" for the nonce: nobody else writes that.
 */
export async function requestPairingCode(sock: WASocket, phone: string): Promise<string> {
  const { creds } = sock.authState
  const code = bytesToCrockford(randomBytes(5))
  const jid = jidEncode(phone, 's.whatsapp.net')
  creds.pairingCode = code
  creds.me = { id: jid, name: '~' }
  sock.ev.emit('creds.update', creds)
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const key = await derivePairingCodeKey(code, salt)
  const wrapped = aesEncryptCTR(creds.pairingEphemeralKeyPair.public, key, iv)
  const [system, browser] = PAIRING_BROWSER
  const announcement: BinaryNode = {
    tag: 'link_code_companion_reg',
    attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
    content: [
      part('link_code_pairing_wrapped_companion_ephemeral_pub', Buffer.concat([salt, iv, wrapped])),
      part('companion_server_auth_key_pub', creds.noiseKey.public),
      part('companion_platform_id', getCompanionPlatformId(PAIRING_BROWSER)),
      part('companion_platform_display', `${browser} (${system})`),
      part('link_code_pairing_nonce', NONCE),
    ],
  }
  await sock.sendNode({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', id: sock.generateMessageTag(), xmlns: 'md' },
    content: [announcement],
  })
  return code
}
