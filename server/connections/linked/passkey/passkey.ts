import { randomBytes } from 'node:crypto'
import { type AuthenticationCreds, type BinaryNode, Curve, type KeyPair, S_WHATSAPP_NET, type WASocket } from 'baileys'
import {
  type PasskeyAssertion,
  type PasskeyOptions,
  type PasskeyView,
  passkeyOptions,
} from '../../../contract/linking.ts'
import { type Clock, MINUTE } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { refusalOf } from '../library/questions.ts'
import { childOf } from '../library/stanzas.ts'
import {
  comparedCode,
  handoffKey,
  handoffProof,
  prologue,
  readPrimaryIdentity,
  requestKey,
  sealRequest,
  wrongWith,
} from './passkey-keys.ts'

export interface PasskeyEvents {
  /** Called when WhatsApp wants a passkey instead of linking. */
  onPasskey(node: BinaryNode): void
  /** Called when the phone has answered in the ceremony of a passkey. */
  onContinuation(node: BinaryNode): void
}

const NOTICES = {
  passkey_prologue_request: 'onPasskey',
  crsc_continuation: 'onContinuation',
} as const satisfies Record<string, keyof PasskeyEvents>

/**
 * True for a notification about passkeys. The library must not get it, because its answer fails
 * while no number is linked.
 */
export const isOfPasskey = ({ attrs }: BinaryNode): boolean => (attrs.type ?? '') in NOTICES

/**
 * Confirms notifications about passkeys, and passes on only those from the server itself
 * (whatsmeow, whatsapp-rust).
 */
export function takePasskeyNotices(sock: WASocket, events: PasskeyEvents, logger: Logger): void {
  for (const [type, event] of Object.entries(NOTICES)) {
    sock.ws.on(`CB:notification,type:${type}`, (node: BinaryNode) => {
      const { id = '', from = '' } = node.attrs
      sock
        .sendNode({ tag: 'ack', attrs: { id, to: from, class: 'notification', type } })
        .catch((err: unknown) => logger.debug({ err }, 'a notice about a passkey could not be confirmed'))
      if (from === S_WHATSAPP_NET || from === S_WHATSAPP_NET.slice(1)) events[event](node)
    })
  }
}

/**
 * Time for which the phone accepts the secret of the scanned code as a proof, so that no code is
 * compared (whatsmeow pair-passkey.go; whatsapp-rust PR 997 proves nothing on a first link).
 */
const PROOF_FOR = 5 * MINUTE
const MOST_OPTIONS_BYTES = 16_384

/** State of one answer of the owner on its way through WhatsApp. Kept in memory only. */
interface Flight {
  keys: KeyPair
  nonce: Buffer
  ref: string
  isProved: boolean
  /** Key of the last step; absent until the phone has answered. */
  key?: Buffer
}

export type Ceremony = ReturnType<typeof createCeremony>

/**
 * Runs the ceremony of a passkey on the connection that links: WhatsApp's options, the owner's
 * answer, the phone's key, and a new secret in place of the one in the scanned code. The ceremony
 * ends with `pair-success`.
 * @param onChange called when `shown` has changed
 */
export function createCeremony(
  sock: WASocket,
  creds: AuthenticationCreds,
  onChange: () => void,
  clock: Clock,
  logger: Logger,
) {
  const askedAt = clock.elapsed()
  const proofKey = handoffKey(Buffer.from(creds.advSecretKey, 'base64'))
  let options: PasskeyOptions | null = null
  let step: PasskeyView['step'] = 'asked'
  let code: string | null = null
  let refusal: { detail: string | null } | null = null
  let flight: Flight | undefined
  let isOver = false

  function goTo(next: PasskeyView['step'], shownCode: string | null = null): void {
    step = next
    code = shownCode
    if (!isOver) onChange()
  }

  /** @throws Error if WhatsApp refuses the question or does not answer */
  async function ask(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    const answer: BinaryNode | undefined = await sock.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type, xmlns: 'md' },
      content: [content],
    })
    if (answer === undefined) throw new Error(`WhatsApp has not answered ${content.tag}`)
    return answer
  }

  async function askForOptions(): Promise<PasskeyOptions | null> {
    try {
      return optionsIn(await ask('get', { tag: 'passkey_request_options', attrs: {} }))
    } catch (err) {
      logger.warn({ err }, 'WhatsApp did not say which passkey it wants')
      return null
    }
  }

  /** Shows a refusal, and asks for another challenge so that the owner may answer again. */
  async function refuse(error: unknown, of: Flight): Promise<void> {
    if (isOver || flight !== of) return
    logger.warn({ err: error }, 'WhatsApp refused a passkey')
    flight = undefined
    refusal = { detail: refusalOf(error)?.toString() ?? 'no_answer' }
    options = (await askForOptions()) ?? options
    goTo('asked')
  }

  async function send(own: Flight, assertion: PasskeyAssertion): Promise<void> {
    own.ref = textIn(await ask('get', { tag: 'ref', attrs: {} }), 'ref')
    const payload = prologue({ publicKey: own.keys.public, nonce: own.nonce, ref: own.ref })
    const parts: [string, Uint8Array][] = [
      ['credential_id', Buffer.from(assertion.rawId, 'base64url')],
      ['webauthn_assertion', Buffer.from(JSON.stringify(asWhatsAppWeb(assertion)))],
      ['prologue_payload', payload],
    ]
    own.isProved = clock.elapsed() - askedAt < PROOF_FOR
    if (own.isProved) parts.push(['pairing_handoff_proof', handoffProof(proofKey, payload)])
    const content = parts.map(([tag, bytes]) => ({ tag, attrs: {}, content: bytes }))
    await ask('set', { tag: 'passkey_prologue', attrs: {}, content })
  }

  async function takePrimary(own: Flight, node: BinaryNode): Promise<void> {
    const primary = readPrimaryIdentity(bytesIn(node, 'primary_ephemeral_identity'))
    const key = requestKey(Curve.sharedKey(own.keys.private, primary.publicKey), own.ref)
    own.key = key
    await ask('set', { tag: 'companion_nonce', attrs: {}, content: own.nonce })
    if (isOver || flight !== own) return
    if (own.isProved) await finish(own, key)
    else goTo('compare', comparedCode(own.nonce, primary))
  }

  /**
   * Sends the phone a new secret. The secret is in place before WhatsApp answers, because
   * `pair-success` may come in the same frame. If the phone did not get the new secret, the former
   * one returns (whatsapp-rust flow.rs).
   */
  async function finish(own: Flight, key: Buffer): Promise<void> {
    goTo('finishing')
    const former = creds.advSecretKey
    const advSecret = randomBytes(32)
    const { noiseKey, signedIdentityKey } = creds
    const keys = { noiseKey: noiseKey.public, identityKey: signedIdentityKey.public }
    const request = sealRequest(key, randomBytes(12), { ...keys, advSecret })
    creds.advSecretKey = advSecret.toString('base64')
    try {
      await ask('set', { tag: 'encrypted_pairing_request', attrs: {}, content: request })
    } catch (error) {
      if (creds.account === undefined) creds.advSecretKey = former
      throw error
    }
    if (flight === own) flight = undefined
  }

  return {
    /** Starts the ceremony, or restarts it when WhatsApp asks for a passkey again. */
    async begin(node: BinaryNode): Promise<void> {
      flight = undefined
      options = optionsIn(node)
      refusal = null
      goTo('asked')
      if (options !== null) return
      options = await askForOptions()
      goTo('asked')
    },
    /** Returns everything that the owner sees of the ceremony. */
    shown: () => ({
      options,
      step,
      code,
      reason: refusal === null ? ('passkey_required' as const) : ('passkey_refused' as const),
      detail: refusal?.detail ?? null,
    }),
    /**
     * Sends the owner's passkey. Resolves when WhatsApp has accepted or refused it, or with false
     * if WhatsApp asks for none.
     */
    async answer(assertion: PasskeyAssertion): Promise<boolean> {
      if (isOver || options === null || step !== 'asked') return false
      const wrong = wrongWith(assertion, options)
      if (wrong !== null) {
        refusal = { detail: wrong }
        goTo('asked')
        return true
      }
      const own: Flight = { keys: Curve.generateKeyPair(), nonce: randomBytes(32), ref: '', isProved: false }
      flight = own
      refusal = null
      goTo('checking')
      await send(own, assertion).catch((error: unknown) => refuse(error, own))
      return true
    },
    /** Takes the phone's answer. */
    continueWith(node: BinaryNode): void {
      const own = flight
      if (own === undefined || own.key !== undefined) return
      void takePrimary(own, node).catch((error: unknown) => refuse(error, own))
    },
    /** Goes on after the owner has compared the code; resolves with false if there is none. */
    async confirm(): Promise<boolean> {
      const own = flight
      if (isOver || own?.key === undefined || step !== 'compare') return false
      await finish(own, own.key).catch((error: unknown) => refuse(error, own))
      return true
    },
    end(): void {
      isOver = true
      flight = undefined
    },
  }
}

/** @throws Error if the node is missing */
function bytesIn(node: BinaryNode, tag: string): Uint8Array {
  const content = childOf(node, tag)?.content
  if (typeof content === 'string') return Buffer.from(content)
  if (!(content instanceof Uint8Array)) throw new Error(`WhatsApp sent no ${tag}`)
  return content
}

const textIn = (node: BinaryNode, tag: string): string => Buffer.from(bytesIn(node, tag)).toString()

/** Reads the options; null: missing, or in an unknown form. */
function optionsIn(node: BinaryNode): PasskeyOptions | null {
  try {
    const text = textIn(node, 'passkey_request_options')
    return text.length > MOST_OPTIONS_BYTES ? null : passkeyOptions.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Keeps the members that WhatsApp Web sends (whatsmeow passkey.go, whatsapp-rust passkey/mod.rs).
 */
const asWhatsAppWeb = ({ id, rawId, type, response }: PasskeyAssertion) => ({
  id,
  rawId,
  type,
  response: {
    clientDataJSON: response.clientDataJSON,
    authenticatorData: response.authenticatorData,
    signature: response.signature,
    userHandle: response.userHandle ?? null,
  },
})
