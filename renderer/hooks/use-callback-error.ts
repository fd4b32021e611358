import { useTranslation } from 'react-i18next'
import { type CallbackError, callbackErrorOfCode } from '../../server/contract/webhooks.ts'

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

/**
 * Why an alarm was not taken, in the language of the window; what another program said stays as it
 * said it.
 */
export function useAlarmError(): (error: string) => string {
  const { t, i18n } = useTranslation()
  return (error) => {
    if (i18n.language === 'en') return error
    const [, sentence = '', node = ''] = /^(.*) \(([^()]+)\)$/s.exec(error) ?? []
    const [, status = '', said = ''] = /^answered HTTP (\d+): (.*)$/s.exec(error) ?? []
    const code = callbackErrorOfCode(node)
    if (code !== null) return `${t(`webhooks.error.${code}`, { status: '' })} (${node})`
    if (node === 'EAUTH') return t('settings.alarms.loginRefused', { said: sentence })
    if (status !== '') return `${t('webhooks.error.answered', { status })}: ${said}`
    return error.startsWith('no answer within') ? t('webhooks.error.timeout', { status: '' }) : error
  }
}
