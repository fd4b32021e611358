import { useTranslation } from 'react-i18next'
import { useSenders } from '../api/senders.ts'

/** Names the sender that an opt-out is for, as a part of its line; none: it is for all. */
export function useFromSender(): (code: string | null) => string[] {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  return (code) => {
    if (code === null) return []
    const name = senders.find(({ sender_code }) => sender_code === code)?.name ?? code
    return [t('optOuts.fromSender', { name })]
  }
}
