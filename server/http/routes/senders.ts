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
    summary: 'The senders that this key reaches',
    description: 'With the state of each; a device key reaches one.',
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
    description: 'With the state of each, the reason for it, and the messages that wait.',
    answer: sendersAnswer,
    handler: async () => ok('Senders.', await listSenders(context)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders',
    summary: 'Add a sender',
    description: 'A linked number, an official number, or a sandbox. A linked number still has to be linked.',
    body: createSenderRequest,
    answer: senderAnswer,
    handler: async ({ body }) => ok('Sender added.', await viewSender(context, await createSender(context, body))),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/resume',
    summary: 'Resume all senders after they were paused together',
    description: 'A sender that was paused alone stays paused.',
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
    summary: 'Read one sender',
    description: 'While it is being linked, with the code to scan. Read it again for each new code.',
    handler: async ({ params: { code } }) => ok('Sender.', await viewSender(context, findSender(context, code))),
  }),
  defineRoute({
    ...ofOne,
    method: 'PATCH',
    path: '/api/senders/{code}',
    summary: 'Change a sender',
    description: 'Only the members that are given change. The secrets of an official number are never shown again.',
    body: updateSenderRequest,
    handler: async ({ params: { code }, body }) => ok('Sender saved.', await updateSender(context, code, body)),
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/senders/{code}',
    summary: 'Delete a sender',
    description: 'Its waiting messages fail, and a linked number is unlinked. The first sandbox cannot be deleted.',
    params: codeParams,
    answer: emptyAnswer,
    handler: ({ params: { code } }) => done('Sender deleted.', removeSender(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/link',
    summary: 'Begin linking by QR code or pairing code',
    description: 'An earlier link goes on until the phone has accepted the new one. Read the sender for the code.',
    body: linkRequest,
    handler: async ({ params: { code }, body }) =>
      ok('Linking has begun. Read the sender for the code.', await linkSender(context, code, body)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/link/passkey',
    summary: 'Confirm a link with the passkey that WhatsApp asks for',
    description:
      'The JSON of `PublicKeyCredential.toJSON()`, made with the options in `linking.passkey` on an origin inside whatsapp.com. A refusal is in `linking.reason` (`passkey_refused`); it may be tried again until `linking.passkey.until`.',
    body: passkeyAssertion,
    handler: async ({ params: { code }, body }) =>
      ok('WhatsApp has the passkey. Read the sender for what follows.', await answerPasskey(context, code, body)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/link/passkey/confirm',
    summary: 'Confirm that the phone shows the same code',
    description: 'Only where `linking` has a code to compare after a passkey.',
    handler: async ({ params: { code } }) => ok('Code confirmed.', await confirmPasskey(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/unlink',
    summary: 'Unlink a number',
    description: 'Its messages wait until it is linked again.',
    handler: async ({ params: { code } }) => ok('Number unlinked.', await unlinkSender(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/confirm-phone',
    summary: 'Confirm that another number was linked',
    description: 'Messages that waited for the former number then leave through this one.',
    handler: async ({ params: { code } }) => ok('Number confirmed.', await confirmPhone(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/pause',
    summary: 'Pause a sender',
    description: 'Messages are accepted and wait. A send that has begun is finished.',
    handler: async ({ params: { code } }) => ok('Sender paused.', await pauseSender(context, code)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/resume',
    summary: 'Resume a sender',
    description: 'Connects again too where another PC had taken the link over (`replaced`).',
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
    summary: 'Check everything an official number needs',
    description:
      'Token, permissions, IDs, app secret, registration, templates, subscription and public address, each with advice.',
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
    summary: 'The groups that a linked number is in',
    description:
      'By name, as WhatsApp told them last: with each connection, and when something changes. A device key sees those of its own sender; the sandbox has some for rehearsals.',
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
    description: 'The PIN is that of two-step verification; without one, it becomes that PIN. It is not kept.',
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
    summary: 'Enter the public address of this PC at Meta',
    description:
      "Uses the public address in the settings and the sender's verify token. Meta asks the address at once.",
    handler: async ({ params: { code } }) => {
      await context.templates.setUpCallbacks(findSender(context, code))
      return ok('Meta calls this PC now.', await viewSender(context, findSender(context, code)))
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/senders/{code}/second-road/try',
    summary: 'Try a second road on the last texts of a linked sender',
    description: 'Nothing is sent or saved.',
    body: secondRoadTryRequest,
    answer: secondRoadTryAnswer,
    handler: async ({ params: { code }, body }) => {
      const messages = await context.templates.tryRoad(findSender(context, code), body)
      const fitting = messages.filter(({ rule, problems }) => rule !== null && problems.length === 0).length
      return ok(`${fitting} of ${messages.length} texts could take the second road.`, { messages, fitting })
    },
  }),
]
