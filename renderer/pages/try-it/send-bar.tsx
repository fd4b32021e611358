import { Anchor, Group, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { useSettings } from '../../api/settings.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { snippet } from '../../model/snippets.ts'

interface SendBarProps {
  path: string
  body: Record<string, unknown>
  ready: boolean
  pending: boolean
  error: Error | null
  /** Where the message that was just sent is found in its log. */
  sent: string | null
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
          {sent === null || pending ? null : (
            <>
              {t('tryIt.sent')}{' '}
              <Anchor component={Link} href={sent}>
                {t('tryIt.showLog')}
              </Anchor>
            </>
          )}
        </Text>
      </Group>
    </>
  )
}
