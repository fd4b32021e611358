import { codeParams } from '../../contract/fields.ts'
import { type GroupView, groupsAnswer } from '../../contract/groups.ts'
import { groupsOf } from '../../messages/group-recipient.ts'
import { NO_GROUPS, pickSender, senderByCode } from '../../senders/pick.ts'
import type { GroupRow, Store } from '../../store/index.ts'
import { defineRoute, ok, type Route } from '../route.ts'

const viewOf = ({ jid, name, members, canSend }: GroupRow): GroupView => ({
  group: jid,
  name,
  members,
  can_send: canSend,
})

export const groupRoutes = ({ senders, groups }: Store): Route[] => [
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
      senderByCode(senders, code)
      const sender = pickSender(senders, caller, code, 'linked', NO_GROUPS)
      return ok('Groups.', (await groupsOf(groups, sender)).map(viewOf))
    },
  }),
]
