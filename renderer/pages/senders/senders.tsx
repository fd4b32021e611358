import { IconDeviceMobile } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSenders } from '../../api/senders.ts'
import { ListPage } from '../../components/list-page.tsx'
import { troubledFirst } from '../../model/sender-order.ts'
import { AddSender } from './add-sender.tsx'
import { SenderDrawer } from './sender-drawer.tsx'
import { SenderTable } from './sender-table.tsx'

export default function Senders() {
  const { t } = useTranslation()
  const senders = useSenders()
  return (
    <ListPage
      title={t('senders.title')}
      lead={t('senders.lead')}
      addLabel={t('senders.add')}
      query={{ ...senders, data: senders.data && troubledFirst(senders.data, []) }}
      idOf={({ sender_code }) => sender_code}
      empty={{ icon: IconDeviceMobile, title: t('senders.empty'), hint: t('senders.emptyHint') }}
      list={(rows, openId) => <SenderTable senders={rows} openId={openId} />}
      drawer={(sender, frame) => <SenderDrawer sender={sender} {...frame} />}
      form={(frame) => <AddSender {...frame} />}
    />
  )
}
