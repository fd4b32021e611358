import { randomBytes } from 'node:crypto'
import {
  type AuthenticationCreds,
  aesEncryptCTR,
  type BinaryNode,
  Browsers,
  buildPairingQRData,
  bytesToCrockford,
  derivePairingCodeKey,
  getCompanionPlatformId,
  jidEncode,
  S_WHATSAPP_NET,
  type WABrowserDescription,
  type WASocket,
} from 'baileys'
import type { LinkingView, LinkRequest } from '../../../contract/linking.ts'
import { type Clock, isoTime, MINUTE, SECOND } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { takeOver } from '../library/library-socket.ts'
import { childrenOf } from '../library/stanzas.ts'

// WhatsApp's numbers: the first QR code is valid for a minute, each of the five others for 20 s,
// and a pairing code for as long as all of them together.
const FIRST_QR_FOR = MINUTE
const OTHER_QR_FOR = 20 * SECOND
const PAIRING_CODE_FOR = FIRST_QR_FOR + 5 * OTHER_QR_FOR

export const noCode = ({ method }: LinkRequest): LinkingView => ({
  method,
  qr: null,
  pairing_code: null,
  expires_at: null,
  reason: null,
  reason_detail: null,
  passkey: null,
  passkey_code: null,
  version_unread: false,
})

interface CodeHooks {
  show(linking: LinkingView): void
  /** Called when the last QR code has expired. */
  onRunOut(): void
  onFailure(error: unknown): void
}

/**
 * Shows the codes with which one connection can be linked.
 * @param qrTimeout how long each QR code is shown, in milliseconds; undefined: as long as it is
 *   valid
 */
export function createCodes(
  asked: LinkRequest,
  clock: Clock,
  qrTimeout: number | undefined,
  { show, onRunOut, onFailure }: CodeHooks,
) {
  let shown = 0
  let cancel = (): void => {}

  async function showPairingCode(sock: WASocket, phone: string): Promise<void> {
    try {
      const pairing_code = await requestPairingCode(sock, phone.replace(/\D/g, ''))
      show({ ...noCode(asked), pairing_code, expires_at: isoTime(clock.now() + PAIRING_CODE_FOR) })
    } catch (error) {
      onFailure(error)
    }
  }

  function showNext(sock: WASocket, codes: string[]): void {
    const [qr, ...rest] = codes
    if (qr === undefined) {
      onRunOut()
      return
    }
    shown += 1
    const lives = qrTimeout ?? (shown === 1 ? FIRST_QR_FOR : OTHER_QR_FOR)
    cancel = clock.after(lives, () => showNext(sock, rest))
    if (asked.method === 'qr') show({ ...noCode(asked), qr, expires_at: isoTime(clock.now() + lives) })
    else if (shown === 1) void showPairingCode(sock, asked.phone)
  }

  return {
    shown: (): boolean => shown > 0,
    /**
     * Call when WhatsApp is ready for the phone: it sends QR codes, even if the owner wants a
     * pairing code.
     */
    begin(sock: WASocket, codes: string[]): void {
      cancel()
      showNext(sock, codes)
    },
    stop: (): void => cancel(),
  }
}

/** Client name for a pairing code: WhatsApp accepts these only with a system name that it knows. */
export const PAIRING_BROWSER = Browsers.macOS('Chrome')

/** A single zero byte, as WhatsApp Web, whatsmeow and whatsapp-rust (d394551e) send it. */
const NONCE = Buffer.from([0])

const part = (name: string, content: Uint8Array | string): BinaryNode => ({ tag: name, attrs: {}, content })

/**
 * Announces a pairing code for a phone's number, and resolves with it once WhatsApp took it. The
 * library's own announcement would send the text "0" as nonce, which no other client does.
 */
async function requestPairingCode(sock: WASocket, phone: string): Promise<string> {
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
  await sock.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' }, content: [announcement] })
  return code
}

const PAIR_DEVICE = 'CB:iq,type:set,pair-device'

/**
 * Answers `pair-device` in place of the library, whose own timer would end the connection when its
 * codes have expired, even in the middle of a passkey ceremony.
 */
export function answerPairDevice(
  sock: WASocket,
  creds: AuthenticationCreds,
  browser: WABrowserDescription,
  logger: Logger,
  onCodes: (codes: string[]) => void,
): void {
  takeOver<BinaryNode>(sock, PAIR_DEVICE, (node) => {
    sock
      .sendNode({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'result', id: node.attrs.id ?? '' } })
      .catch((err: unknown) => logger.debug({ err }, 'WhatsApp could not be told that codes are shown'))
    const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    )
    const [noise = '', identity = ''] = keys
    onCodes(refsIn(node).map((ref) => buildPairingQRData(ref, noise, identity, creds.advSecretKey, browser)))
  })
}

const refsIn = (node: BinaryNode): string[] =>
  childrenOf(childrenOf(node)[0], 'ref').flatMap(({ content }) =>
    content instanceof Uint8Array ? [`${Buffer.from(content)}`] : [],
  )
