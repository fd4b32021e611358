import { useUpdateSettings } from '../api/settings.ts'
import { type Language, speak } from '../i18n/i18n.ts'

/** Switches every word at once and keeps the choice. */
export function useChooseLanguage(): (language: Language) => void {
  const update = useUpdateSettings()
  return (language) => {
    void speak(language)
    update.mutate({ language })
  }
}
