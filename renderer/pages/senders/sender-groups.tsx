import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { GroupView } from '../../../server/contract/groups.ts'
import { useGroups } from '../../api/groups.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { QueryView } from '../../components/query-view.tsx'

/** The groups of a sender, with the ids that programs need. */
export function SenderGroups({ code }: { code: string }) {
  const { t } = useTranslation()
  const groups = useGroups(code)
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('senders.groups.hint')}
      </Text>
      <QueryView query={groups}>
        {(all) => (all.length === 0 ? <Text size="sm">{t('senders.groups.none')}</Text> : <List groups={all} />)}
      </QueryView>
    </Stack>
  )
}

function List({ groups }: { groups: readonly GroupView[] }) {
  const { t } = useTranslation()
  return groups.map(({ group, name, members, can_send }) => (
    <Group key={group} justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed">
          {t('senders.groups.members', { count: members })}
          {can_send ? null : ` · ${t('senders.groups.closed')}`}
        </Text>
      </div>
      <CopyButton compact value={group} label={t('senders.groups.copy', { name })} />
    </Group>
  ))
}
