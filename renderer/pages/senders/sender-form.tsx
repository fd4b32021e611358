import { Button, Group, Input, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useUpdateSender } from '../../api/senders.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { formOfSender, senderOfForm } from '../../model/sender-form.ts'

/** What the owner may set on every sender. */
export function SenderForm({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const update = useUpdateSender(sender.sender_code)
  const fieldErrors = useFieldErrors()
  const form = useForm({ initialValues: formOfSender(sender) })

  const save = form.onSubmit((values) =>
    update.mutate(senderOfForm(values), {
      onSuccess: () => {
        form.resetDirty()
        notifications.show({ message: t('actions.saved') })
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    }),
  )

  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput
          label={t('senders.form.name')}
          description={t('senders.form.nameHint')}
          required
          maxLength={80}
          {...form.getInputProps('name')}
        />
        <Input.Wrapper label={t('senders.form.pacing')} description={t('senders.form.pacingHint')} labelElement="div">
          <Group gap="sm" mt={4}>
            <Text size="sm">{t('senders.form.from')}</Text>
            <NumberInput
              w={96}
              min={0}
              max={3600}
              aria-label={`${t('senders.form.pacing')}, ${t('senders.form.from')}`}
              {...form.getInputProps('minSeconds')}
            />
            <Text size="sm">{t('senders.form.to')}</Text>
            <NumberInput
              w={96}
              min={0}
              max={3600}
              aria-label={`${t('senders.form.pacing')}, ${t('senders.form.to')}`}
              {...form.getInputProps('maxSeconds')}
            />
            <Text size="sm">{t('senders.form.seconds')}</Text>
          </Group>
        </Input.Wrapper>
        <NumberInput
          label={t('senders.form.cap')}
          description={t('senders.form.capHint')}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          {...form.getInputProps('dailyCap')}
        />
        <Switch
          label={t('senders.form.quiet')}
          description={t('senders.form.quietHint')}
          {...form.getInputProps('quiet', { type: 'checkbox' })}
        />
        {form.values.quiet ? (
          <Group gap="sm">
            <Text size="sm">{t('senders.form.from')}</Text>
            <TextInput
              type="time"
              required
              aria-label={`${t('senders.form.quiet')}, ${t('senders.form.from')}`}
              {...form.getInputProps('quietFrom')}
            />
            <Text size="sm">{t('senders.form.to')}</Text>
            <TextInput
              type="time"
              required
              aria-label={`${t('senders.form.quiet')}, ${t('senders.form.to')}`}
              {...form.getInputProps('quietTo')}
            />
          </Group>
        ) : null}
        <TextInput
          label={t('senders.form.country')}
          description={t('senders.form.countryHint')}
          inputMode="numeric"
          maxLength={4}
          {...form.getInputProps('countryCode')}
        />
        {update.error === null ? null : <ErrorState error={update.error} />}
        <Button type="submit" loading={update.isPending} disabled={!form.isDirty()} style={{ alignSelf: 'flex-end' }}>
          {t('actions.save')}
        </Button>
      </Stack>
    </form>
  )
}
