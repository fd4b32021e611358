import { Anchor, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatPhone } from '../../../server/contract/phone.ts'
import type { OwnerAct } from '../../../server/slices/owner-acts/contract.ts'
import { useOwnerActs } from '../../api/owner-acts.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useWords } from '../../hooks/use-words.ts'
import { browserName } from '../../model/browser-name.ts'
import classes from './acts.module.css'

/** Acts of owners, and where they came from. Answers "who switched that off?". */
export default function Acts() {
  const { t, i18n } = useTranslation()
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)
  return (
    <>
      <PageHeader
        title={t('acts.title')}
        lead={t('acts.lead')}
        action={<DownloadButton path={`/api/owner-acts/export.csv?language=${i18n.language}&time_zone=${zone}`} />}
      />
      <Panel title={t('acts.list')}>
        <Rows />
      </Panel>
    </>
  )
}

function Rows() {
  const { t } = useTranslation()
  const list = useOwnerActs()
  const rows = list.data?.pages.flatMap(({ data }) => data)
  if (rows === undefined) {
    return list.error === null ? <Loading /> : <ErrorState error={list.error} retry={() => void list.refetch()} />
  }
  if (rows.length === 0) {
    return (
      <EmptyState icon={<IconHistory size={40} stroke={1.5} />} title={t('acts.empty')} hint={t('acts.emptyHint')} />
    )
  }
  return (
    <Stack gap="sm">
      <ul className={classes.rows} aria-label={t('acts.title')}>
        {rows.map((act) => (
          <Row key={act.id} act={act} />
        ))}
      </ul>
      {list.error === null ? null : <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {list.hasNextPage ? (
        <BusyButton variant="default" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('acts.more')}
        </BusyButton>
      ) : null}
    </Stack>
  )
}

function Row({ act: { at, by, browser, address, words: sentence, thing, message, details, done } }: { act: OwnerAct }) {
  const words = useWords()
  const from = [words.actedBy[by], browser === null ? null : browserName(browser), address]
  return (
    <li className={classes.row}>
      <div>
        <Text size="sm">
          <b>{sentence}</b>
          {thing === null ? null : ' · '}
          {message === null ? thing : <OfMessage message={message} thing={thing} />}
        </Text>
        {details.length === 0 ? null : <Text size="sm">{details.join(' · ')}</Text>}
        <Text size="sm" c="dimmed">
          {from.filter((part) => part !== null).join(' · ')}
        </Text>
        {done ? null : <Text size="sm">{words.actNotKnown}</Text>}
      </div>
      <Text size="sm" c="dimmed" className={classes.at ?? ''}>
        <TimeAgo at={at} />
      </Text>
    </li>
  )
}

/** Names the message by recipient and reference, and adds what else the act names. */
function OfMessage({
  message: { id, recipient, reference_id },
  thing,
}: {
  message: NonNullable<OwnerAct['message']>
  thing: string | null
}) {
  return (
    <>
      <Anchor component={Link} href={`/messages?open=${id}&sandbox=with`} inherit underline="always">
        {[formatPhone(recipient), reference_id].filter((part) => part !== null).join(' · ')}
      </Anchor>
      {thing?.slice(id.length)}
    </>
  )
}
