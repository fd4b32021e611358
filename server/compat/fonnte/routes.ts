import type { KnownCaller } from '../../access/caller.ts'
import type { ApiError } from '../../contract/errors.ts'
import { defineRoute, Reply, type Route } from '../../http/route.ts'
import { pickSender } from '../../senders/pick.ts'
import type { ContactStore, SenderRow } from '../../store/index.ts'
import { invalidRequest } from '../../words/errors.ts'
import { acceptEach, type MouthContext } from '../sending.ts'
import {
  type FonnteSendRequest,
  fonnteDevice,
  fonnteFailure,
  fonnteSendRequest,
  fonnteSent,
  fonnteValidated,
  fonnteValidateRequest,
} from './contract.ts'
import { fonnteReason, refuseUnable, requestsOf, targetsOf } from './requests.ts'

export interface FonnteContext extends MouthContext {
  contacts: ContactStore
  random: () => number
  now: () => number
}

const tag = 'Fonnte'

const invalidTarget = (numbers: readonly string[]) =>
  invalidRequest([{ field: 'target', message: `is no phone number: ${numbers.join(', ')}` }])

/**
 * Fonnte says everything with 200; its clients look at `status`, show `reason`, and compare it with
 * the texts that they know.
 */
const failure = (error: ApiError): Reply => {
  const reason = fonnteReason(error)
  return new Reply(200, { status: false, reason: reason ?? error.message, ...(reason && { detail: error.message }) })
}

/** Routes for programs that were written for Fonnte and only change their address. */
export function fonnteRoutes(deps: FonnteContext): Route[] {
  const { senders, now } = deps

  const senderOf = (caller: KnownCaller): SenderRow => pickSender(senders, caller, undefined, 'linked')

  async function send(body: FonnteSendRequest, caller: KnownCaller) {
    refuseUnable(body)
    const sender = senderOf(caller)
    const { good, bad } = targetsOf(body.target, body.countryCode)
    if (good.length === 0) throw invalidTarget(bad)
    const requests = await requestsOf(body, good, { now: now(), random: deps.random })
    const { taken, refused } = await acceptEach(deps, caller, requests, { sender })
    const others = [...bad.map((number) => `${number}: target invalid`), ...refused]
    const rest = others.length === 0 ? '' : ` Not taken: ${others.join('; ')}`
    return {
      status: true as const,
      detail: `success! message in queue.${rest}`,
      process: 'pending' as const,
      requestid: taken[0]?.seq ?? 0,
      id: taken.map(({ id }) => id),
      target: taken.map(({ recipient }) => recipient),
    }
  }

  /** Nobody is asked: a number counts as registered unless WhatsApp has said otherwise before. */
  async function validate(sender: SenderRow, phones: string[]) {
    const contacts = await Promise.all(phones.map((phone) => deps.contacts.get(sender.id, phone)))
    const isKnownWrong = (_: string, at: number) =>
      contacts[at] !== undefined && contacts[at].checkedAt > 0 && !contacts[at].known && contacts[at].jid === null
    return {
      registered: phones.filter((phone, at) => !isKnownWrong(phone, at)),
      wrong: phones.filter(isKnownWrong),
    }
  }

  return [
    defineRoute({
      tag,
      method: 'POST',
      path: '/compat/fonnte/send',
      auth: 'key',
      isOn: deps.isOn,
      summary: 'Send, as programs for Fonnte do',
      description:
        'Takes the fields of Fonnte, as a form or JSON, and answers in its shape. The key is in `Authorization` without Bearer. Off until the owner allows it in Settings.',
      body: fonnteSendRequest,
      form: deps.readForm,
      answer: fonnteSent.or(fonnteFailure),
      failure,
      handler: ({ body, caller }) => send(body, caller),
    }),
    defineRoute({
      tag,
      method: 'POST',
      path: '/compat/fonnte/validate',
      auth: 'key',
      isOn: deps.isOn,
      summary: 'Whether numbers can be written to, as far as it is known',
      description: 'Asks nobody: a number of which nothing is known counts as registered.',
      body: fonnteValidateRequest,
      form: deps.readForm,
      answer: fonnteValidated.or(fonnteFailure),
      failure,
      handler: async ({ body, caller }) => {
        const sender = senderOf(caller)
        const { good, bad } = targetsOf(body.target, body.countryCode)
        const { registered, wrong } = await validate(
          sender,
          good.map(({ phone }) => phone),
        )
        return { status: true as const, registered, not_registered: [...wrong, ...bad] }
      },
    }),
    defineRoute({
      tag,
      method: 'POST',
      path: '/compat/fonnte/device',
      auth: 'key',
      isOn: deps.isOn,
      summary: 'The sender of the key, as Fonnte describes a device',
      description: 'The state and number of the sender, in the shape that Fonnte answers.',
      answer: fonnteDevice.or(fonnteFailure),
      failure,
      handler: ({ caller }) => {
        const sender = senderOf(caller)
        return {
          status: true as const,
          device: sender.phone ?? sender.code,
          device_status: sender.state === 'connected' ? ('connect' as const) : ('disconnect' as const),
          name: sender.settings.name,
          package: 'Kurir',
          quota: 'unlimited',
        }
      },
    }),
  ]
}
