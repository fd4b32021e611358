import { Divider, Stack, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { Drawer } from '../../components/drawer.tsx'
import { OfficialAccess } from './official-access.tsx'
import { OfficialChecks } from './official-checks.tsx'
import { SenderDanger } from './sender-danger.tsx'
import { SenderForm } from './sender-form.tsx'
import { SenderStatus } from './sender-status.tsx'

interface SenderDrawerProps {
  sender: SenderView
  onClose: () => void
}

export function SenderDrawer({ sender, onClose }: SenderDrawerProps) {
  const { t } = useTranslation()
  return (
    <Drawer title={sender.name} onClose={onClose}>
      <Stack gap="lg">
        <SenderStatus sender={sender} />
        {sender.official === null ? null : (
          <>
            <Divider />
            <OfficialChecks official={sender.official} />
            <OfficialAccess code={sender.sender_code} official={sender.official} />
          </>
        )}
        <Divider />
        <Title order={3} size="h2">
          {t('senders.form.heading')}
        </Title>
        <SenderForm sender={sender} />
        <Divider />
        <SenderDanger sender={sender} onDeleted={onClose} />
      </Stack>
    </Drawer>
  )
}
