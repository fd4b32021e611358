import { expect, onTestFinished, test } from 'vitest'
import type { LinkRequest, PasskeyAssertion, PasskeyOptions } from '../../../server/contract/linking.ts'
import { MINUTE } from '../../../server/lib/clock.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { createTestClock } from '../../support/clock.ts'
import type { AccountOptions } from '../../support/whatsapp-peer/index.ts'
import { createWorld, OWNER } from './world.ts'

/** A number whose phone was shown the code, and whose owner is asked for a passkey. */
async function asked(account: AccountOptions = {}, request: LinkRequest = { method: 'qr' }, isWelcome = false) {
  const clock = createTestClock()
  const world = await createWorld({ now: clock.now })
  world.peer.faults.welcomeBeforePairing = isWelcome
  const run = world.open({ clock })
  const authenticator = createAuthenticator()
  const phone = world.peer.phone(OWNER, { passkey: 'asked', authenticator, ...account })
  await run.linked.link(request)
  const code = await run.code()
  expect(await (request.method === 'qr' ? phone.scan(code) : phone.enterCode(code))).toBe('passkey')
  const shown = (step: string, reason = 'passkey_required') =>
    run.shown((linking) => linking?.passkey?.step === step && linking.reason === reason)
  const options = async (reason?: string): Promise<PasskeyOptions> => {
    const linking = await shown('asked', reason)
    if (!linking?.passkey) throw new Error('no options')
    return linking.passkey.options
  }
  return { clock, world, run, phone, authenticator, shown, options }
}

test.each([
  ['asked', { method: 'qr' }],
  ['asked by name', { method: 'qr' }],
  ['asked without options', { method: 'qr' }],
  ['asked', { method: 'code', phone: OWNER }],
] as const)(
  'a number whose passkey is %s is linked by it after the %o; at once no code is compared',
  async (passkey, request) => {
    const { run, phone, authenticator, options } = await asked({ passkey }, request)
    expect(await run.linked.answerPasskey(authenticator.sign(await options()))).toBe(true)
    await run.state('connected')
    expect(phone.passkey.faults).toEqual([])
    expect(phone.passkey.isProved).toBe(true)
    expect(phone.isLinked).toBe(true)
    expect(run.linked.linking()).toBeNull()
  },
)

test('a welcome before the pairing does not stop the ceremony', async () => {
  const { run, authenticator, options } = await asked({}, { method: 'qr' }, true)
  await run.linked.answerPasskey(authenticator.sign(await options()))
  await run.state('connected')
})

test('after five minutes the code on the phone has to be compared first', async () => {
  const { clock, run, phone, authenticator, options, shown } = await asked()
  const first = await options()
  await clock.advance(5 * MINUTE)
  expect(await run.linked.confirmPasskey()).toBe(false)
  expect(await run.linked.answerPasskey(authenticator.sign(first))).toBe(true)
  const compared = await shown('compare')
  expect(compared?.passkey_code).toBe(await phone.passkey.code)
  expect(compared?.passkey_code).toMatch(/^.{4}-.{4}$/)
  expect(phone.isLinked).toBe(false)
  expect(await run.linked.confirmPasskey()).toBe(true)
  expect(run.linked.linking()).toMatchObject({ passkey: { step: 'finishing' }, passkey_code: null })
  phone.passkey.confirmCode()
  await run.state('connected')
  expect(phone.passkey.faults).toEqual([])
})

test('a passkey that WhatsApp refuses may be answered again, to another challenge, until ten minutes are over', async () => {
  const { clock, run, phone, authenticator, options } = await asked()
  const first = await options()
  const until = run.linked.linking()?.passkey?.until
  expect(until).toBe(new Date(clock.now() + 10 * MINUTE).toISOString())
  await run.linked.answerPasskey(authenticator.sign(first, { verified: false }))
  expect(run.linked.linking()).toMatchObject({ reason: 'passkey_refused', reason_detail: '400', passkey: { until } })
  expect(phone.passkey.faults).toEqual(['nobody was verified'])
  const second = await options('passkey_refused')
  expect(second.challenge).not.toBe(first.challenge)
  await run.linked.answerPasskey(authenticator.sign(second))
  await run.state('connected')
})

test('the offer ends after ten minutes, whatever was tried', async () => {
  const { clock, run, authenticator, options } = await asked()
  await run.linked.answerPasskey(authenticator.sign(await options(), { verified: false }))
  await clock.advance(10 * MINUTE - 1)
  expect(run.linked.linking()).toMatchObject({ reason: 'passkey_refused' })
  await clock.advance(1)
  expect(run.linked.linking()).toBeNull()
  expect(await run.linked.answerPasskey(authenticator.sign({ challenge: 'x' }))).toBe(false)
})

const FAULTS: [string, (sign: (challenge?: string, origin?: string) => PasskeyAssertion) => PasskeyAssertion][] = [
  ['other_challenge', (sign) => sign('b2xk')],
  ['other_origin', (sign) => sign(undefined, 'https://whatsapp.com.example.org')],
  ['other_origin', (sign) => sign(undefined, 'http://web.whatsapp.com')],
  ['other_credential', (sign) => ({ ...sign(), id: 'b3RoZXI', rawId: 'b3RoZXI' })],
  ['unreadable', (sign) => ({ ...sign(), id: 'b3RoZXI' })],
  ['unreadable', (sign) => ({ ...sign(), response: { ...sign().response, clientDataJSON: 'e30' } })],
]

test.each(FAULTS)(
  'an answer with %s is said to be wrong, and WhatsApp is not bothered with it',
  async (detail, make) => {
    const { run, phone, authenticator, options } = await asked({ passkey: 'asked by name' })
    const wanted = await options()
    const sign = (challenge = wanted.challenge, origin = 'https://web.whatsapp.com') =>
      authenticator.sign({ ...wanted, challenge }, { origin })
    expect(await run.linked.answerPasskey(make(sign))).toBe(true)
    expect(run.linked.linking()).toMatchObject({ reason: 'passkey_refused', reason_detail: detail })
    expect(phone.passkey.faults).toEqual([])
    await run.linked.answerPasskey(sign())
    await run.state('connected')
  },
)

test('a second answer while WhatsApp looks at the first one is not taken', async () => {
  const { run, authenticator, options } = await asked()
  const wanted = await options()
  const both = [authenticator.sign(wanted), authenticator.sign(wanted)].map((one) => run.linked.answerPasskey(one))
  expect(await Promise.all(both)).toEqual([true, false])
  await run.state('connected')
})

test('a line that ends in the ceremony takes the passkey back, and another code is shown', async () => {
  const { clock, run, phone, authenticator, options } = await asked()
  await options()
  phone.passkey.cut()
  await run.shown((linking) => linking?.passkey === null)
  await clock.advance(0)
  const code = await run.code()
  expect(run.linked.linking()).toMatchObject({ passkey: null, reason: null })
  expect(await run.linked.answerPasskey(authenticator.sign({ challenge: 'b2xk' }))).toBe(false)
  expect(await phone.scan(code)).toBe('passkey')
  await run.linked.answerPasskey(authenticator.sign(await options()))
  await run.state('connected')
})

test('nothing of it is written into the log', async () => {
  const { world, run, authenticator, options } = await asked()
  const assertion = authenticator.sign(await options())
  onTestFinished(() => expect(world.printed.join('')).not.toContain(assertion.response.signature))
  await run.linked.answerPasskey(assertion)
  await run.state('connected')
})
