import { reaches } from '../../access/keys.ts'
import { emptyAnswer } from '../../contract/envelope.ts'
import { codeParams } from '../../contract/fields.ts'
import { passkeyAssertion } from '../../contract/passkey.ts'
import {
  createSenderRequest,
  linkRequest,
  senderAnswer,
  senderSummariesAnswer,
  sendersAnswer,
  updateSenderRequest,
} from '../../contract/senders.ts'
import type { AllPaused } from '../../senders/all-paused.ts'
import type { TemplatesPort } from '../../senders/official.ts'
import type { SenderService } from '../../senders/service.ts'
import { senderSummary } from '../../senders/view.ts'
import type { SenderStore } from '../../store/index.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export interface SenderRouteDeps {
  service: SenderService
  senders: SenderStore
  allPaused: AllPaused
  templates: TemplatesPort
}

const owner = { auth: 'owner', tag: 'Senders' } as const

export const senderRoutes = ({ service, senders, allPaused, templates }: SenderRouteDeps): Route[] => [
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
      const rows = senders.list().filter(({ id }) => reaches(caller, id))
      return ok(
        'Senders.',
        rows.map((sender) => senderSummary(sender, allPaused.isOn())),
      )
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/senders',
    summary: 'All senders with their state',
    answer: sendersAnswer,
    handler: async () => ok('Senders.', await service.list()),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders',
    summary: 'Add a sender',
    body: createSenderRequest,
    answer: senderAnswer,
    handler: async ({ body }) => ok('Sender added.', await service.view(await service.create(body))),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/resume',
    summary: 'Go on with all senders, after they were paused together; one that was paused alone stays so',
    answer: sendersAnswer,
    handler: async () => {
      await allPaused.set(false)
      return ok('Sending goes on.', await service.list())
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/senders/{code}',
    summary: 'One sender, with the code to scan while it is being linked',
    params: codeParams,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Sender.', await service.view(service.get(code))),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/senders/{code}',
    summary: 'Change a sender',
    params: codeParams,
    body: updateSenderRequest,
    answer: senderAnswer,
    handler: async ({ params: { code }, body }) => ok('Sender saved.', await service.update(code, body)),
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/senders/{code}',
    summary: 'Delete a sender; what waits for it fails',
    params: codeParams,
    answer: emptyAnswer,
    handler: async ({ params: { code } }) => {
      await service.remove(code)
      return ok('Sender deleted.', {})
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/link',
    summary: 'Begin linking by QR code or pairing code',
    params: codeParams,
    body: linkRequest,
    answer: senderAnswer,
    handler: async ({ params: { code }, body }) =>
      ok('Linking has begun. Read the sender for the code.', await service.link(code, body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/link/passkey',
    summary: 'Confirm a link with the passkey that WhatsApp asks for',
    description:
      'The JSON of `PublicKeyCredential.toJSON()`, made with the options in `linking.passkey` on an origin inside whatsapp.com. A refusal is in `linking.reason` (`passkey_refused`); it may be tried again until `linking.passkey.until`.',
    params: codeParams,
    body: passkeyAssertion,
    answer: senderAnswer,
    handler: async ({ params: { code }, body }) =>
      ok('WhatsApp has the passkey. Read the sender for what follows.', await service.answerPasskey(code, body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/link/passkey/confirm',
    summary: 'Confirm that the phone shows the same code',
    params: codeParams,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Code confirmed.', await service.confirmPasskey(code)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/unlink',
    summary: 'Unlink a number; its queue waits',
    params: codeParams,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Number unlinked.', await service.unlink(code)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/confirm-phone',
    summary: 'Send what waits through the other number that was linked',
    params: codeParams,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Number confirmed.', await service.confirmPhone(code)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/pause',
    summary: 'Hold the queue of a sender',
    params: codeParams,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Sender paused.', await service.pause(code)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/resume',
    summary: 'Go on sending; connects again after "replaced"',
    params: codeParams,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => {
      const view = await service.unpause(code)
      return ok(
        allPaused.isOn()
          ? 'Sender resumed, but all senders are paused: resume them on Home or in the tray menu.'
          : 'Sender resumed.',
        view,
      )
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/check',
    summary: 'Check everything an official number needs',
    params: codeParams,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => {
      await templates.check(service.get(code))
      const view = await service.view(service.get(code))
      const failed = view.official?.checks.filter((each) => !each.ok).length ?? 0
      const advice = failed === 1 ? '1 check needs attention.' : `${failed} checks need attention.`
      return ok(failed === 0 ? 'All checks passed.' : advice, view)
    },
  }),
]
