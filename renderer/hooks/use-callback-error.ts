import { useTranslation } from 'react-i18next'
import type { CallbackError } from '../../server/contract/webhooks.ts'
import type { AlarmFailure } from '../../server/slices/alarms/contract.ts'

interface Failed {
  /** The server's words, in English. */
  error: string | null
  code: CallbackError | null
  status: number | null
}

/**
 * Says why a callback was not taken, in the window's language. An error without a code stays in the
 * server's English.
 */
export function useCallbackError(): (failed: Failed) => string | null {
  const { t } = useTranslation()
  return ({ error, code, status }) => (code === null ? error : t(`webhooks.error.${code}`, { status: status ?? '' }))
}

/** Says why an alarm was not taken, in the window's language. Other programs' words stay. */
export function useAlarmError(): (failure: AlarmFailure) => string {
  const { t } = useTranslation()
  return ({ error, error_code, status, said }) => {
    if (error_code === null) return error
    if (error_code === 'login_refused') return t('settings.alarms.loginRefused', { said })
    if (error_code === 'sender_not_connected') return t('settings.alarms.senderNotConnected')
    const why = t(`webhooks.error.${error_code}`, { status })
    return said === null ? why : `${why}: ${said}`
  }
}
