import type { SenderCheck, SenderView } from '../../server/contract/senders.ts'
import type { WebhookView } from '../../server/contract/webhooks.ts'
import type { Overview } from '../api/overview.ts'
import { endpointHealth } from './endpoint-health.ts'

/** Something that needs an action by the owner. */
export type Issue =
  | { kind: 'sender'; problem: SenderProblem; sender: SenderView }
  | { kind: 'failures'; failed: number; ended: number }
  | { kind: 'check'; check: SenderCheck; sender: SenderView }
  | { kind: 'callbacks'; count: number }
  | { kind: 'endpoint'; problem: 'gone' | 'failing'; endpoint: WebhookView }
  | { kind: 'disk'; freeBytes: number }

/** The more severe one first. */
const PROBLEMS = ['restricted', 'logged_out', 'replaced', 'unlinked', 'offline', 'first_contacts', 'paused'] as const
export type SenderProblem = (typeof PROBLEMS)[number]

const LOW_DISK_BYTES = 1_000_000_000
/** Shorter disconnections are not reported (milliseconds). */
const OFFLINE_GRACE = 60_000

interface Known {
  senders: SenderView[]
  endpoints: WebhookView[]
  overview: Overview | undefined
}

/** What needs the owner now, the most harmful first: messages that wait count more than the severity of the cause. */
export function findIssues({ senders, endpoints, overview }: Known, now: number): Issue[] {
  const ofSenders = senders
    .flatMap((sender): Extract<Issue, { kind: 'sender' }>[] => {
      const problem = senderProblem(sender, now)
      return problem === null ? [] : [{ kind: 'sender', problem, sender }]
    })
    .sort(
      (a, b) =>
        Number(a.problem === 'paused') - Number(b.problem === 'paused') ||
        b.sender.waiting - a.sender.waiting ||
        PROBLEMS.indexOf(a.problem) - PROBLEMS.indexOf(b.problem),
    )
  const troubled = new Set(ofSenders.map(({ sender }) => sender))
  const ofChecks = senders.flatMap((sender): Issue[] => {
    const check = sender.official?.checks.find((one) => !one.ok)
    // One cause is one issue: a sender that cannot send has failing checks as well.
    return check === undefined || troubled.has(sender) ? [] : [{ kind: 'check', check, sender }]
  })
  const alarms: Issue[] = [
    ...ofSenders.filter(({ problem }) => problem !== 'paused'),
    ...(overview === undefined ? [] : failuresIssue(overview)),
    ...ofChecks,
    ...endpoints.flatMap(endpointIssue),
    ...(overview === undefined ? [] : overviewIssues(overview)),
  ]
  return [...alarms, ...ofSenders.filter(({ problem }) => problem === 'paused')]
}

/** Whether it is worth an alarm: a pause is the owner's own choice. */
export const isAlarm = (issue: Issue): boolean => issue.kind !== 'sender' || issue.problem !== 'paused'

/** Differs for any two issues of a list. */
export function issueKey(issue: Issue): string {
  switch (issue.kind) {
    case 'sender':
    case 'check':
      return `${issue.kind} ${issue.sender.sender_code}`
    case 'endpoint':
      return `endpoint ${issue.endpoint.id}`
    case 'failures':
    case 'callbacks':
    case 'disk':
      return issue.kind
  }
}

/** One failure in a day is normal; most of the messages, or many of them, are not. */
function failuresIssue({ today: { sent, failed } }: Overview): Issue[] {
  const ended = sent + failed
  const share = ended === 0 ? 0 : failed / ended
  return share >= 0.5 || (failed >= 5 && share >= 0.2) ? [{ kind: 'failures', failed, ended }] : []
}

function overviewIssues({ callbacks, disk }: Overview): Issue[] {
  return [
    ...(callbacks.dead > 0 ? [{ kind: 'callbacks', count: callbacks.dead } as const] : []),
    ...(disk.free_bytes !== null && disk.free_bytes < LOW_DISK_BYTES
      ? [{ kind: 'disk', freeBytes: disk.free_bytes } as const]
      : []),
  ]
}

/** Callbacks that failed for good are one issue for all endpoints. */
function endpointIssue(endpoint: WebhookView): Issue[] {
  const problem = endpointHealth(endpoint)
  if (problem === 'gone') return [{ kind: 'endpoint', problem, endpoint }]
  return problem === 'failing' && endpoint.dead === 0 && endpoint.pending > 0
    ? [{ kind: 'endpoint', problem, endpoint }]
    : []
}

function senderProblem(sender: SenderView, now: number): SenderProblem | null {
  switch (sender.state) {
    case 'restricted':
    case 'logged_out':
    case 'replaced':
      return sender.state
    case 'unlinked':
      return sender.kind === 'linked' ? 'unlinked' : null
    case 'offline':
      return now - Date.parse(sender.since) > OFFLINE_GRACE ? 'offline' : null
    case 'paused':
      return sender.waiting > 0 ? 'paused' : null
    default:
      return sender.first_contacts_wait_until === null ? null : 'first_contacts'
  }
}
