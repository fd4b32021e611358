import { useTranslation } from 'react-i18next'
import { ApiError } from '../../server/contract/errors.ts'

/** What the server says of single fields, for the inputs of a form: its own words in English, a plain sign otherwise. */
export function useFieldErrors(): (error: Error) => Record<string, string> {
  const { t, i18n } = useTranslation()
  return (error) => {
    const details = error instanceof ApiError ? (error.extras.details ?? []) : []
    return Object.fromEntries(
      details.map(({ field, message }) => [field, i18n.language === 'en' ? message : t('errors.field')]),
    )
  }
}
