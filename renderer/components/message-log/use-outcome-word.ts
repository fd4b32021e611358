import { useTranslation } from 'react-i18next'

const OUTCOMES = ['acknowledged', 'refused', 'unknown', 'offline'] as const

/** How an attempt ended, in words; null while it runs. */
export function useOutcomeWord(): (outcome: string | null) => string {
  const { t } = useTranslation()
  return (outcome) => {
    if (outcome === null) return t('messages.outcome.running')
    const known = OUTCOMES.find((one) => one === outcome)
    return known === undefined ? outcome : t(`messages.outcome.${known}`)
  }
}
