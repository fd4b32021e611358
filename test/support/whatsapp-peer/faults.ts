import type { QueryKind } from './queries.ts'

/**
 * Fate of a message. The server acknowledges it `now`; `late`, when the test calls release;
 * `never`; or with an error and without delivery. `cut before` and `cut after` drop the connection
 * around the acknowledgement. `lost` drops the connection and the message.
 */
export type Acknowledge = 'now' | 'late' | 'never' | 'cut before' | 'cut after' | 'lost' | { error: string }

export interface Scope {
  /** Limits the rule to messages to this phone number or group. */
  to?: string
  /** Limits the rule to this number of messages. */
  next?: number
}

export interface Login {
  number: string
  device: number
  version: readonly [number, number, number]
}

/** Wrong answer to a look-up. `seconds` is the `backoff`. */
export type LookUpFault =
  | { error: number; of: 'contact' | 'devices' | 'lid'; at: 'result' | 'user'; seconds?: number }
  /**
   * The answer names nobody, has a user without `type`, only a LID as `jid`, or a `pn_jid` without
   * `jid`.
   */
  | 'nobody'
  | 'no type'
  | 'lid only'
  | 'no jid'

export function createFaults() {
  let rules: { how: Acknowledge; to: string | undefined; left: number }[] = []
  let held: (() => void)[] = []
  let frozen = false
  let frozenWork: (() => void)[] = []
  const silent = new Set<string>()
  const lost = new Set<string>()
  let refusals: { kind: string; code: number; left: number }[] = []
  const dropped = new Set<string>()

  return {
    /**
     * Adds a rule; the newest that fits decides. `acknowledge('now')` without a scope removes all
     * rules.
     */
    acknowledge(how: Acknowledge, { to, next = Number.POSITIVE_INFINITY }: Scope = {}) {
      if (how === 'now' && to === undefined && next === Number.POSITIVE_INFINITY) rules = []
      else rules.unshift({ how, to, left: next })
    },
    /** Sends the late acknowledgements in order and returns their number. */
    release(): number {
      const due = held
      held = []
      for (const acknowledge of due) acknowledge()
      return due.length
    },

    /** Keeps all connections open but silent in both directions; new connections get no answer. */
    freeze() {
      frozen = true
    },
    thaw() {
      frozen = false
      const work = frozenWork
      frozenWork = []
      for (const one of work) one()
    },

    /** Leaves queries of these kinds unanswered, e.g. `usync usync`, `encrypt key`, `login`. */
    neverAnswer: (...kinds: (QueryKind | 'login')[]) => {
      for (const kind of kinds) silent.add(kind)
    },
    /** Carries out the next query of this kind and drops the answer. */
    loseAnswer: (kind: QueryKind) => void lost.add(kind),
    answerAgain() {
      silent.clear()
      lost.clear()
      refusals = []
    },
    /**
     * Answers queries of this kind with an error, e.g. `usync usync` with 429, `encrypt key` with
     * 406.
     */
    refuseQuery(kind: QueryKind, code: number, { next = Number.POSITIVE_INFINITY }: Pick<Scope, 'next'> = {}) {
      refusals.push({ kind, code, left: next })
    },
    /** Fault within the results of look-ups. */
    lookUps: undefined as LookUpFault | undefined,
    /** Makes the server forget a stored query of `w:mex`. */
    dropStoredQuery: (id: string) => void dropped.add(id),
    /** Sends `success` to a client that is not linked yet, as to a login. */
    welcomeBeforePairing: false,
    /** LID in the `success` of every login; null: none. Default: the client's own. */
    welcomeAs: undefined as string | null | undefined,
    /** Error code for the first stanza of a pairing code. */
    refusePairingCode: undefined as number | undefined,

    /** HTTP status that answers every new connection instead of the WebSocket upgrade. */
    refuseUpgrade: undefined as number | undefined,
    /** Refuses a login by returning a code or the failure's attributes. */
    refuseLogin: undefined as ((login: Login) => number | Record<string, string> | undefined) | undefined,

    /** Used by the server only. */
    internal: {
      take(to: string): Acknowledge {
        const rule = rules.find((one) => one.to === undefined || one.to === to)
        if (!rule) return 'now'
        rule.left -= 1
        rules = rules.filter(({ left }) => left > 0)
        return rule.how
      },
      hold: (acknowledge: () => void) => {
        held.push(acknowledge)
      },
      gate(work: () => void) {
        if (frozen) frozenWork.push(work)
        else work()
      },
      isSilent: (kind: string) => silent.has(kind),
      isLost: (kind: string) => lost.delete(kind),
      refusalOf(kind: string): number | undefined {
        const refusal = refusals.find((one) => one.kind === kind)
        if (refusal === undefined) return undefined
        refusal.left -= 1
        refusals = refusals.filter(({ left }) => left > 0)
        return refusal.code
      },
      dropped: dropped as ReadonlySet<string>,
    },
  }
}
export type Faults = ReturnType<typeof createFaults>
