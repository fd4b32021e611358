import { Anchor, Group, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { useMessage } from '../../api/messages.ts'
import { useSettings } from '../../api/settings.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { MessageStatus } from '../../components/message-status.tsx'
import { useMessageHeldText } from '../../hooks/use-held-text.ts'
import { snippet } from '../../model/snippets.ts'

interface SendBarProps {
  path: string
  body: Record<string, unknown>
  ready: boolean
  pending: boolean
  error: Error | null
  /** The message that was just sent, and where it is found in its log. */
  sent: { id: string; href: string } | null
}

/** The end of a form that sends: the button, the same call as curl, and the result. */
export function SendBar({ path, body, ready, pending, error, sent }: SendBarProps) {
  const { t } = useTranslation()
  const apiUrl = useSettings().data?.api_url ?? location.origin
  return (
    <>
      {error === null ? null : <ErrorState error={error} marked={body} />}
      <Group gap="sm">
        <BusyButton type="submit" leftSection={<IconSend size={16} />} busy={pending} disabled={!ready}>
          {t('tryIt.send')}
        </BusyButton>
        <CopyButton value={snippet('curl', { url: apiUrl + path, body })} label={t('tryIt.curl')} />
        <Text size="sm" component="div" role="status" ml="auto">
          {sent === null || pending ? null : <Sent key={sent.id} {...sent} />}
        </Text>
      </Group>
    </>
  )
}

/** What has become of the message until now: one that waits or has failed says why, and none is called sent before it is. */
function Sent({ id, href }: NonNullable<SendBarProps['sent']>) {
  const { t } = useTranslation()
  const heldText = useMessageHeldText()
  const message = useMessage(id).data
  const why =
    message === undefined || message.error === null
      ? message && heldText(message)
      : t(`failures.${message.error.code}.message`)
  return (
    <Group gap="4px 8px">
      {message === undefined ? null : <MessageStatus status={message.status} />}
      {why ? <span>{why}</span> : null}
      <Anchor component={Link} href={href} inherit>
        {t('tryIt.showLog')}
      </Anchor>
    </Group>
  )
}
