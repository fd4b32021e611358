import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { LANGUAGES, type Language } from '../../../server/contract/settings.ts'
import { desktop } from '../../api/desktop.ts'
import { useChooseLanguage } from '../../hooks/use-language.ts'
import { LANGUAGE_INFO } from '../../i18n/resources.ts'
import { LoginSetting } from './login-setting.tsx'
import { Setting } from './setting.tsx'
import { SettingsSection } from './settings-section.tsx'

const THEMES = ['light', 'dark', 'auto'] as const

export function WindowSettings() {
  const { t, i18n } = useTranslation()
  const chooseLanguage = useChooseLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SettingsSection id="window" title={t('settings.window.title')}>
      <Setting named label={t('settings.window.language')} hint={t('settings.window.languageHint')}>
        {(ids) => (
          <SegmentedControl
            {...ids}
            data={LANGUAGES.map((value) => ({ value, label: <span lang={value}>{LANGUAGE_INFO[value].name}</span> }))}
            value={i18n.language as Language}
            onChange={chooseLanguage}
          />
        )}
      </Setting>
      <Setting named label={t('settings.window.theme')}>
        {(ids) => (
          <SegmentedControl
            {...ids}
            data={THEMES.map((value) => ({ value, label: t(`nav.themes.${value}`) }))}
            value={colorScheme}
            onChange={setColorScheme}
          />
        )}
      </Setting>
      {desktop === undefined ? null : <LoginSetting desktop={desktop} />}
    </SettingsSection>
  )
}
