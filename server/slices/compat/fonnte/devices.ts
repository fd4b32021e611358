import { reaches } from '../../../access/keys.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { groupsOf } from '../../../messages/groups.ts'
import type { SenderRow } from '../../../store/index.ts'
import { isKnownWrong, type MouthContext } from '../sending.ts'
import { postTo, senderOf } from './context.ts'
import {
  fonnteDevice,
  fonnteDevices,
  fonnteDone,
  fonnteGroups,
  fonnteValidated,
  fonnteValidateRequest,
} from './contract.ts'
import { targetsOf } from './requests.ts'

/**
 * Limits that Fonnte tells and Kurir does not have; programs count with the quota. `messages` is 0:
 * figures are the owner's.
 */
const UNLIMITED = { package: 'Kurir', quota: '999999', expired: '4070908800' }

const deviceOf = ({ phone, code, settings, state }: SenderRow) => ({
  device: phone ?? code,
  name: settings.name,
  status: state === 'connected' ? ('connect' as const) : ('disconnect' as const),
})

/** Calls about senders and numbers. */
export function fonnteDevicesRoutes(context: MouthContext): Route[] {
  const { readForm } = context
  const { senders, contacts, groups } = context.messaging.store

  /** Nobody is asked: a number counts as registered unless WhatsApp has said otherwise before. */
  async function validate(sender: SenderRow, phones: string[]) {
    const known = await Promise.all(phones.map((phone) => contacts.get(sender.id, phone)))
    return {
      registered: phones.filter((_, at) => !isKnownWrong(known[at])),
      wrong: phones.filter((_, at) => isKnownWrong(known[at])),
    }
  }

  return [
    defineRoute({
      ...postTo(context, 'validate'),
      summary: 'Can numbers be written to, as far as it is known?',
      description: 'Asks nobody: a number of which nothing is known counts as registered.',
      body: fonnteValidateRequest,
      bodyOptional: true,
      form: readForm,
      answer: fonnteValidated,
      handler: async ({ body, caller }) => {
        const sender = senderOf(context, caller)
        const { good, bad } = targetsOf(body.target, body.countryCode)
        // A group is no number to look at.
        const phones = good.flatMap(({ to }) => ('phone' in to ? [to.phone] : []))
        const { registered, wrong } = await validate(sender, phones)
        return {
          status: true as const,
          registered,
          not_registered: [...wrong, ...bad],
        }
      },
    }),
    defineRoute({
      ...postTo(context, 'device'),
      summary: 'The sender of the key, as Fonnte describes a device',
      description: 'The state and number of the sender, in the shape that Fonnte answers.',
      answer: fonnteDevice,
      handler: ({ caller }) => {
        const { device, name, status } = deviceOf(senderOf(context, caller))
        return { status: true as const, device, device_status: status, name, ...UNLIMITED, messages: 0 }
      },
    }),
    defineRoute({
      ...postTo(context, 'get-devices'),
      summary: 'The senders that the key reaches, as Fonnte lists devices',
      description: 'Names and states of the senders, without their keys.',
      answer: fonnteDevices,
      handler: ({ caller }) => {
        const reached = senders.list().filter(({ id, kind }) => kind !== 'official' && reaches(caller, id))
        const none = { autoread: 'off' as const, token: '' as const }
        const data = reached.map((sender) => ({ ...deviceOf(sender), ...UNLIMITED, ...none }))
        const connected = data.filter(({ status }) => status === 'connect').length
        return { status: true as const, connected, devices: data.length, messages: 0, type: 'device' as const, data }
      },
    }),
    defineRoute({
      ...postTo(context, 'fetch-group'),
      summary: 'Read the groups again, as programs for Fonnte ask',
      description: 'Nothing is read: Kurir knows its groups already.',
      answer: fonnteDone,
      handler: () => ({ status: true as const, detail: 'update whatsapp group list' }),
    }),
    defineRoute({
      ...postTo(context, 'get-whatsapp-group'),
      summary: 'The groups of the sender, as Fonnte lists them',
      description: 'Ids and names of its groups; empty where it has none.',
      answer: fonnteGroups,
      handler: async ({ caller }) => ({
        status: true as const,
        detail: 'success get whatsapp group list',
        data: (await groupsOf(groups, senderOf(context, caller))).map(({ jid, name }) => ({ id: jid, name })),
      }),
    }),
  ]
}
