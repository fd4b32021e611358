import { useTranslation } from 'react-i18next'
import { ERROR_STATUS } from '../../../server/contract/errors.ts'
import type { RefusedCall, RefusedGroup } from '../../../server/slices/refused-calls/contract.ts'
import { useProblemText } from '../../hooks/use-field-text.ts'
import { refusedCalls } from '../../i18n/en/refused-calls.ts'

const OWN_SENTENCES = refusedCalls.code
const hasOwnSentence = (code: string): code is keyof typeof OWN_SENTENCES => Object.hasOwn(OWN_SENTENCES, code)

/** True if the last calls got 429 because earlier ones had a wrong key. */
export const isBlocked = ({ status, code }: RefusedGroup): boolean => status === 429 && code !== 'rate_limited'

/** Returns the HTTP status of the mistake, even if the last calls got 429 for it. */
export const statusOf = (group: RefusedGroup): number =>
  isBlocked(group) && group.code !== 'charset_assumed' ? ERROR_STATUS[group.code] : group.status

/** Describes the mistake in a sentence about the program's call. */
export function useSentence(): (code: RefusedCall['code']) => string {
  const { t } = useTranslation()
  return (code) => (hasOwnSentence(code) ? t(`refusedCalls.code.${code}`) : t(`errors.code.${code}`))
}

/** Describes the mistake in one line, with the field or address if it concerns one. */
export function useWhat(): (group: RefusedGroup) => string {
  const { t } = useTranslation()
  const sentenceOf = useSentence()
  const problemText = useProblemText()
  return ({ code, field, problem, looks_like, method, path }) => {
    if (looks_like === 'Kurir') return t('refusedCalls.slip', { call: `${method} ${path}` })
    if (looks_like !== null) return t('refusedCalls.looksLike', { name: looks_like, call: `${method} ${path}` })
    if (field !== null) return `${field}: ${problemText({ field, code: problem, values: undefined })}`
    const isAddress = code === 'not_found' || code === 'method_not_allowed'
    return isAddress ? `${method} ${path}: ${sentenceOf(code)}` : sentenceOf(code)
  }
}

/** Names the program by its key's name, else by its key's end or its own name, and by its PC. */
export function useCaller(): (group: RefusedGroup) => string {
  const { t } = useTranslation()
  return ({ key, hint, program, here, address }) => {
    const place = here ? t('refusedCalls.here') : address
    const name = key ?? (hint === null ? program : t('refusedCalls.unknownKey', { hint }))
    return name === null ? place : `${name} · ${place}`
  }
}
