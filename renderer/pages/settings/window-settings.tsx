import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { desktop } from '../../api/desktop.ts'
import { Panel } from '../../components/panel.tsx'
import { useChooseLanguage } from '../../hooks/use-choose-language.ts'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../i18n/i18n.ts'
import { LoginSetting } from './login-setting.tsx'
import { Setting } from './setting.tsx'
import classes from './settings.module.css'

const THEMES = ['light', 'dark', 'auto'] as const

export function WindowSettings() {
  const { t, i18n } = useTranslation()
  const chooseLanguage = useChooseLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Panel title={t('settings.window.title')}>
      <div className={classes.settings}>
        <Setting named label={t('settings.window.language')} hint={t('settings.window.languageHint')}>
          {(ids) => (
            <SegmentedControl
              {...ids}
              data={LANGUAGES.map((value) => ({ value, label: <span lang={value}>{LANGUAGE_NAMES[value]}</span> }))}
              value={i18n.language as Language}
              onChange={chooseLanguage}
            />
          )}
        </Setting>
        <Setting named label={t('settings.window.theme')}>
          {(ids) => (
            <SegmentedControl
              {...ids}
              data={THEMES.map((value) => ({ value, label: t(`rail.${value}`) }))}
              value={colorScheme}
              onChange={setColorScheme}
            />
          )}
        </Setting>
        {desktop === undefined ? null : <LoginSetting desktop={desktop} />}
      </div>
    </Panel>
  )
}
