import { codeParams, emptyAnswer } from '../../contract/fields.ts'
import { type GroupView, groupsAnswer } from '../../contract/groups.ts'
import { linkRequest, passkeyAssertion } from '../../contract/linking.ts'
import { registerRequest } from '../../contract/official-senders.ts'
import { secondRoadTryAnswer, secondRoadTryRequest } from '../../contract/second-road.ts'
import {
  createSenderRequest,
  senderAnswer,
  senderSummariesAnswer,
  sendersAnswer,
  updateSenderRequest,
} from '../../contract/senders.ts'
import { areAllPaused, setAllPaused } from '../../messages/gates.ts'
import { groupsOf } from '../../messages/groups.ts'
import { NO_GROUPS, pickSender, senderByCode } from '../../senders/pick.ts'
import {
  answerPasskey,
  confirmPasskey,
  confirmPhone,
  createSender,
  findSender,
  linkSender,
  listSenders,
  pauseSender,
  removeSender,
  type SenderContext,
  unlinkSender,
  unpauseSender,
  updateSender,
  viewSender,
} from '../../senders/service.ts'
import { senderSummary } from '../../senders/view.ts'
import type { GroupRow } from '../../store/index.ts'
import { keyOf, reaches } from '../keys.ts'
import { defineRoute, done, ok, type Route } from '../route.ts'

const owner = { auth: 'owner', tag: 'Senders' } as const
const ofOne = { ...owner, params: codeParams, answer: senderAnswer } as const

const groupView = ({ jid, name, members, canSend }: GroupRow): GroupView => ({
  group: jid,
  name,
  members,
  can_send: canSend,
})

export const senderRoutes = (context: SenderContext): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/senders',
    auth: 'key_or_owner',
    forReaders: true,
    tag: 'Senders',
    summary: 'List the senders that this key can use',
    description: 'The list shows the state of each sender. A device key can use one sender only.',
    answer: senderSummariesAnswer,
    handler: ({ caller }) => {
      const { store } = context.messaging
      const rows = store.senders.list().filter(({ id }) => reaches(caller, id))
      return ok(
        'Senders.',
        rows.map((sender) => senderSummary(sender, areAllPaused(store))),
      )
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/senders',
    summary: 'List all senders',
    description: 'The list shows the state of each sender, the reason for it, and the number of waiting messages.',
    answer: sendersAnswer,
    handler: async () => ok('Senders.', await listSenders(context)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders',
    summary: 'Add a sender',
    description:
      'Adds a linked number, an official number or a sandbox. A linked number must then be linked with a phone.',
    body: createSenderRequest,
    answer: senderAnswer,
    handler: async ({ body }) => ok('Sender added.', await viewSender(context, await createSender(context, body))),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/resume',
    summary: 'Resume sending after all senders were paused',
    description: 'A sender that was paused on its own stays paused.',
    answer: sendersAnswer,
    handler: async () => {
      await setAllPaused(context.messaging, false)
      return ok('Sending goes on.', await listSenders(context))
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/api/senders/{code}',
    summary: 'Get a sender',
    description:
      'While the number is being linked, `linking` contains the code to show. Read the sender again for each new code.',
    handler: async ({ params: { code } }) => ok('Sender.', await viewSender(context, findSender(context, code))),
  }),
  defineRoute({
    ...ofOne,
    method: 'PATCH',
    path: '/api/senders/{code}',
    summary: 'Change a sender',
    description: 'Fields that are omitted keep their values. The secrets of an official number are never returned.',
    body: updateSenderRequest,
    handler: async ({ params: { code }, body }) => ok('Sender saved.', await updateSender(context, code, body)),
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/senders/{code}',
    summary: 'Delete a sender',
    description:
      'The waiting messages of the sender fail, and a linked number is unlinked from its phone. The sandbox `SND-SANDBOX` cannot be deleted.',
    params: codeParams,
    answer: emptyAnswer,
    handler: ({ params: { code } }) => done('Sender deleted.', removeSender(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/link',
    summary: 'Start linking a number by QR code or pairing code',
    description:
      'An existing link stays in use until the phone has accepted the new one. Get the sender for the code to show.',
    body: linkRequest,
    handler: async ({ params: { code }, body }) =>
      ok('Linking has begun. Read the sender for the code.', await linkSender(context, code, body)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/link/passkey',
    summary: 'Send the passkey assertion that WhatsApp requires for linking',
    description:
      'The request body is the result of `PublicKeyCredential.toJSON()`, created with the options in `linking.passkey` on an origin of whatsapp.com. If WhatsApp refuses it, `linking.reason` is `passkey_refused`; you may try again until `linking.passkey.until`.',
    body: passkeyAssertion,
    handler: async ({ params: { code }, body }) =>
      ok('WhatsApp has the passkey. Read the sender for what follows.', await answerPasskey(context, code, body)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/link/passkey/confirm',
    summary: 'Confirm that the phone shows the same code',
    description: 'Only if `linking.passkey_code` contains a code after a passkey.',
    handler: async ({ params: { code } }) => ok('Code confirmed.', await confirmPasskey(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/unlink',
    summary: 'Unlink a number',
    description: 'Waiting messages stay in the queue until the number is linked again.',
    handler: async ({ params: { code } }) => ok('Number unlinked.', await unlinkSender(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/confirm-phone',
    summary: 'Confirm that another number was linked',
    description: 'Messages that wait for the previous number are then sent from the new one.',
    handler: async ({ params: { code } }) => ok('Number confirmed.', await confirmPhone(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/pause',
    summary: 'Pause a sender',
    description: 'Messages are still accepted and wait in the queue. A message that is being sent is completed.',
    handler: async ({ params: { code } }) => ok('Sender paused.', await pauseSender(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/resume',
    summary: 'Resume a sender',
    description: 'Also reconnects a sender in state `replaced`, whose link another PC had taken over.',
    handler: async ({ params: { code } }) => {
      const view = await unpauseSender(context, code)
      return ok(
        areAllPaused(context.messaging.store)
          ? 'Sender resumed, but all senders are paused: resume them on Home or in the tray menu.'
          : 'Sender resumed.',
        view,
      )
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/check',
    summary: 'Check the set-up of an official number',
    description:
      'Checks token, permissions, IDs, app secret, registration, templates, subscription and public address, and gives advice for each.',
    handler: async ({ params: { code } }) => {
      await context.templates.check(findSender(context, code))
      const view = await viewSender(context, findSender(context, code))
      const failed = view.official?.checks.filter((each) => !each.ok).length ?? 0
      const advice = failed === 1 ? '1 check needs attention.' : `${failed} checks need attention.`
      return ok(failed === 0 ? 'All checks passed.' : advice, view)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/senders/{code}/groups',
    auth: 'key_or_owner',
    tag: 'Senders',
    summary: 'List the groups of a linked number',
    description:
      'Sorted by name. WhatsApp reports the groups when the number connects and when something changes. A device key can list the groups of its own sender only. A sandbox has sample groups for tests.',
    errors: [404, 422],
    params: codeParams,
    answer: groupsAnswer,
    handler: async ({ caller, params: { code } }) => {
      const { senders, groups } = context.messaging.store
      senderByCode(senders, code)
      const sender = pickSender(senders, keyOf(caller), code, 'linked', NO_GROUPS)
      return ok('Groups.', (await groupsOf(groups, sender)).map(groupView))
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/register',
    summary: 'Register an official number with the Cloud API',
    description:
      'If the number has two-step verification, give its PIN; otherwise the PIN given here is set. Kurir does not store it.',
    body: registerRequest,
    handler: async ({ params: { code }, body: { pin } }) => {
      await context.templates.register(findSender(context, code), pin)
      return ok('Number registered.', await viewSender(context, findSender(context, code)))
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/callback-setup',
    summary: 'Enter the public URL of this PC at Meta',
    description:
      "Sets the callback URL at Meta from the public URL in the settings and the sender's verify token. Meta calls the URL at once to verify it.",
    handler: async ({ params: { code } }) => {
      await context.templates.setUpCallbacks(findSender(context, code))
      return ok('Meta calls this PC now.', await viewSender(context, findSender(context, code)))
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/second-road/try',
    summary: 'Try out a second road on the recent texts of a linked sender',
    description:
      'Shows which of the texts could be sent as a template through the official sender. Nothing is sent or saved.',
    body: secondRoadTryRequest,
    answer: secondRoadTryAnswer,
    handler: async ({ params: { code }, body }) => {
      const messages = await context.templates.tryRoad(findSender(context, code), body)
      const fitting = messages.filter(({ rule, problems }) => rule !== null && problems.length === 0).length
      return ok(`${fitting} of ${messages.length} texts could take the second road.`, { messages, fitting })
    },
  }),
]
