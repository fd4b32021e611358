import type { ConcernCode } from '../contract/concerns.ts'

export interface ConcernText {
  /** One sentence: what happened. */
  title: string
  /** Consequences for messages and customers. */
  meaning: string
  /** The act that helps, and what to avoid. */
  advice: string
}

export type ConcernTexts = Partial<Record<ConcernCode, ConcernText>>
