import { useDocumentTitle } from '@mantine/hooks'
import { isAlarm } from '../../server/contract/concerns.ts'
import { useConcerns } from './use-concerns.ts'

/** Names the browser's tab after the page, with the number of alarms. */
export function usePageTitle(title: string): void {
  const alarms = useConcerns().filter(isAlarm).length
  useDocumentTitle(`${alarms === 0 ? '' : `(${alarms}) `}${title} · Kurir`)
}
