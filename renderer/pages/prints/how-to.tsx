import { Code, Group, List, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../components/copy-button.tsx'

const STEPS = ['one', 'two', 'three', 'four', 'five'] as const
/** The port in the pictures. They are left out if Kurir has another port. */
const DRAWN_PORT = 9100

/** The steps that add the printer to Windows or CUPS. */
export function HowTo({ port }: { port: number }) {
  const { t } = useTranslation()
  const [system, setSystem] = useState<'windows' | 'cups'>(/Linux|Mac/.test(navigator.userAgent) ? 'cups' : 'windows')
  const commands: Partial<Record<string, string>> = {
    two: `lpadmin -p kurir -E -v socket://127.0.0.1:${port}`,
    three: `printf 'Toko\\nHP: 0812-3456-7890\\n' | lp -d kurir -o raw`,
  }
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('prints.system')}
        value={system}
        onChange={setSystem}
        data={[
          { value: 'windows', label: 'Windows' },
          { value: 'cups', label: 'Linux, macOS' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <List type="ordered" size="sm" spacing="xs">
        {STEPS.map((step) => {
          const command = system === 'cups' ? commands[step] : undefined
          return (
            <List.Item key={step}>
              {t(`prints.how.${system}.${step}`, { port: String(port) })}
              {command === undefined ? null : (
                <Group gap="xs" wrap="nowrap">
                  <Code style={{ overflowWrap: 'anywhere' }}>{command}</Code>
                  <CopyButton compact value={command} label={t('prints.copyCommand')} />
                </Group>
              )}
            </List.Item>
          )
        })}
      </List>
      {port === DRAWN_PORT && (
        <img src={`/printer-${system}.svg`} alt={t(`prints.how.drawn.${system}`)} style={{ maxWidth: '100%' }} />
      )}
    </Stack>
  )
}
