import { Select, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import classes from './try-it.module.css'

/** From whom, to whom. */
export interface Recipient {
  choices: SenderView[]
  sender: SenderView | undefined
  choose: (senderCode: string) => void
  /** The number as it was typed. */
  typed: string
  /** The same in international form, where it can be read. */
  phone: string
  setTyped: (typed: string) => void
}

interface AddressingProps {
  to: Recipient
  /** Why the number was refused. */
  error: ReactNode
}

export function Addressing({ to: { choices, sender, choose, typed, setTyped }, error }: AddressingProps) {
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
      <div>
        <TextInput
          type="tel"
          label={t('tryIt.phone')}
          description={t('tryIt.phoneHint')}
          required
          error={error}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {sender.kind === 'sandbox' ? (
          <details className={classes.outcomes}>
            <summary>{t('tryIt.outcomes')}</summary>
            {t('tryIt.outcomesHint')}
          </details>
        ) : null}
      </div>
    </>
  )
}
