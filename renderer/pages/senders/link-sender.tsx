import { Anchor } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { useSenders } from '../../api/senders.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkPanel } from '../../components/linking/link-panel.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryView } from '../../components/query-view.tsx'
import classes from './senders.module.css'

export default function LinkSender({ code }: { code: string }) {
  const { t } = useTranslation()
  return (
    <QueryView query={useSenders()}>
      {(senders) => {
        const sender = senders.find(({ sender_code }) => sender_code === code)
        if (sender === undefined || sender.kind !== 'linked') {
          return (
            <EmptyState
              wholePage
              icon={null}
              title={sender === undefined ? t('errors.code.sender_not_found') : t('senders.linking.notLinkable')}
              hint={t('page.notFoundHint')}
            />
          )
        }
        return (
          <>
            <PageHeader
              title={t('senders.linking.title', { name: sender.name })}
              lead={
                <Anchor component={Link} href={`/senders?open=${code}`} className={classes.back ?? ''}>
                  <IconArrowLeft size={16} aria-hidden="true" /> {t('senders.linking.back')}
                </Anchor>
              }
            />
            <Panel>
              <LinkPanel sender={sender} />
            </Panel>
          </>
        )
      }}
    </QueryView>
  )
}
