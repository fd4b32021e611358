import type { SenderCheck, SenderView } from '../../server/contract/senders.ts'
import type { WebhookView } from '../../server/contract/webhooks.ts'
import type { Overview } from '../api/overview.ts'
import { endpointHealth } from './endpoint-health.ts'

/** Something that does not mend itself: what needs the owner's hand, the worst first. */
export type Issue =
  | { kind: 'sender'; problem: SenderProblem; sender: SenderView }
  | { kind: 'check'; check: SenderCheck; sender: SenderView }
  | { kind: 'callbacks'; count: number }
  | { kind: 'receiver'; problem: 'gone' | 'failing'; endpoint: WebhookView }
  | { kind: 'disk'; freeBytes: number }

export type SenderProblem =
  | 'restricted'
  | 'logged_out'
  | 'replaced'
  | 'unlinked'
  | 'offline'
  | 'first_contacts'
  | 'paused'

const SEVERITY: SenderProblem[] = [
  'restricted',
  'logged_out',
  'replaced',
  'unlinked',
  'offline',
  'first_contacts',
  'paused',
]

const LOW_DISK_BYTES = 1_000_000_000
/** A shorter loss of the connection mends itself and is not worth a worry. */
const OFFLINE_GRACE_MS = 60_000

interface Known {
  senders: SenderView[]
  endpoints: WebhookView[]
  overview: Overview | undefined
}

export function findIssues({ senders, endpoints, overview }: Known, now: number): Issue[] {
  const ofSenders = senders
    .flatMap((sender): Extract<Issue, { kind: 'sender' }>[] => {
      const problem = senderProblem(sender, now)
      return problem === null ? [] : [{ kind: 'sender', problem, sender }]
    })
    .sort((a, b) => SEVERITY.indexOf(a.problem) - SEVERITY.indexOf(b.problem))
  const ofChecks = senders.flatMap((sender): Issue[] => {
    const check = sender.official?.checks.find((one) => !one.ok)
    return check === undefined ? [] : [{ kind: 'check', check, sender }]
  })
  return [
    ...ofSenders,
    ...ofChecks,
    ...endpoints.flatMap(receiverIssue),
    ...(overview === undefined ? [] : overviewIssues(overview)),
  ]
}

function overviewIssues({ callbacks, disk }: Overview): Issue[] {
  return [
    ...(callbacks.dead > 0 ? [{ kind: 'callbacks', count: callbacks.dead } as const] : []),
    ...(disk.free_bytes !== null && disk.free_bytes < LOW_DISK_BYTES
      ? [{ kind: 'disk', freeBytes: disk.free_bytes } as const]
      : []),
  ]
}

/** What was given up is told once for all receivers. */
function receiverIssue(endpoint: WebhookView): Issue[] {
  const problem = endpointHealth(endpoint)
  if (problem === 'gone') return [{ kind: 'receiver', problem, endpoint }]
  return problem === 'failing' && endpoint.dead === 0 && endpoint.pending > 0
    ? [{ kind: 'receiver', problem, endpoint }]
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
      return now - Date.parse(sender.since) > OFFLINE_GRACE_MS ? 'offline' : null
    case 'paused':
      return sender.waiting > 0 ? 'paused' : null
    default:
      return sender.first_contacts_wait_until === null ? null : 'first_contacts'
  }
}
