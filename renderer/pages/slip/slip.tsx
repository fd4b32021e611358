import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { formatPhone } from '../../../server/contract/phone.ts'
import { useMessage } from '../../api/messages.ts'
import { useSender } from '../../api/senders.ts'
import { Facts } from '../../components/facts.tsx'
import { Paper, SmallPrint } from '../../components/paper.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { phoneInText } from '../../model/phone.ts'

/** The outcome of one message, as a sheet to print. */
export default function Slip({ id }: { id: string }) {
  const { t } = useTranslation()
  return (
    <Paper
      title={t('slip.title')}
      tabTitle={`${t('slip.title')} ${id}`}
      back={`/messages?open=${id}`}
      print={t('slip.print')}
    >
      <QueryView query={useMessage(id)}>{(message) => <Sheet message={message} />}</QueryView>
    </Paper>
  )
}

function Sheet({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  const format = useFormat()
  const sender = useSender(message.sender_code).data
  const at = (type: string) => message.timeline.findLast((entry) => entry.type === type)?.at
  const moment = (type: string) => {
    const found = at(type)
    return found === undefined ? t('slip.notYet') : format.exactWithZone(found)
  }
  const failed = message.error === null ? null : t(`failures.${message.error.code}.message`)
  const from = sender === undefined ? message.sender_code : `${sender.name} (${message.sender_code})`
  return (
    <>
      <h1>{t('slip.title')}</h1>
      <Facts
        facts={[
          [t('slip.from'), sender?.phone == null ? from : `${from}, ${phoneInText(sender.phone)}`],
          [t('slip.to'), formatPhone(message.recipient)],
          [t('messages.status'), t(`states.message.${message.status}`)],
          [t('messages.reference'), message.reference_id],
        ]}
      />
      <blockquote>{message.message ?? `${message.template?.name} (${message.template?.language})`}</blockquote>
      <Facts
        facts={[
          [t('slip.file'), message.filename ?? message.file],
          [t('slip.hash'), message.file_sha256],
          [t('slip.accepted'), format.exactWithZone(message.created_at)],
          [t('states.message.sent'), moment('sent')],
          [t('states.message.delivered'), moment('delivered')],
          [t('states.message.read'), moment('read')],
          [t('states.message.failed'), failed === null ? null : `${failed} ${moment('failed')}`],
          [t('messages.id'), message.id],
          [t('messages.providerId'), message.provider_message_id],
        ]}
      />
      <SmallPrint>{t('slip.meaning')}</SmallPrint>
      <SmallPrint>{t('slip.printed', { when: format.exactWithZone(new Date().toISOString()) })}</SmallPrint>
    </>
  )
}
