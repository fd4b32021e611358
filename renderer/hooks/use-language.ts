import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../server/contract/errors.ts'
import type { Language, SettingsView } from '../../server/contract/settings.ts'
import { useUpdateSettings } from '../api/settings.ts'
import { speak } from '../i18n/i18n.ts'
import { browserLanguage, isLanguage, rememberedLanguage } from '../i18n/texts.ts'
import { useTellError } from './use-tell-error.ts'

/** The language of the settings before anybody has chosen. */
const UNCHOSEN: Language = 'en'

/**
 * Speaks the language of the settings; at the first start, before the owner has chosen one, that of
 * the browser.
 */
export function useLanguage(settings: SettingsView | undefined): void {
  const { mutate } = useUpdateSettings()
  const firstVisit = useRef(rememberedLanguage() === null)
  const language = settings?.language
  const onboarded = settings?.onboarded

  useEffect(() => {
    if (language === undefined) return
    const unchosen = firstVisit.current && onboarded === false && language === UNCHOSEN
    firstVisit.current = false
    // Kept at once, so that notifications and the tray speak it as well.
    if (unchosen && browserLanguage() !== language) mutate({ language: browserLanguage() })
    else void speak(language)
  }, [language, onboarded, mutate])
}

/**
 * Switches all texts at once and keeps the choice; for who is not logged in, in this browser. Where
 * it was not kept, the texts are as before.
 */
export function useChooseLanguage(): (language: Language) => void {
  const update = useUpdateSettings()
  const tellError = useTellError()
  const { i18n } = useTranslation()
  return (language) => {
    const before = i18n.language
    void speak(language)
    update.mutate(
      { language },
      {
        onError(error) {
          if (error instanceof ApiError && error.status < 404) return
          if (isLanguage(before)) void speak(before)
          tellError(error)
        },
      },
    )
  }
}
