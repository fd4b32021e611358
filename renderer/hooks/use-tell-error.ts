import { notifications } from '@mantine/notifications'
import { useErrorText } from './use-error-text.ts'

/** Shows an error as a notification, for actions with no room for it, such as a button in a row. */
export function useTellError(): (error: Error) => void {
  const errorText = useErrorText()
  return (error) => void notifications.show({ color: 'red', message: errorText(error).title })
}
