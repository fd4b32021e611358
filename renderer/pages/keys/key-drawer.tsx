import { Button, Code, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../../server/contract/access.ts'
import { useRevokeKey } from '../../api/keys.ts'
import { ConfirmTyped } from '../../components/confirm-typed.tsx'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { KeyReach } from './key-table.tsx'
import { KeyValidity } from './key-validity.tsx'

interface KeyDrawerProps extends DrawerFrame {
  apiKey: KeyView
}

export function KeyDrawer({ apiKey, ...frame }: KeyDrawerProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { name, kind, hint, rate_limit_per_minute: rate } = apiKey
  return (
    <Drawer {...frame} title={name}>
      <Stack gap="lg" align="flex-start">
        <KeyValidity apiKey={apiKey} />
        <Facts
          facts={[
            [t('keys.kind'), t(`keys.kinds.${kind}.title`)],
            [t('keys.reach'), <KeyReach key="reach" apiKey={apiKey} />],
            [t('keys.hint'), <Code key="hint">…{hint}</Code>],
            [t('keys.created'), <TimeAgo key="created" at={apiKey.created_at} />],
            [t('keys.lastUsed'), <TimeAgo key="used" at={apiKey.last_used_at} />],
            [t('keys.scopes'), apiKey.scopes === 'read' ? t('words.yes') : t('words.no')],
            [t('keys.duplicates'), apiKey.refuse_duplicate_reference ? t('words.yes') : t('words.no')],
            [t('keys.rate'), rate === null ? t('keys.noRate') : format.number(rate)],
            [
              t('keys.ended.revoked'),
              apiKey.revoked_at === null ? null : <TimeAgo key="revoked" at={apiKey.revoked_at} />,
            ],
          ]}
        />
        {apiKey.revoked_at === null ? <Revoke apiKey={apiKey} /> : null}
      </Stack>
    </Drawer>
  )
}

function Revoke({ apiKey: { id, name } }: { apiKey: KeyView }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const revoke = useRevokeKey(id)
  return (
    <>
      <Button size="xs" variant="outline" color="red" onClick={() => setAsking(true)}>
        {t('keys.revoke')}
      </Button>
      <ConfirmTyped
        opened={asking}
        title={t('keys.revokeTitle', { name })}
        losses={[t('keys.revokeNow'), t('keys.revokeForever'), t('keys.revokeKeeps')]}
        word={name}
        confirmLabel={t('keys.revoke')}
        pending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
