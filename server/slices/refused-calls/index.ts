import { emptyAnswer } from '../../contract/fields.ts'
import type { Gateway } from '../../http/outline.ts'
import { defineRoute, done, list, ok, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Disposer } from '../../lib/disposer.ts'
import type { Logger } from '../../lib/logger.ts'
import { createRefusedCalls, type RefusedCalls } from './calls.ts'
import {
  decideRequest,
  knownProgramAnswer,
  knownProgramsAnswer,
  nameParams,
  refusedCallsAnswer,
  refusedCallsQuery,
  refusedGroupsAnswer,
  refusedSeenRequest,
} from './contract.ts'
import { decide, findConcerns, type GroupContext, listCalls, listGroups, listPrograms, markSeen } from './groups.ts'
import { createRefusedCallStore } from './store.ts'

interface RefusedCallParts extends Pick<GroupContext, 'store' | 'mouths' | 'isOn' | 'switchOn'> {
  clock: Clock
  logger: Logger
}

export function refusedCalls({ clock, logger, ...parts }: RefusedCallParts, disposer: Disposer) {
  const { store, mouths } = parts
  const rows = createRefusedCallStore(store.statements)
  const calls = createRefusedCalls(rows, mouths.map(notLetIn(parts.isOn)), clock, logger)
  disposer.defer('refused calls', calls.close)
  const context = { ...parts, rows, keys: store.keys, calls, now: clock.now }
  return {
    routes: refusedCallRoutes(calls, context),
    watcher: calls,
    forget: rows.forget,
    concerns: () => findConcerns(context),
  }
}

/**
 * Limits a gateway to calls that are not let in yet: once it is switched on, refused calls to
 * /compat/ are no news.
 */
const notLetIn =
  (isOn: GroupContext['isOn']) =>
  (gateway: Gateway): Gateway => ({
    ...gateway,
    looksLike: (call) =>
      !(call.path.startsWith('/compat/') && gateway.mouth !== null && isOn(gateway.mouth.switch)) &&
      gateway.looksLike(call),
  })

const owner = { auth: 'owner', tag: 'Operation' } as const

const refusedCallRoutes = (calls: RefusedCalls, context: GroupContext): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/refused-calls',
    summary: 'List refused requests',
    description: 'The last 1,000 requests of programs that got an error response, newest first.',
    query: refusedCallsQuery,
    answer: refusedCallsAnswer,
    handler: async ({ query }) => {
      const before = query.cursor === undefined ? undefined : Number(query.cursor)
      const rows = await listCalls(context, { before, limit: query.limit, groupId: query.group })
      const page = list(rows, rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null)
      return { ...page, not_kept: calls.notKept() }
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/refused-calls/groups',
    summary: 'List refused requests, grouped by caller and mistake',
    description: 'Newest group first, with the number of requests in each and the time of the last one.',
    answer: refusedGroupsAnswer,
    handler: async () => ({ ...ok('Refused calls.', await listGroups(context)), not_kept: calls.notCounted() }),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/refused-calls/seen',
    summary: 'Mark refused requests as seen',
    description: 'The marked groups are no longer reported as a concern; requests that are refused later are.',
    body: refusedSeenRequest,
    answer: emptyAnswer,
    handler: ({ body }) => done('Marked as seen.', markSeen(context, body.group)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/refused-calls/programs',
    summary: 'List programs written for another gateway',
    description:
      "Programs on this PC whose requests, in the last 24 hours, have the form of another gateway's API, and whether Kurir answers them.",
    answer: knownProgramsAnswer,
    handler: async () => ok('Programs.', await listPrograms(context)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/refused-calls/programs/{name}',
    summary: 'Accept or dismiss a program written for another gateway',
    description: '`let_in` switches on the compatible routes of that gateway in the settings.',
    params: nameParams,
    body: decideRequest,
    answer: knownProgramAnswer,
    handler: async ({ params, body }) => ok('Decided.', await decide(context, params.name, body.decision)),
  }),
]
