import { useTranslation } from 'react-i18next'
import type { CallbackError } from '../../server/contract/webhooks.ts'

interface Failed {
  /** The server's words, in English. */
  error: string | null
  code: CallbackError | null
  status: number | null
}

/**
 * Why a callback was not taken, in the language of the window; what has no code yet stays in the
 * server's English.
 */
export function useCallbackError(): (failed: Failed) => string | null {
  const { t } = useTranslation()
  return ({ error, code, status }) => (code === null ? error : t(`webhooks.error.${code}`, { status: status ?? '' }))
}
