import { Button, Group, NumberInput, Radio, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useSenders } from '../../api/senders.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { EXPIRIES, type KeyFormValues, NEW_KEY } from '../../model/key-form.ts'
import classes from './keys.module.css'

interface KeyFormProps {
  pending: boolean
  error: Error | null
  submit: (values: KeyFormValues, onError: (error: Error) => void) => void
}

const KINDS = ['global', 'device'] as const

export function KeyForm({ pending, error, submit }: KeyFormProps) {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  const fieldErrors = useFieldErrors()
  const form = useForm({
    initialValues: NEW_KEY,
    validate: {
      senderCode: (code, { kind }) => (kind === 'device' && code === null ? t('keys.chooseSender') : null),
    },
  })
  const { kind, expiry } = form.values

  function showErrors(error: Error) {
    const { name, sender_code, expires_at, rate_limit_per_minute } = fieldErrors(error)
    form.setErrors({ name, senderCode: sender_code, lastDay: expires_at, rateLimit: rate_limit_per_minute })
  }

  return (
    <form onSubmit={form.onSubmit((values) => submit(values, showErrors))}>
      <Stack>
        <TextInput
          label={t('keys.name')}
          description={t('keys.nameHint')}
          required
          maxLength={80}
          data-autofocus
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
            withAsterisk
            data={senders.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
            {...form.getInputProps('senderCode')}
          />
        )}
        <Group grow align="flex-start">
          <Select
            label={t('keys.expiry')}
            allowDeselect={false}
            data={EXPIRIES.map((value) => ({ value, label: t(`keys.expiryOptions.${value}`) }))}
            {...form.getInputProps('expiry')}
          />
          {expiry === 'date' ? (
            <TextInput type="date" label={t('keys.expiryDate')} required {...form.getInputProps('lastDay')} />
          ) : null}
        </Group>
        <Switch
          label={t('keys.duplicates')}
          description={t('keys.duplicatesHint')}
          {...form.getInputProps('refuseDuplicates', { type: 'checkbox' })}
        />
        <NumberInput
          label={t('keys.rate')}
          description={t('keys.rateHint')}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          {...form.getInputProps('rateLimit')}
        />
        {error === null ? null : <ErrorState error={error} />}
        <Button type="submit" loading={pending} style={{ alignSelf: 'flex-end' }}>
          {t('keys.make')}
        </Button>
      </Stack>
    </form>
  )
}
