import { Select, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'

interface AddressingProps {
  choices: SenderView[]
  sender: SenderView | undefined
  choose: (senderCode: string) => void
  phone: string
  setPhone: (phone: string) => void
}

/** From whom, to whom. */
export function Addressing({ choices, sender, choose, phone, setPhone }: AddressingProps) {
  const { t } = useTranslation()
  if (sender === undefined) return <Text c="dimmed">{t('tryIt.noSender')}</Text>
  return (
    <>
      <Select
        label={t('tryIt.sender')}
        data={choices.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
        value={sender.sender_code}
        onChange={(code) => (code === null ? undefined : choose(code))}
        allowDeselect={false}
      />
      <TextInput
        type="tel"
        label={t('tryIt.phone')}
        description={sender.kind === 'sandbox' ? t('tryIt.fates') : t('tryIt.phoneHint')}
        required
        value={phone}
        onChange={(event) => setPhone(event.currentTarget.value)}
      />
    </>
  )
}
