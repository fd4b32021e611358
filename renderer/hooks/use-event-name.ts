import { useTranslation } from 'react-i18next'
import { eventName } from '../../server/contract/webhooks.ts'

/** Name of an event of a callback; one that this page does not know keeps its code. */
export function useEventName(): (event: string) => string {
  const { t } = useTranslation()
  return (event) => {
    const known = eventName.safeParse(event)
    return known.success ? t(`webhooks.event.${known.data}`) : event
  }
}
