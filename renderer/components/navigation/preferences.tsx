import { ActionIcon, Button, Menu, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconLanguage, IconMoon, IconSun } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { LANGUAGES } from '../../../server/contract/settings.ts'
import { useChooseLanguage } from '../../hooks/use-language.ts'
import { LANGUAGE_INFO } from '../../i18n/resources.ts'
import { isLanguage } from '../../i18n/texts.ts'

const THEME_ICONS = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop }
const THEMES = ['light', 'dark', 'auto'] as const

export default function Preferences() {
  return (
    <>
      <LanguageMenu />
      <ThemeMenu />
    </>
  )
}

/** Shows each language by its own name, so that people who cannot read the present one find it. */
export function LanguageMenu() {
  const { t, i18n } = useTranslation()
  const choose = useChooseLanguage()
  const present = isLanguage(i18n.language) ? LANGUAGE_INFO[i18n.language].name : i18n.language
  return (
    <Menu position="top-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          px={4}
          fz="xs"
          fw={400}
          leftSection={<IconLanguage size={18} stroke={1.75} />}
          aria-label={`${t('nav.language')}: ${present}`}
        >
          {present}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            fw={i18n.language === language ? 600 : 400}
            onClick={() => choose(language)}
          >
            {LANGUAGE_INFO[language].name}
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
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('nav.theme')}>
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
              {t(`nav.themes.${theme}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
