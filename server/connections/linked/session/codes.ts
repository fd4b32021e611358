import type { WASocket } from 'baileys'
import type { PasskeyView } from '../../../contract/passkey.ts'
import type { LinkingReason, LinkRequest } from '../../../contract/senders.ts'
import type { Clock } from '../../../lib/clock.ts'
import { MINUTE, SECOND } from '../../../lib/time.ts'
import { requestPairingCode } from './pairing-code.ts'

export interface Linking {
  method: 'qr' | 'code'
  /** The raw string to encode. */
  qr: string | null
  pairing_code: string | null
  /** Milliseconds since 1970. */
  expires_at: number | null
  /** Why there is no code; WhatsApp's own code for it. */
  reason: LinkingReason | null
  reason_detail: string | null
  /** `until` in milliseconds since 1970. */
  passkey: (Pick<PasskeyView, 'options' | 'step'> & { until: number }) | null
  passkey_code: string | null
  version_unread: boolean
}

// WhatsApp's: the first QR code lives for a minute, the five others for 20 s; a pairing code as
// long as all of them.
const FIRST_QR_FOR = MINUTE
const OTHER_QR_FOR = 20 * SECOND
const PAIRING_CODE_FOR = FIRST_QR_FOR + 5 * OTHER_QR_FOR

export const noCode = ({ method }: LinkRequest): Linking => ({
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

export interface CodesDeps {
  asked: LinkRequest
  clock: Clock
  /** When codes live shorter than WhatsApp's. */
  qrTimeout: number | undefined
  show(linking: Linking): void
  /** The last one has run out. */
  onRunOut(): void
  onFailure(error: unknown): void
}

/** The codes of one connection that wants to be linked. */
export function createCodes({ asked, clock, qrTimeout, show, onRunOut, onFailure }: CodesDeps) {
  let shown = 0
  let cancel = (): void => {}

  async function showPairingCode(sock: WASocket, phone: string): Promise<void> {
    try {
      const pairing_code = await requestPairingCode(sock, phone.replace(/\D/g, ''))
      show({ ...noCode(asked), pairing_code, expires_at: clock.now() + PAIRING_CODE_FOR })
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
    if (asked.method === 'qr') show({ ...noCode(asked), qr, expires_at: clock.now() + lives })
    else if (shown === 1) void showPairingCode(sock, asked.phone)
  }

  return {
    shown: (): boolean => shown > 0,
    /** WhatsApp is ready for the phone, and gives QR codes, wanted or not. */
    begin(sock: WASocket, codes: string[]): void {
      cancel()
      showNext(sock, codes)
    },
    /** None follows. */
    stop: (): void => cancel(),
  }
}
