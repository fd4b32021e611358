import { Divider, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { Section } from '../../components/section.tsx'
import { OfficialAccess } from './official-access.tsx'
import { OfficialChecks } from './official-checks.tsx'
import { OfficialTools } from './official-tools.tsx'
import { SecondRoad } from './second-road.tsx'
import { SenderDanger } from './sender-danger.tsx'
import { SenderForm } from './sender-form.tsx'
import { SenderStatus } from './sender-status.tsx'

interface SenderDrawerProps extends DrawerFrame {
  sender: SenderView
}

export function SenderDrawer({ sender, ...frame }: SenderDrawerProps) {
  const { t } = useTranslation()
  const official = sender.official
  return (
    <Drawer {...frame} title={sender.name}>
      <Stack gap="lg">
        <SenderStatus sender={sender} />
        {official === null ? null : (
          <>
            <Divider />
            <OfficialAccess code={sender.sender_code} official={official} />
            <OfficialChecks official={official} />
            <OfficialTools code={sender.sender_code} unregistered={sender.reason === 'not_registered'} />
          </>
        )}
        <Divider />
        <Section title={official === null ? t('senders.form.heading') : t('senders.form.headingOfficial')}>
          <SenderForm sender={sender} />
        </Section>
        {sender.kind === 'linked' ? (
          <>
            <Divider />
            <Section title={t('senders.road.title')}>
              <SecondRoad key={sender.sender_code} sender={sender} />
            </Section>
          </>
        ) : null}
        <Divider />
        <SenderDanger sender={sender} onDeleted={frame.onClose} />
      </Stack>
    </Drawer>
  )
}
