import { useTranslation } from 'react-i18next'
import { useSender } from '../../api/senders.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { LinkPanel } from '../../components/linking/link-panel.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'

export default function LinkSender({ code }: { code: string }) {
  const { t } = useTranslation()
  const query = useSender(code)
  const sender = query.data
  if (query.status === 'pending') return <Loading />
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />
  if (sender === undefined || sender.kind !== 'linked') {
    return (
      <EmptyState
        icon={null}
        title={sender === undefined ? t('errors.code.sender_not_found') : t('senders.linking.notLinkable')}
        hint={t('page.notFoundHint')}
      />
    )
  }
  return (
    <>
      <PageHeader title={t('senders.linking.title', { name: sender.name })} />
      <Panel>
        <LinkPanel sender={sender} />
      </Panel>
    </>
  )
}
