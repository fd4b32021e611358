import { Alert, Anchor, Group, Text } from '@mantine/core'
import { IconFlask, IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { useSettings } from '../../api/settings.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { SentStatus } from '../../components/sent-status.tsx'
import { snippet } from '../../model/snippets.ts'

interface SendBarProps {
  path: string
  body: Record<string, unknown>
  /** True if the sender is the sandbox. */
  sandbox: boolean
  ready: boolean
  pending: boolean
  error: Error | null
  /** The message that was just sent, and its address in the log. */
  sent: { id: string; href: string } | null
}

/** The end of a form that sends: the button, its call as curl, and the result. */
export function SendBar({ path, body, sandbox, ready, pending, error, sent }: SendBarProps) {
  const { t } = useTranslation()
  const apiUrl = useSettings().data?.api_url ?? location.origin
  return (
    <>
      {error === null ? null : <ErrorState error={error} marked={body} />}
      {sandbox ? (
        <Alert color="yellow" icon={<IconFlask size={20} />} role="note">
          {t('write.sandbox')}
        </Alert>
      ) : null}
      <Group gap="sm">
        <BusyButton type="submit" leftSection={<IconSend size={16} />} busy={pending} disabled={!ready}>
          {t('write.send')}
        </BusyButton>
        <CopyButton value={snippet('curl', { url: apiUrl + path, body })} label={t('write.curl')} />
        <Text size="sm" component="div" role="status" ml="auto">
          {sent === null || pending ? null : (
            <SentStatus key={sent.id} id={sent.id}>
              <Anchor component={Link} href={sent.href} inherit>
                {t('write.showLog')}
              </Anchor>
            </SentStatus>
          )}
        </Text>
      </Group>
    </>
  )
}
