import type { QueryKind } from './queries.ts'

/**
 * The fate of a message: `now` acknowledged at once; `late` when the test releases it; `never`;
 * with an error (then it is not delivered); `cut before` and `cut after` the connection drops
 * around the acknowledgement; `lost` it drops and the message is gone.
 */
export type Acknowledge = 'now' | 'late' | 'never' | 'cut before' | 'cut after' | 'lost' | { error: string }

export interface Scope {
  /** Only messages to this phone number. */
  to?: string
  /** Only the next so many. */
  next?: number
}

export interface Login {
  number: string
  device: number
  version: readonly [number, number, number]
}

/** An answer in place of the right one to a look-up. `seconds` is the `backoff`. */
export type LookUpFault =
  | { error: number; of: 'contact' | 'devices' | 'lid'; at: 'result' | 'user'; seconds?: number }
  /**
   * The answer names nobody; a user has no `type`; only a LID as `jid`; a `pn_jid` and no `jid`.
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
    /** The newest rule that fits decides; `acknowledge('now')` without a scope forgets them all. */
    acknowledge(how: Acknowledge, { to, next = Number.POSITIVE_INFINITY }: Scope = {}) {
      if (how === 'now' && to === undefined && next === Number.POSITIVE_INFINITY) rules = []
      else rules.unshift({ how, to, left: next })
    },
    /** Lets the late acknowledgements go, in order; returns how many there were. */
    release(): number {
      const due = held
      held = []
      for (const acknowledge of due) acknowledge()
      return due.length
    },

    /**
     * All links stay open and nothing is heard or said any more; new connections get no answer
     * either.
     */
    freeze() {
      frozen = true
    },
    thaw() {
      frozen = false
      const work = frozenWork
      frozenWork = []
      for (const one of work) one()
    },

    /** Queries of these kinds get no answer, e.g. `usync usync`, `encrypt key`, `login`. */
    neverAnswer: (...kinds: (QueryKind | 'login')[]) => {
      for (const kind of kinds) silent.add(kind)
    },
    /** The next query of this kind is followed, and its answer is lost. */
    loseAnswer: (kind: QueryKind) => void lost.add(kind),
    answerAgain() {
      silent.clear()
      lost.clear()
      refusals = []
    },
    /**
     * Queries of this kind are answered with an error, e.g. `usync usync` with 429, `encrypt key`
     * with 406.
     */
    refuseQuery(kind: QueryKind, code: number, { next = Number.POSITIVE_INFINITY }: Pick<Scope, 'next'> = {}) {
      refusals.push({ kind, code, left: next })
    },
    /** How look-ups are answered, within a result. */
    lookUps: undefined as LookUpFault | undefined,
    /** The server does not know a stored query of `w:mex` any more. */
    dropStoredQuery: (id: string) => void dropped.add(id),
    /** A client that no phone has linked yet is welcomed as one that has logged in. */
    welcomeBeforePairing: false,
    /** The server welcomes clients by this LID, or by none. */
    welcomeAs: undefined as string | null | undefined,
    /** The server answers the first word of a pairing code with this error. */
    refusePairingCode: undefined as number | undefined,

    /** HTTP status that meets every new connection instead of the WebSocket upgrade. */
    refuseUpgrade: undefined as number | undefined,
    /** Decides on each login: a code, or all attributes of the failure, refuse it. */
    refuseLogin: undefined as ((login: Login) => number | Record<string, string> | undefined) | undefined,

    /** For the server itself. */
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
