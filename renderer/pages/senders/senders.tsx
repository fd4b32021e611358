import { IconDeviceMobile } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSenders } from '../../api/senders.ts'
import { ListPage } from '../../components/list-page.tsx'
import { AddSender } from './add-sender.tsx'
import { SenderDrawer } from './sender-drawer.tsx'
import { SenderTable } from './sender-table.tsx'

export default function Senders() {
  const { t } = useTranslation()
  return (
    <ListPage
      title={t('senders.title')}
      lead={t('senders.lead')}
      addLabel={t('senders.add')}
      query={useSenders()}
      idOf={({ sender_code }) => sender_code}
      empty={{ icon: IconDeviceMobile, title: t('senders.empty'), hint: t('senders.emptyHint') }}
      list={(senders, openId) => <SenderTable senders={senders} openId={openId} />}
      drawer={(sender, frame) => <SenderDrawer sender={sender} {...frame} />}
      form={(frame) => <AddSender {...frame} />}
    />
  )
}
