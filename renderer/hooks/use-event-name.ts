import { useTranslation } from 'react-i18next'
import { eventName } from '../../server/contract/webhooks.ts'

/** Names an event of a callback. An unknown event keeps its code. */
export function useEventName(): (event: string) => string {
  const { t } = useTranslation()
  return (event) => {
    const known = eventName.safeParse(event)
    return known.success ? t(`webhooks.event.${known.data}`) : event
  }
}
