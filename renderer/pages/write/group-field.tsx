import { Select, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useGroups } from '../../api/groups.ts'
import { ErrorState } from '../../components/error-state.tsx'

interface GroupFieldProps {
  /** Empty: no sender is chosen yet. */
  senderCode: string
  group: string
  setGroup: (group: string) => void
  error: ReactNode
}

/** The choice of one of the sender's groups. */
export function GroupField({ senderCode, group, setGroup, error }: GroupFieldProps) {
  const { t } = useTranslation()
  const query = useGroups(senderCode, senderCode !== '')
  const groups = query.data ?? []
  const known = new Map(groups.map((one) => [one.group, one]))
  const about = (id: string) => {
    const { members = 0, can_send = true } = known.get(id) ?? {}
    return `${t('senders.groups.members', { count: members })}${can_send ? '' : ` · ${t('senders.groups.closed')}`}`
  }
  return (
    <>
      <Select
        label={t('write.group')}
        placeholder={t('write.chooseGroup')}
        description={query.data?.length === 0 ? t('senders.groups.none') : undefined}
        required
        error={error}
        disabled={groups.length === 0}
        searchable={groups.length > 7}
        data={groups.map(({ group: value, name, can_send }) => ({ value, label: name || value, disabled: !can_send }))}
        renderOption={({ option: { value, label } }) => (
          <div>
            {label}
            <Text size="xs" c="dimmed">
              {about(value)}
            </Text>
          </div>
        )}
        value={known.has(group) ? group : null}
        onChange={(id) => (id === null ? undefined : setGroup(id))}
        allowDeselect={false}
      />
      {query.error === null ? null : <ErrorState error={query.error} retry={() => void query.refetch()} />}
    </>
  )
}
