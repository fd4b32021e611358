import { useTranslation } from 'react-i18next'
import { ERROR_STATUS } from '../../../server/contract/errors.ts'
import type { RefusedCall, RefusedGroup } from '../../../server/slices/refused-calls/contract.ts'
import { useProblemText } from '../../hooks/use-field-text.ts'
import { refusedCalls } from '../../i18n/en/refused-calls.ts'

const OWN_SENTENCES = refusedCalls.code
const hasOwnSentence = (code: string): code is keyof typeof OWN_SENTENCES => Object.hasOwn(OWN_SENTENCES, code)

/** True if the last calls got 429, because the ones before them had a wrong key. */
export const isBlocked = ({ status, code }: RefusedGroup): boolean => status === 429 && code !== 'rate_limited'

/** The status that belongs to the mistake, also where the last calls got another one for it. */
export const statusOf = (group: RefusedGroup): number =>
  isBlocked(group) && group.code !== 'charset_assumed' ? ERROR_STATUS[group.code] : group.status

/** The mistake, as a sentence about the program's call. */
export function useSentence(): (code: RefusedCall['code']) => string {
  const { t } = useTranslation()
  return (code) => (hasOwnSentence(code) ? t(`refusedCalls.code.${code}`) : t(`errors.code.${code}`))
}

/** The mistake in one line: the field or the address where there was one. */
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

/** Name of the program: that of its key, else the end of its key, its own name, or its PC. */
export function useCaller(): (group: RefusedGroup) => string {
  const { t } = useTranslation()
  return ({ key, hint, program, here, address }) => {
    const place = here ? t('refusedCalls.here') : address
    const name = key ?? (hint === null ? program : t('refusedCalls.unknownKey', { hint }))
    return name === null ? place : `${name} · ${place}`
  }
}
