import { notifications } from '@mantine/notifications'
import { useErrorText } from './use-error-text.ts'

/** Tells why an act was refused that has no place of its own for it, such as a button in a row. */
export function useTellError(): (error: Error) => void {
  const errorText = useErrorText()
  return (error) => void notifications.show({ color: 'red', message: errorText(error).title })
}
