import { useTranslation } from 'react-i18next'
import { ApiError } from '../../server/contract/errors.ts'
import { ConnectionLost } from '../api/client.ts'

interface ErrorText {
  title: string
  hint: string | undefined
  /** Code for the programmer, shown in small type. */
  code: string
}

/**
 * Describes an error in the owner's language. Details that only the server knows, such as which
 * template or port, stay in English.
 */
export function useErrorText(): (error: Error) => ErrorText {
  const { t, i18n } = useTranslation()
  return (error) => {
    if (error instanceof ConnectionLost) {
      return { title: t('errors.connection'), hint: t('errors.connectionHint'), code: 'no_answer' }
    }
    if (!(error instanceof ApiError)) {
      return { title: t('errors.unreadable'), hint: t('errors.unreadableHint'), code: error.message.slice(0, 160) }
    }
    const { incident, provider, hint_code } = error.extras
    const general = t(`errors.code.${error.code}`)
    // The server's sentence is more exact, but always English.
    const english = i18n.language === 'en'
    const title = english && error.code !== 'invalid_request' ? error.message : general
    const reason = provider?.details ?? provider?.message
    if (incident !== undefined) return { title, hint: t('errors.incident', { id: incident }), code: error.code }
    if (english || hint_code === undefined) return { title, hint: reason, code: error.code }
    // Meta's own words are English, so they go to the small type.
    const code = reason === undefined ? error.code : `${error.code} · ${reason}`
    return { title, hint: t(`providerHints.${hint_code}`), code }
  }
}
