import { z } from 'zod'
import { NEW_CHAT_WARNINGS } from '../../../contract/senders.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Store } from '../../../store/index.ts'
import { ASSUMED_FORM, type Evidence, formAfter } from './addressing.ts'

const time = z.number().nullable()

/** Stored facts about a linked account, without its customers. Times: milliseconds since 1970. */
const schema = z.object({
  form: z.object({
    form: z.enum(['lid', 'pn']),
    proof: z.enum(['assumed', 'client_props', 'prop', 'history', 'acknowledged']),
  }),
  lock: z.object({ active: z.boolean(), endsAt: time }).nullable(),
  cap: z
    .object({ used: time, total: time, resetsAt: time, warning: z.enum(NEW_CHAT_WARNINGS), holdsUntil: time })
    .nullable(),
  /** When WhatsApp last limited this number: a lock, a ban, or a refused message to a stranger. */
  limitedAt: time,
  newLink: z
    .object({ at: z.number(), heldFor: z.enum(['chats', 'refusal']).nullable() })
    .nullable()
    .default(null),
  lookUps: z.object({ lastAt: time, wrongInARow: z.number(), heldUntil: time }),
})
export type AccountFacts = z.infer<typeof schema>

export const NO_LOOK_UPS: AccountFacts['lookUps'] = { lastAt: null, wrongInARow: 0, heldUntil: null }

const NOTHING_KNOWN: AccountFacts = {
  form: ASSUMED_FORM,
  lock: null,
  cap: null,
  limitedAt: null,
  newLink: null,
  lookUps: NO_LOOK_UPS,
}

export type Account = ReturnType<typeof createAccount>

/** Keeps the facts about the account behind a linked number, in memory and on disk. */
export function createAccount(senderId: number, { linkedFacts }: Store, logger: Logger) {
  let facts = NOTHING_KNOWN
  let saving: Promise<void> = Promise.resolve()

  function set(next: AccountFacts): void {
    facts = next
    saving = saving
      .then(() => linkedFacts.save(senderId, facts))
      .catch((err: unknown) =>
        logger.error({ err, sender: senderId }, 'what is known of an account could not be stored'),
      )
  }

  function update(change: Partial<AccountFacts>): void {
    set({ ...facts, ...change })
  }

  return {
    /** Reads the stored facts, before the first connection. */
    async load(): Promise<void> {
      const read = schema.safeParse(await linkedFacts.get(senderId))
      // A phone may have been linked during the read; that newLink is newer.
      if (read.success) facts = { ...read.data, newLink: facts.newLink ?? read.data.newLink }
    },
    facts: (): AccountFacts => facts,
    /** Resolves when the current facts are on disk, or could not be stored. */
    saved: (): Promise<void> => saving,
    update,
    /** Applies evidence of the form in which the account's messages are written. */
    learnForm(evidence: Evidence): void {
      const form = formAfter(facts.form, evidence)
      if (form !== facts.form) update({ form })
    },
    /** Forgets all facts, because another account was linked. */
    forget: () => set(NOTHING_KNOWN),
  }
}
