import { type KnownCaller, keyOf } from '../../access/caller.ts'
import {
  type FonnteSendRequest,
  fonnteDevice,
  fonnteFailure,
  fonnteSendRequest,
  fonnteSent,
  fonnteValidated,
  fonnteValidateRequest,
} from '../../contract/compat.ts'
import { ApiError, invalidRequest } from '../../contract/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { type AcceptContext, acceptMessage, prepareMessage } from '../../messages/accept.ts'
import type { Attach } from '../../messages/attach.ts'
import { NOTHING_AS_SENT } from '../../messages/new-message.ts'
import { pickSender } from '../../senders/pick.ts'
import type { ContactStore, SenderRow, SenderStore } from '../../store/index.ts'
import { fonnteReason, requestsOf, targetsOf } from '../fonnte.ts'
import type { FormReader } from '../form.ts'
import { asApiError } from '../response.ts'
import { defineRoute, Reply, type Route } from '../route.ts'

export interface CompatDeps {
  senders: SenderStore
  contacts: ContactStore
  accepting: AcceptContext
  attach: Attach
  readForm: FormReader
  /** True if the owner switched it on. */
  isOn: () => boolean
  random: () => number
  now: () => number
  logger: Logger
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
export function compatRoutes(deps: CompatDeps): Route[] {
  const { senders, now } = deps

  /** The sender of the key. @throws ApiError while it is off */
  function senderOf(caller: KnownCaller): SenderRow {
    if (!deps.isOn()) {
      throw new ApiError('not_found', 'Programs for Fonnte are not let in: the owner can switch this on in Settings.')
    }
    return pickSender(senders, caller, undefined, 'linked')
  }

  async function send(body: FonnteSendRequest, caller: KnownCaller) {
    const sender = senderOf(caller)
    const key = keyOf(caller)
    const { good, bad } = targetsOf(body.target, body.countryCode)
    if (good.length === 0) throw invalidTarget(bad)
    const requests = await requestsOf(body, good, { now: now(), random: deps.random })
    const accepted: { seq: number; id: string; target: string }[] = []
    const refused: string[] = bad.map((number) => `${number}: target invalid`)
    for (const request of requests) {
      try {
        await deps.attach(request, key, async (attached) => {
          const message = prepareMessage(deps.accepting, { sender, key }, request, NOTHING_AS_SENT, attached)
          const seq = await acceptMessage(deps.accepting, message, { key })
          accepted.push({ seq, id: message.id, target: message.recipient })
        })
      } catch (error) {
        // What was accepted before will be sent: its caller must know.
        const isLast = request === requests.at(-1)
        if (accepted.length === 0 && (isLast || !(error instanceof ApiError))) throw error
        refused.push(`${request.phone}: ${asApiError(error, deps.logger).message}`)
      }
    }
    const [first] = accepted
    if (first === undefined) throw new ApiError('invalid_request', refused.join('; '))
    const rest = refused.length === 0 ? '' : ` Not taken: ${refused.join('; ')}`
    return {
      status: true as const,
      detail: `success! message in queue.${rest}`,
      process: 'pending' as const,
      requestid: first.seq,
      id: accepted.map(({ id }) => id),
      target: accepted.map(({ target }) => target),
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
      auth: 'bare_key',
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
      auth: 'bare_key',
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
      auth: 'bare_key',
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
