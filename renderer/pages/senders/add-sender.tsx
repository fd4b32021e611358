import { Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { z } from 'zod'
import { officialFields } from '../../../server/contract/official-senders.ts'
import { SENDER_KINDS, type SenderKind, senderSettings } from '../../../server/contract/senders.ts'
import { useCreateSender, useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { KindIcon } from '../../components/sender-badge.tsx'
import { useRecordForm } from '../../hooks/use-record-form.ts'
import { countryFor } from '../../model/phone.ts'
import { NO_OFFICIAL_FIELDS, OfficialFields } from './official-fields.tsx'
import classes from './senders.module.css'

export function AddSender(frame: DrawerFrame) {
  const { t } = useTranslation()
  const [kind, setKind] = useState<SenderKind | null>(null)
  return (
    <Drawer {...frame} title={t('senders.add')}>
      {kind === null ? <KindChoice choose={setKind} /> : <NewSender kind={kind} back={() => setKind(null)} />}
    </Drawer>
  )
}

function KindChoice({ choose }: { choose: (kind: SenderKind) => void }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <Text fw={600}>{t('senders.kindTitle')}</Text>
      {SENDER_KINDS.map((kind) => (
        <UnstyledButton key={kind} className={classes.choice ?? ''} onClick={() => choose(kind)}>
          <KindIcon kind={kind} size={24} />
          <span>
            <Text component="span" display="block" fw={600}>
              {t(`senders.kinds.${kind}.title`)}
            </Text>
            <Text component="span" display="block" size="sm" c="dimmed">
              {t(`senders.kinds.${kind}.text`)}
            </Text>
          </span>
        </UnstyledButton>
      ))}
    </Stack>
  )
}

const BLANK = { name: '', ...NO_OFFICIAL_FIELDS }
const named = z.object({ name: senderSettings.shape.name })
const SCHEMAS = { linked: named, sandbox: named, official: named.extend(officialFields.shape) }

function NewSender({ kind, back }: { kind: SenderKind; back: () => void }) {
  const { t, i18n } = useTranslation()
  const [, navigate] = useLocation()
  const create = useCreateSender()
  const senders = useSenders().data ?? []
  const { form, refuse, release } = useRecordForm({ saved: BLANK, schema: SCHEMAS[kind] })

  const submit = form.onSubmit(({ name, ...official }) => {
    // With a country code, a number written as 0812… is understood from the start.
    const country_code = countryFor(undefined, senders, i18n.language)
    const request = kind === 'official' ? { kind, name, country_code, ...official } : { kind, name, country_code }
    create.mutate(request, {
      onSuccess: ({ data: { sender_code } }) => {
        release()
        navigate(kind === 'linked' ? `/senders/${sender_code}/link` : `/senders?open=${sender_code}`)
      },
      onError: refuse,
    })
  })

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('senders.form.name')}
          description={t('senders.form.nameHint')}
          required
          autoFocus
          {...form.getInputProps('name')}
        />
        {kind === 'official' ? <OfficialFields form={form} /> : null}
        {create.error === null ? null : <ErrorState makes error={create.error} marked={form.values} />}
        <Group justify="space-between">
          <Button variant="default" onClick={back}>
            {t('actions.back')}
          </Button>
          <BusyButton type="submit" busy={create.isPending}>
            {kind === 'linked' ? t('actions.next') : t('actions.add')}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  )
}
