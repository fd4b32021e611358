import { createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { type BinaryNode, Curve, proto, S_WHATSAPP_NET } from 'baileys'
import type { Account } from './account.ts'
import { type PasskeyRequest, verifyAssertion } from './passkey-assertion.ts'
import type { Registration } from './registration.ts'
import { child, childBytes, queryError, result, seconds, stanza } from './stanza.ts'

const LIVES_MS = 600_000
const PROOF_LIVES_MS = 300_000
const CROCKFORD = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'

export interface CeremonyDeps {
  registration: Registration
  account: Account
  /** Secret of the QR code or the pairing code, which the phone knows. */
  secret: Buffer
  now(): number
  /** Completes the link with the client's new secret, after the owner has agreed. */
  link(secret: Buffer): Promise<unknown>
}

/** The phone's and the server's part of a passkey ceremony. */
export interface PasskeyCeremony {
  /** Resolves when the client acknowledges the request; rejects if it hangs up first. */
  ask(): Promise<void>
  answer(query: BinaryNode): void
  /** Code shown on the phone. Resolves once the client has sent its nonce. */
  code: Promise<string>
  /** The owner confirms on the phone that the client shows the same code. */
  confirmCode(): void
  /** True if the client sent a handoff proof, so that no code is compared. */
  readonly isProved: boolean
  cut(): void
  /** Rules that the client broke. */
  readonly faults: string[]
}

interface Prologue {
  identity: Buffer
  publicKey: Buffer
  commitment: Buffer
}

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const hkdf = (key: Uint8Array, salt: string, info: string) => Buffer.from(hkdfSync('sha256', key, salt, info, 32))
const must = (holds: boolean, rule: string) => {
  if (!holds) throw new Error(rule)
}

/** Encodes five bytes as eight letters. */
function crockford(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => CROCKFORD[Number.parseInt(five, 2)]).join('')
}

/** Creates a ceremony that follows a scan or a typed code. */
export function createPasskeyCeremony(deps: CeremonyDeps): PasskeyCeremony {
  const { registration, account, secret, now } = deps
  const { link } = registration
  const askedAt = now()
  const faults: string[] = []
  const code = Promise.withResolvers<string>()
  const agreed = Promise.withResolvers<void>()
  const primary = { keys: Curve.generateKeyPair(), nonce: randomBytes(32) }
  let request: PasskeyRequest | undefined
  let ref: string | undefined
  let prologue: Prologue | undefined
  let isProved = false
  let isNonceTold = false
  let count = 0

  const blame = (error: unknown) => void faults.push(error instanceof Error ? error.message : String(error))

  function requestOptions(): Buffer {
    const allowed = account.passkey === 'asked by name' && account.authenticator ? [account.authenticator.id] : []
    request = { challenge: randomBytes(32).toString('base64url'), rpId: 'whatsapp.com', allowed }
    return Buffer.from(
      JSON.stringify({
        challenge: request.challenge,
        timeout: LIVES_MS,
        rpId: request.rpId,
        allowCredentials: allowed.map((id) => ({ type: 'public-key', id, transports: ['hybrid', 'internal'] })),
        userVerification: 'required',
        extensions: { uvm: true },
      }),
    )
  }

  function takePrologue(node: BinaryNode): void {
    const asked = request
    // Each challenge allows one answer.
    request = undefined
    must(asked !== undefined, 'a passkey for a challenge that was used')
    must(now() - askedAt <= LIVES_MS, 'a passkey after ten minutes')
    if (asked === undefined || account.authenticator === undefined) throw new Error('an account without a passkey')
    const credentialId = childBytes(node, 'credential_id')
    const json = childBytes(node, 'webauthn_assertion').toString()
    count = verifyAssertion(json, { credentialId, passkey: account.authenticator, request: asked, count })
    const payload = childBytes(node, 'prologue_payload')
    prologue = readPrologue(payload)
    isProved = child(node, 'pairing_handoff_proof') !== undefined
    if (!isProved) return
    must(now() - askedAt < PROOF_LIVES_MS, 'a proof after five minutes')
    const proof = createHmac('sha256', hkdf(secret, '', 'shortcake-passkey-handoff-v1'))
      .update(payload)
      .digest()
    must(proof.equals(childBytes(node, 'pairing_handoff_proof')), 'a proof with another secret')
    agreed.resolve()
  }

  function readPrologue(payload: Buffer): Prologue {
    const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload)
    const identity = Buffer.from(companionEphemeralIdentity ?? [])
    const { publicKey, deviceType, ref: own } = proto.CompanionEphemeralIdentity.decode(identity)
    must(publicKey?.length === 32, 'a key that has not 32 bytes')
    must(own === ref && ref !== undefined, 'another ref')
    // Each ref allows one prologue.
    ref = `used ${ref}`
    must(deviceType === registration.platform, 'another device type than at registration')
    must(commitment?.hash?.length === 32, 'no commitment')
    return { identity, publicKey: Buffer.from(publicKey ?? []), commitment: Buffer.from(commitment?.hash ?? []) }
  }

  function takeNonce(node: BinaryNode): void {
    if (prologue === undefined) throw new Error('a nonce before the passkey')
    const nonce = Buffer.from(node.content instanceof Uint8Array ? node.content : [])
    must(nonce.length === 32, 'a nonce that has not 32 bytes')
    must(sha256(prologue.identity, nonce).equals(prologue.commitment), 'another nonce than was promised')
    isNonceTold = true
    const digest = sha256(nonce, primary.keys.public)
    const letters = crockford(primary.nonce.subarray(0, 5).map((byte, n) => byte ^ (digest[n] ?? 0)))
    code.resolve(`${letters.slice(0, 4)}-${letters.slice(4)}`)
  }

  function openRequest(node: BinaryNode): Buffer {
    if (prologue === undefined || !isNonceTold) throw new Error('a request before the nonce')
    const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(node.content as Uint8Array)
    must(iv?.length === 12, 'an IV that has not 12 bytes')
    const shared = Curve.sharedKey(primary.keys.private, prologue.publicKey)
    const own = proto.CompanionEphemeralIdentity.decode(prologue.identity).ref
    const salt = `Companion Pairing ${registration.platform} with ref ${own}`
    const sealed = Buffer.from(encryptedPayload ?? [])
    const key = hkdf(shared, salt, 'Pairing Information Encryption Key')
    const decipher = createDecipheriv('aes-256-gcm', key, iv ?? Buffer.alloc(12)).setAuthTag(sealed.subarray(-16))
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    const { companionPublicKey, companionIdentityKey, advSecret } = proto.PairingRequest.decode(plain)
    must(registration.noiseKey.equals(companionPublicKey ?? Buffer.of()), 'another Noise key than at registration')
    must(registration.identity.equals(companionIdentityKey ?? Buffer.of()), 'another identity than at registration')
    must(advSecret?.length === 32, 'a secret that has not 32 bytes')
    must(!secret.equals(advSecret ?? Buffer.of()), 'the secret of the code once more')
    return Buffer.from(advSecret ?? [])
  }

  function sendPrimary(): void {
    const { keys, nonce } = primary
    const bytes = proto.PrimaryEphemeralIdentity.encode({ publicKey: keys.public, nonce }).finish()
    const id = randomUUID()
    registration.confirmation(id).catch(() => 'the client hung up')
    link.send(
      stanza('notification', { id, from: S_WHATSAPP_NET, type: 'crsc_continuation', t: seconds(now()) }, [
        stanza('primary_ephemeral_identity', {}, Buffer.from(bytes)),
      ]),
    )
  }

  /** @returns content of the answer, and work to do after it */
  function take(query: BinaryNode, node: BinaryNode): { content?: BinaryNode[]; after?: () => void } {
    const isSet = query.attrs.type === 'set'
    must(query.attrs.xmlns === 'md' && isSet === !['passkey_request_options', 'ref'].includes(node.tag), 'another form')
    switch (node.tag) {
      case 'passkey_request_options':
        return { content: [stanza('passkey_request_options', {}, requestOptions())] }
      case 'ref':
        ref = `2@${randomBytes(24).toString('base64')}`
        return { content: [stanza('ref', {}, Buffer.from(ref))] }
      case 'passkey_prologue':
        takePrologue(node)
        return { after: sendPrimary }
      case 'companion_nonce':
        takeNonce(node)
        return {}
      case 'encrypted_pairing_request': {
        const opened = openRequest(node)
        const linked = () => agreed.promise.then(() => deps.link(opened))
        return { after: () => void linked().catch(blame) }
      }
      default:
        throw new Error(`${node.tag} in a ceremony`)
    }
  }

  async function ask(): Promise<void> {
    const id = randomUUID()
    const asked =
      account.passkey !== 'asked without options' ? [stanza('passkey_request_options', {}, requestOptions())] : []
    const confirmed = registration.confirmation(id)
    link.send(
      stanza('notification', { id, from: S_WHATSAPP_NET, type: 'passkey_prologue_request', t: seconds(now()) }, asked),
    )
    await confirmed
  }

  return {
    ask,
    answer(query) {
      const [node] = Array.isArray(query.content) ? query.content : []
      if (node === undefined) return link.send(queryError(query, 400, 'bad-request'))
      try {
        const { content, after } = take(query, node)
        link.send(result(query, content))
        after?.()
      } catch (error) {
        blame(error)
        link.send(queryError(query, 400, 'bad-request'))
      }
    },
    code: code.promise,
    confirmCode: () => agreed.resolve(),
    cut: () => link.cut(),
    faults,
    get isProved() {
      return isProved
    },
  }
}
