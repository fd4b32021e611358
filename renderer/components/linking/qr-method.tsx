import { Center, Loader, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { CountdownRing } from '../countdown-ring.tsx'
import { QrCode } from '../qr-code.tsx'
import { LinkSteps } from './link-steps.tsx'
import classes from './linking.module.css'

/** Steps on the phone at the left, and the QR code at the right. */
export function QrMethod({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const { qr, expires_at, linking } = sender
  return (
    <div className={classes.method}>
      <LinkSteps
        steps={[t('senders.linking.stepOpen'), t('senders.linking.stepMenu'), t('senders.linking.stepScan')]}
      />
      <Stack align="center" gap="sm" className={classes.code ?? ''}>
        {qr === null ? (
          <Center className={classes.blank ?? ''}>
            <Stack align="center" gap="sm" role="status">
              <Loader size="sm" aria-hidden="true" />
              <Text size="sm" c="dimmed">
                {t('senders.linking.preparing')}
              </Text>
            </Stack>
          </Center>
        ) : (
          <QrCode text={qr} label={t('senders.linking.qrName')} />
        )}
        {qr !== null && linking?.version_unread ? <Text size="sm">{t('senders.linking.versionUnread')}</Text> : null}
        {qr === null || expires_at === null ? null : (
          <Text size="sm" c="dimmed" component="div">
            <CountdownRing
              key={qr}
              until={expires_at}
              text={(count) => (count > 0 ? t('senders.linking.renewed', { count }) : t('senders.linking.renewing'))}
            />
          </Text>
        )}
      </Stack>
    </div>
  )
}
