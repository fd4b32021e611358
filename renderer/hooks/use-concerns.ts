import type { Concern } from '../../server/contract/concerns.ts'
import { type DescribedConcern, describeConcern } from '../../server/words/concern-text.ts'
import { useOverview } from '../api/overview.ts'
import { useWords } from './use-words.ts'

const NONE: Concern[] = []

/** All present concerns, the most harmful first. */
export const useConcerns = (): Concern[] => useOverview().data?.concerns ?? NONE

/** Describes a concern in the window's language. */
export function useConcernWords(): (concern: Concern) => DescribedConcern {
  const words = useWords()
  return (concern) => describeConcern(concern, words, Date.now())
}

/** The worst concern of a sender. Undefined: none. */
export const useSenderConcern = (senderCode: string): Concern | undefined =>
  useConcerns().find(({ sender_code }) => sender_code === senderCode)
