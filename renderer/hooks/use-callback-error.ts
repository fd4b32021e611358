import { useTranslation } from 'react-i18next'

const KINDS = {
  refused: ['ECONNREFUSED'],
  cut: ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
  name: ['ENOTFOUND', 'EAI_AGAIN'],
  slow: ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
  way: ['EHOSTUNREACH', 'ENETUNREACH'],
  certificate: [
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
} as const

const kindOf = (code: string | undefined) =>
  (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((kind) => KINDS[kind].some((one) => one === code))

/** Why a receiver did not take a callback, in the language of the window; the server says it in English, with a code. */
export function useCallbackError(): (text: string) => string {
  const { t, i18n } = useTranslation()
  return (text) => {
    if (i18n.language === 'en') return text
    const status = /answered (\d{3})$/.exec(text)?.[1]
    if (status !== undefined) return t('webhooks.error.answered', { status })
    if (text.startsWith('no answer within')) return t('webhooks.error.late')
    const code = /\((\w+)\)$/.exec(text)?.[1]
    const kind = kindOf(code)
    return kind === undefined ? text : `${t(`webhooks.error.${kind}`)} (${code})`
  }
}
