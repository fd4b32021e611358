import { setTimeout as wait } from 'node:timers/promises'
import { toString as drawQr } from 'qrcode'
import type { LinkRequest } from '../contract/linking.ts'
import type { SenderView } from '../contract/senders.ts'
import { COMMAND } from '../lib/program.ts'
import type { Client } from './client.ts'
import { CliError, EXIT, type Output } from './terminal.ts'

const LOOK_EVERY = 500
/** A link attempt that shows no code within this many looks (a minute) has failed to begin. */
const MOST_LOOKS_BEFORE = 120
/** Number of looks without a code after which the terminal prints a note. */
const LOOKS_UNTIL_NOTE = 10

/**
 * Shows the code, and each code that replaces it, until the phone has linked the number.
 * @param pause resolves after the given milliseconds
 */
export async function linkSender(
  client: Client,
  out: Output,
  code: string,
  request: LinkRequest,
  pause: (ms: number) => Promise<unknown> = wait,
): Promise<void> {
  const path = `/api/senders/${encodeURIComponent(code)}`
  const before = await client.call<SenderView>(path)
  if (before.kind !== 'linked')
    throw new CliError(`${code} is ${KIND[before.kind]}: it has no phone to link.`, EXIT.usage)
  if (before.connection === 'connected') throw new CliError(`${code} is linked already (${before.phone}).`)
  await client.call(`${path}/link`, { json: request })
  let shown: string | null = null
  let told: string | null = null
  let endedBefore = false
  for (let looks = 0; ; looks += 1) {
    const sender = await client.call<SenderView>(path)
    const next = sender.qr ?? sender.pairing_code
    if (next !== null && next !== shown) {
      shown = next
      await out.print(progress(sender), () => instructions(sender))
    }
    const passkey = passkeyNote(sender)
    if (passkey !== null && passkey !== told) {
      told = passkey
      shown ??= passkey
      await out.print(progress(sender), () => passkey)
    }
    if (sender.connection === 'connected') {
      await out.print(
        progress(sender),
        () => `${code} is linked to ${sender.phone}.${sender.state === 'paused' ? PAUSED : ''}`,
      )
      return
    }
    if (shown === null && looks === LOOKS_UNTIL_NOTE) out.note('Waiting for WhatsApp to give a code…')
    if (shown === null && looks >= MOST_LOOKS_BEFORE) throw new CliError(unreachable(code))
    // Look twice, because the sender's new state is stored a moment after an attempt has ended.
    const isEnded = hasEnded(sender, shown !== null || looks >= MOST_LOOKS_BEFORE)
    if (isEnded && endedBefore) throw new CliError(ending(sender))
    endedBefore = isEnded
    await pause(LOOK_EVERY)
  }
}

const KIND = { official: 'an official sender', sandbox: 'the sandbox' } as const

const unreachable = (code: string) =>
  `WhatsApp gave no code for ${code} within a minute. Check the internet connection of this computer, then try again.`

const progress = ({ sender_code, state, reason, phone, qr, pairing_code, expires_at, linking }: SenderView) => ({
  sender_code,
  state,
  reason,
  phone,
  qr,
  pairing_code,
  expires_at,
  ...(linking?.passkey ? { passkey: linking.passkey, passkey_code: linking.passkey_code } : {}),
})

/** Returns advice about a passkey; null: WhatsApp asks for none, or is checking one. */
function passkeyNote({ sender_code, linking }: SenderView): string | null {
  const { reason, reason_detail, passkey, passkey_code } = linking ?? {}
  if (reason !== 'passkey_required' && reason !== 'passkey_refused') return null
  if (!passkey) return 'WhatsApp asks for a passkey in a form that Kurir does not know. Update Kurir.'
  const page = `/senders/${sender_code}/link in the window (${COMMAND} open)`
  if (passkey.step === 'compare')
    return `Compare the code with that on the phone: ${passkey_code}. Confirm it at ${page}.`
  if (passkey.step !== 'asked') return null
  const until = new Date(passkey.until).toLocaleTimeString()
  const before = reason === 'passkey_refused' ? `WhatsApp did not take the passkey (${reason_detail}). ` : ''
  return `${before}WhatsApp asks for the passkey of this account. Open ${page} and follow it, until ${until}.`
}

const PAUSED = ' It is paused: what waits leaves when you resume it.'

const hasEnded = ({ connection, linking }: SenderView, begun: boolean): boolean =>
  begun && linking === null && connection !== 'linking' && connection !== 'connecting' && connection !== 'offline'

async function instructions({ qr, pairing_code, expires_at }: SenderView): Promise<string> {
  const until =
    expires_at === null ? '' : ` (until ${new Date(expires_at).toLocaleTimeString()}, then a new one follows)`
  if (qr === null)
    return `On the phone: WhatsApp > Linked devices > Link with phone number. Enter ${pairing_code}${until}.`
  const picture = await drawQr(qr, { type: 'terminal', small: true })
  return `${picture}\nOn the phone: WhatsApp > Linked devices > Link a device. Scan the code${until}.`
}

function ending({ sender_code, connection, reason }: SenderView): string {
  const why = reason === null ? connection : `${connection}: ${reason}`
  return `${sender_code} was not linked (${why}). Try again: ${COMMAND} senders link ${sender_code}`
}
