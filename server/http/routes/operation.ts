import type { Registry } from 'prom-client'
import { keyOf } from '../../access/keys.ts'
import type { OwnerSessions } from '../../access/sessions.ts'
import { diagnostics, logAnswer, logQuery } from '../../contract/diagnostics.ts'
import { ApiError } from '../../contract/errors.ts'
import { health, overview } from '../../contract/operation.ts'
import type { HealthContext } from '../../health/context.ts'
import { markFailuresSeen, readDiagnostics, readHealth, readLog, readOverview } from '../../health/reports.ts'
import type { Authentication } from '../auth.ts'
import { ANSWERED, defineRoute, ok, Reply, type Route } from '../route.ts'
import type { Stream } from '../stream.ts'

export const operationRoutes = (context: HealthContext): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/diagnostics',
    auth: 'owner',
    tag: 'Settings',
    summary: 'Write a report of faults',
    description: 'Versions, states, counts, settings and the newest log, without secrets, numbers, names and texts.',
    answer: diagnostics,
    handler: ({ res }) => {
      res.setHeader('content-disposition', 'attachment; filename="kurir-diagnostics.json"')
      return readDiagnostics(context)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/log',
    auth: 'owner',
    tag: 'Settings',
    summary: 'Read the log',
    description: 'The last lines, or with `after` only those that came since.',
    query: logQuery,
    answer: logAnswer,
    handler: ({ query }) => ok('Log.', readLog(context, query.after)),
  }),
  defineRoute({
    method: 'GET',
    path: '/health',
    auth: 'none',
    tag: 'Operation',
    summary: 'Can Kurir accept messages?',
    description: 'For monitoring: no key, no name, no number. `concerns` counts what needs the owner.',
    answer: health,
    otherAnswers: [{ status: 503, description: 'Messages are not accepted; `reasons` says why.', schema: health }],
    handler: async () => {
      const report = await readHealth(context)
      return new Reply(report.success ? 200 : 503, report)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/overview',
    auth: 'owner',
    inTurn: true,
    tag: 'Operation',
    summary: 'Read the first page',
    description: 'The concerns, the senders, and the figures of this day and the last fourteen.',
    answer: overview,
    handler: async () => ok('Overview.', await readOverview(context)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/overview/failures-seen',
    auth: 'owner',
    tag: 'Operation',
    summary: 'Mark the failures of this day as seen',
    description: 'They are no alarm any more, until as many fail again as raise one. The list of messages keeps them.',
    answer: overview,
    handler: async () => {
      await markFailuresSeen(context)
      return ok('Seen.', await readOverview(context))
    },
  }),
]

export const eventRoutes = (stream: Stream, sessions: OwnerSessions, authentication: Authentication): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    auth: 'owner',
    tag: 'Operation',
    summary: 'Stream changes (server-sent events)',
    description: 'Changed messages come with their row; everything else says only what to read again.',
    answer: 'text/event-stream',
    handler: ({ req, res, caller: { session } }) => {
      if (session !== null)
        res.on(
          'close',
          sessions.whenRevoked(session, () => res.destroy()),
        )
      const lastId = req.headers['last-event-id']
      stream.open(res, {
        lastId: typeof lastId === 'string' ? lastId : undefined,
        mayRead: () => authentication.mayBeOwner(req) && (session === null || sessions.isOpen(session)),
      })
      return ANSWERED
    },
  }),
]

export const metricsRoutes = (registry: Registry): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/metrics',
    auth: 'key_or_owner',
    forReaders: true,
    tag: 'Operation',
    summary: 'Metrics for Prometheus',
    description: 'In its text format. For Global keys, also those that may only read, and the owner.',
    // It names every sender, webhook and queue.
    admit: (caller) => {
      if (keyOf(caller)?.kind === 'device')
        throw new ApiError('sender_not_allowed', 'A device key reads no metrics. Use a global key.')
    },
    answer: 'text/plain',
    handler: async ({ res }) => {
      const text = await registry.metrics()
      res.writeHead(200, { 'content-type': registry.contentType }).end(text)
      return ANSWERED
    },
  }),
]
