import { Select, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { RecipientField } from './recipient-field.tsx'
import classes from './write.module.css'

/** From whom, to whom. */
export interface Recipient {
  choices: SenderView[]
  /** Undefined: the owner has to choose one. */
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
  if (choices.length === 0) return <Text c="dimmed">{t('write.noSender')}</Text>
  return (
    <>
      <div>
        <RecipientField typed={typed} setTyped={setTyped} error={error} />
        {sender?.kind === 'sandbox' ? (
          <details className={classes.outcomes}>
            <summary>{t('write.outcomes')}</summary>
            {t('write.outcomesHint')}
          </details>
        ) : null}
      </div>
      <Select
        label={t('write.sender')}
        placeholder={t('write.chooseSender')}
        description={sender === undefined ? t('write.sandboxOnly') : undefined}
        required
        data={choices.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
        value={sender?.sender_code ?? null}
        onChange={(code) => (code === null ? undefined : choose(code))}
        allowDeselect={false}
      />
    </>
  )
}
