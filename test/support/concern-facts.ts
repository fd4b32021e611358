import type { ConcernFacts, EndpointFacts, OutcomeCount, SenderFacts } from '../../server/health/concerns/facts.ts'
import type { OfficialConcernFacts } from '../../server/senders/ports.ts'

/** An afternoon in this PC's time zone, so that "today" already has some hours. */
export const NOW = new Date(2026, 10, 21, 15, 0).getTime()

/** Returns a healthy linked number, with the changes in `more`. */
export const linkedFacts = (more: Partial<SenderFacts> = {}): SenderFacts => ({
  ...{
    id: 1,
    code: 'SND-BUDI',
    name: 'Toko Budi',
    kind: 'linked',
    state: 'connected',
    reason: null,
    since: NOW - 86_400_000,
  },
  ...{
    isDown: false,
    paused: false,
    hasPhone: true,
    waiting: 0,
    heldBy: null,
    heldUntil: null,
    queueEndsAt: NOW,
    isStuck: false,
  },
  ...{ firstContacts: null, official: null },
  ...more,
})

/** Returns a healthy official number, with the given changes. */
export const officialFacts = (
  more: Partial<OfficialConcernFacts> = {},
  sender: Partial<SenderFacts> = {},
): SenderFacts =>
  linkedFacts({
    ...{ id: 2, code: 'SND-META', name: 'Toko Resmi', kind: 'official' },
    official: { secretsUnreadable: false, failedChecks: [], statuses: 'arrive', templatesLost: 0, ...more },
    ...sender,
  })

export const endpointFacts = (more: Partial<EndpointFacts> = {}): EndpointFacts => ({
  ...{
    id: 7,
    host: 'pos.local:8080',
    isGone: false,
    enabled: true,
    isFailing: false,
    failingSince: null,
    pending: 0,
    dead: 0,
  },
  ...more,
})

export const outcome = (
  kind: OutcomeCount['kind'],
  count: number,
  reason: OutcomeCount['reason'] = null,
  more: Partial<OutcomeCount> = {},
): OutcomeCount => ({ at: NOW - 7_200_000, senderId: 1, kind, reason, count, ...more })

/** Returns a healthy shop, with the changes in `more`. */
export const concernFacts = (more: Partial<ConcernFacts> = {}): ConcernFacts => ({
  ...{
    now: NOW,
    storage: null,
    unread: false,
    freeBytes: 50 * 1024 ** 3,
    allPaused: false,
    senders: [linkedFacts()],
    endpoints: [],
  },
  ...{
    outcomes: [],
    others: [],
    lanOpen: false,
    ownerPagesOpen: false,
    keptForEver: false,
    clockWrongAt: null,
    update: null,
  },
  ...more,
})
