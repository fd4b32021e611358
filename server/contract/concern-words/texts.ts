import type { ConcernAction, ConcernCode } from '../concerns.ts'
import type { FailureCode } from '../failures.ts'
import type { SenderCheck } from '../senders.ts'

/**
 * The words of one concern. `{name}` and the like are filled in from the concern,
 * `{count:callback|callbacks}` chooses by number, and what is in `[…]` is left out where one of its
 * values is not known.
 */
export interface ConcernText {
  /** One sentence: what happened. */
  title: string
  /** Consequences for messages and customers. */
  meaning: string
  /** The act that helps, and what to avoid. */
  advice: string
}

/** Everything that concerns need in one language. */
export interface ConcernTexts {
  concerns: Record<ConcernCode, ConcernText>
  /** Labels of the button. */
  actions: Record<ConcernAction, string>
  /** Why messages failed, short enough for a list within a sentence. */
  reasons: Record<FailureCode, string>
  otherReasons: string
  /** Behind the title where messages wait because of it, or failed today. */
  waiting: string
  failed: string
  /** A span of time: of the present day, or from a clock time. */
  today: string
  sinceTime: string
  /** In place of the name of a number, and of several. */
  aNumber: string
  numbers: string
  /** In place of the address of a webhook. */
  aWebhook: string
  /** Checks of an official number. */
  checks: Record<SenderCheck['name'], string>
}
