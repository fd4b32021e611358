import { SegmentedControl, Select, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { GroupField } from './group-field.tsx'
import { RecipientField } from './recipient-field.tsx'
import classes from './write.module.css'

/** The sender and the recipient of a message. */
export interface Recipient {
  choices: SenderView[]
  /** Undefined: the owner has to choose one. */
  sender: SenderView | undefined
  /** True if the chosen sender was deleted. */
  isGone: boolean
  choose: (senderCode: string) => void
  typed: string
  /** The typed number in international form; as typed if it is no number. */
  phone: string
  setTyped: (typed: string) => void
  /** Id of a group, empty while none is chosen. Null: the message goes to a person. */
  group: string | null
  setGroup: (group: string | null) => void
}

interface AddressingProps {
  to: Recipient
  /** Why the number or the group was refused. */
  error: ReactNode
  takesGroups?: true
}

export function Addressing({ to, error, takesGroups }: AddressingProps) {
  const { t } = useTranslation()
  const { choices, sender, isGone, choose, typed, setTyped, group, setGroup } = to
  const sandboxOnly = takesGroups ? t('write.sandboxOnly') : t('write.noOfficial')
  const missing = isGone ? t('write.senderGone') : sandboxOnly
  const hint = sender === undefined ? missing : sender.state === 'connected' ? undefined : t('write.waits')
  if (choices.length === 0) return <Text c="dimmed">{t('write.noSender')}</Text>
  return (
    <>
      {takesGroups ? (
        <SegmentedControl
          aria-label={t('write.to')}
          value={group === null ? 'person' : 'group'}
          onChange={(value) => setGroup(value === 'group' ? '' : null)}
          data={[
            { value: 'person', label: t('write.toPerson') },
            { value: 'group', label: t('write.toGroup') },
          ]}
          style={{ alignSelf: 'flex-start' }}
        />
      ) : null}
      {group === null ? (
        <div>
          <RecipientField typed={typed} setTyped={setTyped} error={error} />
          {sender?.kind === 'sandbox' ? (
            <details className={classes.outcomes}>
              <summary>{t('write.outcomes')}</summary>
              {t('write.outcomesHint')}
            </details>
          ) : null}
        </div>
      ) : (
        <GroupField senderCode={sender?.sender_code ?? ''} group={group} setGroup={setGroup} error={error} />
      )}
      <Select
        label={t('write.sender')}
        placeholder={t('write.chooseSender')}
        description={hint}
        required
        data={choices.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
        value={sender?.sender_code ?? null}
        onChange={(code) => (code === null ? undefined : choose(code))}
        allowDeselect={false}
      />
    </>
  )
}
