import { z } from 'zod'
import {
  createSenderRequest,
  linkRequest,
  senderAnswer,
  senderSummariesAnswer,
  sendersAnswer,
  updateSenderRequest,
} from '../../contract/senders.ts'
import type { SenderService } from '../../senders/service.ts'
import { senderSummary } from '../../senders/view.ts'
import type { Senders } from '../../store/sqlite/senders.ts'
import { defineRoute, ok, type Route } from '../route.ts'
import { done } from './shared.ts'

const params = z.object({ code: z.string() })
const owner = { auth: 'owner', tag: 'Senders' } as const

export const senderRoutes = (service: SenderService, store: Pick<Senders, 'list'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/senders',
    auth: 'key_or_owner',
    tag: 'Senders',
    summary: 'The senders that this key reaches',
    answer: senderSummariesAnswer,
    handler: ({ caller: { key } }) => {
      const rows = store.list().filter((sender) => key?.kind !== 'device' || sender.id === key.senderId)
      return ok('Senders.', rows.map(senderSummary))
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/senders',
    summary: 'All senders with their state',
    answer: sendersAnswer,
    handler: () => ok('Senders.', service.list()),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders',
    summary: 'Add a sender',
    body: createSenderRequest,
    answer: senderAnswer,
    handler: async ({ body }) => ok('Sender added.', service.view(await service.create(body))),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/senders/{code}',
    summary: 'One sender, with the code to scan while it is being linked',
    params,
    answer: senderAnswer,
    handler: ({ params: { code } }) => ok('Sender.', service.view(service.get(code))),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/senders/{code}',
    summary: 'Change a sender',
    params,
    body: updateSenderRequest,
    answer: senderAnswer,
    handler: async ({ params: { code }, body }) => ok('Sender saved.', await service.update(code, body)),
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/senders/{code}',
    summary: 'Delete a sender; what waits for it fails',
    params,
    answer: done,
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
    params,
    body: linkRequest,
    answer: senderAnswer,
    handler: async ({ params: { code }, body }) =>
      ok('Linking has begun. Read the sender for the code.', await service.link(code, body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/unlink',
    summary: 'Unlink a number; its queue waits',
    params,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Number unlinked.', await service.unlink(code)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/pause',
    summary: 'Hold the queue of a sender',
    params,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Sender paused.', await service.pause(code)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/senders/{code}/resume',
    summary: 'Go on sending; connects again after "replaced"',
    params,
    answer: senderAnswer,
    handler: async ({ params: { code } }) => ok('Sender goes on.', await service.resume(code)),
  }),
]
