import { expect, test } from 'vitest'
import { createAuthenticator } from '../../support/authenticator.ts'
import { verifyAssertion } from '../../support/whatsapp-peer/passkey-assertion.ts'
import { createPlainWorld, find, heard, OWNER } from './world.ts'

const REQUEST = { challenge: 'Y2hhbGxlbmdl', rpId: 'whatsapp.com', allowed: [] as string[] }
const authenticator = createAuthenticator()

type Signed = ReturnType<typeof authenticator.sign>

/** As WhatsApp Web sends it. */
const bare = ({ id, rawId, type, response }: Signed) => ({ id, rawId, type, response })

function verify(sent: object, { request = REQUEST, count = 0, credential = authenticator.id } = {}): number {
  const credentialId = Buffer.from(credential, 'base64url')
  return verifyAssertion(JSON.stringify(sent), { credentialId, passkey: authenticator, request, count })
}

test('an assertion as WhatsApp Web makes it is taken, by name or not', () => {
  expect(verify(bare(authenticator.sign(REQUEST)))).toBeGreaterThan(0)
  expect(
    verify(bare(authenticator.sign(REQUEST)), { request: { ...REQUEST, allowed: [authenticator.id] } }),
  ).toBeGreaterThan(0)
})

test.each<[string, () => number]>([
  ['Unrecognized key', () => verify(authenticator.sign(REQUEST))],
  ['another challenge', () => verify(bare(authenticator.sign({ challenge: 'b2xk' })))],
  ['another origin', () => verify(bare(authenticator.sign(REQUEST, { origin: 'https://whatsapp.com.example.org' })))],
  ['another origin', () => verify(bare(authenticator.sign(REQUEST, { origin: 'https://notwhatsapp.com' })))],
  ['another origin', () => verify(bare(authenticator.sign(REQUEST, { origin: 'http://web.whatsapp.com' })))],
  ['webauthn.get', () => verify(bare(authenticator.sign(REQUEST, { type: 'webauthn.create' })))],
  ['another relying party', () => verify(bare(authenticator.sign(REQUEST, { rpId: 'example.org' })))],
  ['nobody was verified', () => verify(bare(authenticator.sign(REQUEST, { verified: false })))],
  ['the counter went back', () => verify(bare(authenticator.sign(REQUEST)), { count: 1_000 })],
  ['a wrong signature', () => verify({ ...bare(createAuthenticator().sign(REQUEST)), ...idOf(authenticator.id) })],
  [
    'another credential',
    () => verify({ ...bare(authenticator.sign(REQUEST)), ...idOf('b3RoZXI') }, { credential: 'b3RoZXI' }),
  ],
  ['credential_id is not rawId', () => verify(bare(authenticator.sign(REQUEST)), { credential: 'b3RoZXI' })],
  ['not allowed', () => verify(bare(authenticator.sign(REQUEST)), { request: { ...REQUEST, allowed: ['b3RoZXI'] } })],
])('%s: refused', (rule, sent) => {
  expect(sent).toThrow(rule)
})

const idOf = (id: string) => ({ id, rawId: id })

test.each([
  ['companion_nonce', 'a nonce before the passkey'],
  ['encrypted_pairing_request', 'a request before the nonce'],
  ['passkey_prologue', 'another form'],
] as const)('%s out of its turn or form is answered with 400, and links nothing', async (tag, fault) => {
  const { peer, client } = await createPlainWorld()
  const phone = peer.phone(OWNER, { passkey: 'asked', authenticator })
  const linking = client()
  const asked = heard(linking, 'CB:notification,type:passkey_prologue_request')
  const scanned = phone.scan(await linking.qr())
  const { id = '' } = (await asked).attrs
  const ack = { id, to: 's.whatsapp.net', class: 'notification', type: 'passkey_prologue_request' }
  await linking.socket.sendNode({ tag: 'ack', attrs: ack })
  expect(await scanned).toBe('passkey')
  const refused = heard(linking, 'CB:iq,type:error')
  const type = tag === 'passkey_prologue' ? 'get' : 'set'
  await linking.socket.sendNode({
    tag: 'iq',
    attrs: { id: 'out-of-turn', to: 's.whatsapp.net', type, xmlns: 'md' },
    content: [{ tag, attrs: {}, content: Buffer.alloc(32) }],
  })
  expect(find(await refused, 'error')?.attrs.code).toBe('400')
  expect(phone.passkey.faults).toEqual([fault])
  expect(phone.isLinked).toBe(false)
})
