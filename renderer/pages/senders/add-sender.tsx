import { Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { type CreateSenderRequest, SENDER_KINDS, type SenderKind } from '../../../server/contract/senders.ts'
import { useCreateSender } from '../../api/senders.ts'
import { Drawer } from '../../components/drawer.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { KindIcon } from '../../components/sender-badge.tsx'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { NO_OFFICIAL_FIELDS, OfficialFields } from './official-fields.tsx'
import classes from './senders.module.css'

export function AddSender({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const [kind, setKind] = useState<SenderKind | null>(null)
  return (
    <Drawer title={t('senders.add')} onClose={onClose}>
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

function NewSender({ kind, back }: { kind: SenderKind; back: () => void }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const create = useCreateSender()
  const fieldErrors = useFieldErrors()
  const form = useForm({ initialValues: { name: '', ...NO_OFFICIAL_FIELDS } })

  const submit = form.onSubmit(({ name, ...official }) => {
    const request: CreateSenderRequest = kind === 'official' ? { kind, name, ...official } : { kind, name }
    create.mutate(request, {
      onSuccess: ({ data: { sender_code } }) =>
        navigate(kind === 'linked' ? `/senders/${sender_code}/link` : `/senders?open=${sender_code}`),
      onError: (error) => form.setErrors(fieldErrors(error)),
    })
  })

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('senders.form.name')}
          description={t('senders.form.nameHint')}
          required
          maxLength={80}
          data-autofocus
          {...form.getInputProps('name')}
        />
        {kind === 'official' ? <OfficialFields form={form} /> : null}
        {create.error === null ? null : <ErrorState error={create.error} />}
        <Group justify="space-between">
          <Button variant="default" onClick={back}>
            {t('actions.back')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {kind === 'linked' ? t('actions.next') : t('actions.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
