import { Group, NumberInput, Radio, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { createKeyRequest } from '../../../server/contract/access.ts'
import type { NewKey, useCreateKey } from '../../api/keys.ts'
import { useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { numberOrNull } from '../../components/input-values.ts'
import { useRecordForm } from '../../hooks/use-record-form.ts'
import { EXPIRIES, type Expiry, expiresAt } from '../../model/expiry.ts'
import classes from './keys.module.css'

interface KeyFormProps {
  create: ReturnType<typeof useCreateKey>
}

const KINDS = ['global', 'device'] as const

type Values = Required<Pick<NewKey, 'kind' | 'name' | 'scopes' | 'refuse_duplicate_reference'>> & {
  sender_code: string | undefined
  expires_at: string | null
  rate_limit_per_minute: number | null
}

const BLANK: Values = {
  kind: 'global',
  name: '',
  scopes: 'all',
  sender_code: undefined,
  expires_at: null,
  refuse_duplicate_reference: false,
  rate_limit_per_minute: null,
}

const schema = createKeyRequest
  .refine(({ kind, sender_code }) => kind === 'global' || sender_code !== undefined, {
    path: ['sender_code'],
    when: () => true,
  })
  .refine(({ expires_at }) => expires_at == null || Date.parse(expires_at) > Date.now(), {
    path: ['expires_at'],
    when: () => true,
  })

export function KeyForm({ create }: KeyFormProps) {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  const { form, refuse, release } = useRecordForm<Values>({ saved: BLANK, schema })
  const { kind } = form.values

  const submit = form.onSubmit(({ sender_code, ...values }) =>
    create.mutate(
      { ...values, ...(kind === 'device' && sender_code !== undefined ? { sender_code } : {}) },
      { onSuccess: release, onError: refuse },
    ),
  )

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('keys.name')}
          description={t('keys.nameHint')}
          required
          autoFocus
          {...form.getInputProps('name')}
        />
        <Radio.Group label={t('keys.kind')} {...form.getInputProps('kind')}>
          <div className={classes.kinds}>
            {KINDS.map((one) => (
              <Radio.Card key={one} value={one} className={classes.kind ?? ''}>
                <Group gap="sm" wrap="nowrap">
                  <Radio.Indicator aria-hidden="true" />
                  <Text component="span" size="sm" fw={600}>
                    {t(`keys.kinds.${one}.title`)}
                  </Text>
                </Group>
                <Text component="span" size="xs" c="dimmed">
                  {t(`keys.kinds.${one}.text`)}
                </Text>
              </Radio.Card>
            ))}
          </div>
        </Radio.Group>
        {kind === 'global' ? null : (
          <Select
            label={t('keys.sender')}
            description={t('keys.senderHint')}
            allowDeselect={false}
            data={senders.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
            {...form.getInputProps('sender_code')}
            value={form.values.sender_code ?? null}
          />
        )}
        <Switch
          label={t('keys.scopes')}
          description={t('keys.scopesHint')}
          checked={form.values.scopes === 'read'}
          onChange={(event) => form.setFieldValue('scopes', event.currentTarget.checked ? 'read' : 'all')}
        />
        <ExpiryInput {...form.getInputProps('expires_at')} />
        <Switch
          label={t('keys.duplicates')}
          description={t('keys.duplicatesHint')}
          {...form.getInputProps('refuse_duplicate_reference', { type: 'checkbox' })}
        />
        <NumberInput
          label={t('words.optional', { label: t('keys.rate') })}
          description={t('keys.rateHint')}
          allowDecimal={false}
          {...numberOrNull(form.getInputProps('rate_limit_per_minute'))}
        />
        {create.error === null ? null : <ErrorState makes error={create.error} marked={form.values} />}
        <BusyButton type="submit" busy={create.isPending} style={{ alignSelf: 'flex-end' }}>
          {t('keys.createIt')}
        </BusyButton>
      </Stack>
    </form>
  )
}

interface ExpiryInputProps {
  onChange: (expiresAt: string | null) => void
  error?: string
}

/** The end of a key's validity: one of the usual spans, or a last day. */
function ExpiryInput({ onChange, error }: ExpiryInputProps) {
  const { t } = useTranslation()
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [lastDay, setLastDay] = useState('')

  function choose(next: Expiry, day: string) {
    setExpiry(next)
    setLastDay(day)
    onChange(expiresAt(next, day, Date.now()))
  }

  return (
    <Group grow align="flex-start">
      <Select
        label={t('keys.expiry')}
        allowDeselect={false}
        data={EXPIRIES.map((value) => ({ value, label: t(`keys.expiryOptions.${value}`) }))}
        value={expiry}
        onChange={(value) => choose(EXPIRIES.find((one) => one === value) ?? 'never', lastDay)}
      />
      {expiry === 'date' ? (
        <TextInput
          type="date"
          label={t('keys.expiryDate')}
          required
          error={error}
          value={lastDay}
          onChange={(event) => choose('date', event.currentTarget.value)}
        />
      ) : null}
    </Group>
  )
}
