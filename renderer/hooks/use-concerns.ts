import { useTranslation } from 'react-i18next'
import { type DescribedConcern, describeConcern } from '../../server/contract/concern-words/index.ts'
import type { Concern } from '../../server/contract/concerns.ts'
import { useOverview } from '../api/overview.ts'
import { isLanguage } from '../i18n/texts.ts'

const NONE: Concern[] = []

/** What needs the owner now, the most harmful first. */
export const useConcerns = (): Concern[] => useOverview().data?.concerns ?? NONE

/** A concern in the language of the window. */
export function useConcernWords(): (concern: Concern) => DescribedConcern {
  const { language } = useTranslation().i18n
  return (concern) => describeConcern(concern, isLanguage(language) ? language : 'en', Date.now())
}

/** The worst concern of a sender; undefined where it needs nothing. */
export const useSenderConcern = (senderCode: string): Concern | undefined =>
  useConcerns().find(({ sender_code }) => sender_code === senderCode)
