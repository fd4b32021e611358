import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../server/contract/errors.ts'
import type { Language, SettingsView } from '../../server/contract/settings.ts'
import { useUpdateSettings } from '../api/settings.ts'
import { speak } from '../i18n/i18n.ts'
import { browserLanguage, isLanguage, rememberedLanguage } from '../i18n/texts.ts'
import { useTellError } from './use-tell-error.ts'

/** Language of the settings before anybody chose one. */
const UNCHOSEN: Language = 'en'

/**
 * Shows the window in the language of the settings. At the first start, before the owner chose one,
 * takes the browser's.
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
    // Saved at once, so that notifications and the tray use this language too.
    if (unchosen && browserLanguage() !== language) mutate({ language: browserLanguage() })
    else void speak(language)
  }, [language, onboarded, mutate])
}

/**
 * Switches all texts at once and saves the choice. If nobody is logged in, only this browser
 * remembers it. If saving fails, switches back.
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
