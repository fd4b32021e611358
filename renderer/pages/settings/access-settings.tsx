import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { KeyView, SessionView } from '../../../server/contract/access.ts'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { useKeys } from '../../api/keys.ts'
import { useSenders } from '../../api/senders.ts'
import { useEndSession, useSessions, useWindowLink } from '../../api/sessions.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useFocusLeft } from '../../components/use-focus-left.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useNow } from '../../hooks/use-now.ts'
import { browserName } from '../../model/browser-name.ts'
import { keyState } from '../../model/key-state.ts'
import { Setting } from './setting.tsx'
import classes from './settings.module.css'
import { SettingsSection } from './settings-section.tsx'

/**
 * All that has access: the owner's phone, logged-in browsers and programs' keys. They are in one
 * list for the day on which an employee leaves.
 */
export function AccessSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const sessions = useSessions()
  const now = useNow(60_000)
  const senders = useSenders().data
  const keys = (useKeys().data ?? []).filter((key) => keyState(key, now, senders) === 'valid')
  return (
    <SettingsSection id="access" title={t('settings.access.title')}>
      <PhoneLink settings={settings} />
      <Setting named label={t('settings.access.acts')} hint={t('settings.access.actsHint')}>
        {(ids) => (
          <Button size="xs" variant="default" component={Link} href="/acts" aria-describedby={ids['aria-describedby']}>
            {t('settings.access.showActs')}
          </Button>
        )}
      </Setting>
      <div className={classes.setting}>
        <div className={classes.below}>
          <Text size="sm" fw={500} mb="sm">
            {t('settings.access.sessions')}
          </Text>
          <QueryView query={sessions}>
            {(list) => (
              <Stack
                component="ul"
                gap="sm"
                className={classes.sessions ?? ''}
                aria-label={t('settings.access.sessions')}
              >
                {list.map((session) => (
                  <Session key={session.id} session={session} />
                ))}
                {keys.map((key) => (
                  <Key key={key.id} apiKey={key} />
                ))}
              </Stack>
            )}
          </QueryView>
        </div>
      </div>
    </SettingsSection>
  )
}

/** Makes a QR code with which a phone opens this window, once. */
function PhoneLink({ settings: { remote_administration, lan_urls } }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(1_000)
  const link = useWindowLink()
  const url = link.data?.lan_urls[0]
  const ended = link.data !== undefined && Date.parse(link.data.expires_at) < now
  const possible = remote_administration && lan_urls.length > 0
  return (
    <Setting
      named
      label={t('settings.access.phone')}
      hint={possible ? t('settings.access.phoneHint') : t('settings.access.phoneOff')}
      below={
        <>
          {link.error === null ? null : <ErrorState error={link.error} />}
          {link.data === undefined || url === undefined || ended ? null : (
            <Stack gap="sm">
              <QrCode text={url} label={t('settings.access.qr')} />
              <Text size="sm">{t('settings.access.once', { time: format.clock(link.data.expires_at) })}</Text>
              <div>
                <CopyButton value={url} label={t('settings.access.copy')} />
              </div>
            </Stack>
          )}
        </>
      }
    >
      {(ids) =>
        possible ? (
          <BusyButton
            size="xs"
            busy={link.isPending}
            aria-describedby={ids['aria-describedby']}
            onClick={() => link.mutate()}
          >
            {link.data === undefined ? t('settings.access.show') : t('settings.access.another')}
          </BusyButton>
        ) : (
          <Button size="xs" variant="default" component="a" href="#network" aria-describedby={ids['aria-describedby']}>
            {t('settings.access.toNetwork')}
          </Button>
        )
      }
    </Setting>
  )
}

function Session({ session: { id, current, address, browser, last_used_at } }: { session: SessionView }) {
  const { t } = useTranslation()
  const end = useEndSession()
  const part = useFocusLeft<HTMLDivElement>()
  const name = browser === null ? t('settings.access.unknown') : browserName(browser)
  return (
    <Group ref={part} component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Text size="sm">
          {name}
          {current ? ` · ${t('settings.access.here')}` : ''}
        </Text>
        <Text size="sm" c="dimmed">
          {address} · <TimeAgo at={last_used_at} />
        </Text>
        {end.error === null ? null : <ErrorState error={end.error} />}
      </div>
      {current ? null : (
        <BusyButton
          size="xs"
          variant="default"
          busy={end.isPending}
          aria-label={`${t('settings.access.end')}: ${name}, ${address}`}
          onClick={() => end.mutate(id)}
        >
          {t('settings.access.end')}
        </BusyButton>
      )}
    </Group>
  )
}

/** A key, with a link to its drawer, where it can be revoked. */
function Key({ apiKey: { id, name, hint, last_used_at } }: { apiKey: KeyView }) {
  const { t } = useTranslation()
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Text size="sm">{t('settings.access.key', { name })}</Text>
        <Text size="sm" c="dimmed">
          …{hint} · <TimeAgo at={last_used_at} />
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        component={Link}
        href={`/keys?open=${id}`}
        aria-label={`${t('actions.show')}: ${name}`}
      >
        {t('actions.show')}
      </Button>
    </Group>
  )
}
