import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core'
import { IconLanguage, IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useChooseLanguage } from '../hooks/use-choose-language.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '../i18n/i18n.ts'
import classes from './shell.module.css'

const THEME_ICONS = { light: IconSun, dark: IconMoon, auto: IconSunMoon }
const THEMES = ['light', 'dark', 'auto'] as const

export const RailFoot = () => (
  <div className={classes.foot}>
    <LanguageMenu />
    <ThemeMenu />
  </div>
)

function LanguageMenu() {
  const { t, i18n } = useTranslation()
  const choose = useChooseLanguage()
  return (
    <Menu position="top-start">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('rail.language')}>
          <IconLanguage size={20} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            fw={i18n.language === language ? 600 : 400}
            onClick={() => choose(language)}
          >
            {LANGUAGE_NAMES[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function ThemeMenu() {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Current = THEME_ICONS[colorScheme]
  return (
    <Menu position="top-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('rail.theme')}>
          <Current size={20} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {THEMES.map((theme) => {
          const Icon = THEME_ICONS[theme]
          return (
            <Menu.Item
              key={theme}
              leftSection={<Icon size={16} />}
              fw={colorScheme === theme ? 600 : 400}
              onClick={() => setColorScheme(theme)}
            >
              {t(`rail.${theme}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
