import { useTranslation } from 'react-i18next'
import { ApiError } from '../../server/contract/errors.ts'
import { FIELD_PROBLEMS, type FieldProblem, type ProblemValues } from '../../server/contract/field-problems.ts'
import { fieldText as problemText } from '../../server/words/say.ts'
import { namesIn } from '../../server/words/text.ts'
import { useErrorText } from './use-error-text.ts'
import { useWords } from './use-words.ts'

/** Names of the contract's fields that have an input. */
export const FIELDS = [
  'name',
  'pacing.min_seconds',
  'pacing.max_seconds',
  'daily_cap',
  'quiet_hours.from',
  'quiet_hours.to',
  'country_code',
  'phone_number_id',
  'waba_id',
  'access_token',
  'app_secret',
  'verify_token',
  'kind',
  'sender_code',
  'expires_at',
  'rate_limit_per_minute',
  'url',
  'events',
  'sender_codes',
  'phone',
  'message',
  'file',
  'reference_id',
  'template_name',
  'language',
  'parameters',
  'components',
  'port',
  'webhook_port',
  'allowed_hosts',
  'cors_origins',
  'media_allowed_hosts',
  'public_webhook_url',
  'passphrase',
] as const

/** Says what a field must contain, for a refused input. `field` is the contract's name. */
export function useFieldText(): (field: string) => string {
  const { t } = useTranslation()
  return (field) => {
    // An item of a list has its index in the name, such as `allowed_hosts.0`.
    const known = FIELDS.find((one) => field === one || field.startsWith(`${one}.`))
    return known === undefined ? t('errors.anyField') : t(`errors.field.${known}`)
  }
}

/** A wrong field, with the code of its problem or only the server's English sentence. */
interface Wrong {
  field: string
  code?: FieldProblem | 'other' | string | null | undefined
  values?: ProblemValues | undefined
  message?: string
}

const isProblem = (code: unknown): code is FieldProblem => FIELD_PROBLEMS.some((one) => one === code)

/**
 * Says what is wrong with a field in the window's language. General words replace a sentence that
 * only the server has.
 */
export function useProblemText(): (wrong: Wrong) => string {
  const { i18n } = useTranslation()
  const words = useWords()
  const fieldText = useFieldText()
  return ({ field, code, values, message }) => {
    if (i18n.language === 'en' && message !== undefined) return message
    if (!isProblem(code) || code === 'other' || code === 'invalid') return fieldText(field)
    const isWhole = namesIn(words.fields[code]).every((name) => values?.[name] !== undefined)
    return isWhole ? problemText(words, code, values) : fieldText(field)
  }
}

/** Returns the server's refusals by field. */
export function useRefusals(): (error: Error) => Record<string, string> {
  const problemText = useProblemText()
  return (error) => {
    const details = error instanceof ApiError ? (error.extras.details ?? []) : []
    return Object.fromEntries(details.map((detail) => [detail.field, problemText(detail)]))
  }
}

/**
 * Says why a field was refused, or else what failed, in the window's language. Without `field`: why
 * the first refused field was.
 */
export function useRefusalText(): (error: Error, field?: string) => string {
  const refusals = useRefusals()
  const errorText = useErrorText()
  return (error, field) => {
    const refused = refusals(error)
    return (field === undefined ? Object.values(refused)[0] : refused[field]) ?? errorText(error).title
  }
}
