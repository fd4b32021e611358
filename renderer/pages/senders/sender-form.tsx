import { Group, Input, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type SenderSettings, type SenderView, senderSettings } from '../../../server/contract/senders.ts'
import { useUpdateSender } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { numberOrNull, textOrNull } from '../../components/input-values.ts'
import { type RecordForm, useRecordForm } from '../../hooks/use-record-form.ts'
import { settingsOf } from '../../model/sender-settings.ts'

/** Quiet hours when they are first switched on. */
const NIGHT = { from: '22:00', to: '07:00' }

type Form = RecordForm<SenderSettings>['form']

/** The settings of a sender that the owner can change. */
export function SenderForm({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const update = useUpdateSender(sender.sender_code)
  const { form, edited, onSave } = useRecordForm<SenderSettings>({
    saved: settingsOf(sender),
    schema: senderSettings,
  })

  return (
    <form onSubmit={onSave(update.mutate)} noValidate>
      <Stack>
        <TextInput
          label={t('senders.form.name')}
          description={t('senders.form.nameHint')}
          required
          {...form.getInputProps('name')}
        />
        {/* Meta sets the pace of an official number. */}
        {sender.kind === 'official' ? null : <Pace form={form} />}
        <TextInput
          label={t('words.optional', { label: t('senders.form.country') })}
          description={t('senders.form.countryHint')}
          inputMode="numeric"
          {...textOrNull(form.getInputProps('country_code'))}
        />
        {update.error === null ? null : <ErrorState error={update.error} marked={form.values} />}
        <BusyButton type="submit" busy={update.isPending} disabled={!edited} style={{ alignSelf: 'flex-end' }}>
          {t('actions.save')}
        </BusyButton>
      </Stack>
    </form>
  )
}

/** Pacing, daily limit and quiet hours. */
function Pace({ form }: { form: Form }) {
  const { t } = useTranslation()
  return (
    <>
      <Input.Wrapper label={t('senders.form.pacing')} description={t('senders.form.pacingHint')} labelElement="div">
        <Group gap="sm" mt={4} align="flex-start">
          <Text size="sm" lh="36px">
            {t('senders.form.from')}
          </Text>
          <NumberInput
            w={96}
            min={0}
            aria-label={`${t('senders.form.pacing')}, ${t('senders.form.from')}`}
            {...numberOrNull(form.getInputProps('pacing.min_seconds'))}
          />
          <Text size="sm" lh="36px">
            {t('senders.form.to')}
          </Text>
          <NumberInput
            w={96}
            min={0}
            aria-label={`${t('senders.form.pacing')}, ${t('senders.form.to')}`}
            {...numberOrNull(form.getInputProps('pacing.max_seconds'))}
          />
          <Text size="sm" lh="36px">
            {t('senders.form.seconds')}
          </Text>
        </Group>
      </Input.Wrapper>
      <NumberInput
        label={t('words.optional', { label: t('senders.form.cap') })}
        description={t('senders.form.capHint')}
        allowDecimal={false}
        {...numberOrNull(form.getInputProps('daily_cap'))}
      />
      <Switch
        label={t('senders.form.quiet')}
        description={t('senders.form.quietHint')}
        checked={form.values.quiet_hours !== null}
        onChange={(event) => form.setFieldValue('quiet_hours', event.currentTarget.checked ? NIGHT : null)}
      />
      {form.values.quiet_hours === null ? null : (
        <Group gap="sm" align="flex-start">
          <Text size="sm" lh="36px">
            {t('senders.form.from')}
          </Text>
          <TextInput
            type="time"
            aria-label={`${t('senders.form.quiet')}, ${t('senders.form.from')}`}
            {...form.getInputProps('quiet_hours.from')}
          />
          <Text size="sm" lh="36px">
            {t('senders.form.to')}
          </Text>
          <TextInput
            type="time"
            aria-label={`${t('senders.form.quiet')}, ${t('senders.form.to')}`}
            {...form.getInputProps('quiet_hours.to')}
          />
        </Group>
      )}
    </>
  )
}
