import { useTranslation } from 'react-i18next'
import { useSenders } from '../api/senders.ts'

/** Returns the part of an opt-out's line that names its sender. Empty: it is for all senders. */
export function useFromSender(): (code: string | null) => string[] {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  return (code) => {
    if (code === null) return []
    const name = senders.find(({ sender_code }) => sender_code === code)?.name ?? code
    return [t('optOuts.fromSender', { name })]
  }
}
