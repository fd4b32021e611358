import { Anchor, Group, List, Stack } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { useLocationProperty } from 'wouter/use-browser-location'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { TOPICS } from '../../model/help-topics.ts'

const STEPS = ['one', 'two', 'three', 'four'] as const

const PATHS = {
  senders: '/senders',
  messages: '/messages?status=queued',
  backup: '/settings#backup',
  newKey: '/settings?new-key#backup',
  keys: '/keys',
  access: '/settings#access',
  acts: '/acts',
}

/** The steps that solve each problem. The address may name one after `#`. */
export default function Help() {
  const { t } = useTranslation()
  const topic = useLocationProperty(() => location.hash.slice(1))
  useEffect(() => {
    // In braces, because newer browsers return a promise, which is no clean-up function.
    document.getElementById(topic)?.scrollIntoView()
  }, [topic])
  return (
    <>
      <PageHeader title={t('help.title')} lead={t('help.lead')} />
      <Stack gap="md" maw={720}>
        {TOPICS.map(({ name, to }) => (
          <div key={name} id={name}>
            <Panel title={t(`help.topics.${name}.title`)}>
              <List type="ordered" spacing="xs">
                {STEPS.map((step) => (
                  <List.Item key={step}>{t(`help.topics.${name}.${step}`)}</List.Item>
                ))}
              </List>
              <Group mt="md" gap="0 24px">
                {to.map((place) => (
                  <Anchor key={place} component={Link} href={PATHS[place]} size="sm" lh="44px">
                    {t(`help.to.${place}`)}
                  </Anchor>
                ))}
              </Group>
            </Panel>
          </div>
        ))}
      </Stack>
    </>
  )
}
