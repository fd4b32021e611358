import { Checkbox, Input, MultiSelect, SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import {
  EVENTS,
  type EventName,
  type UpdateWebhookRequest,
  type WebhookView,
} from '../../../server/contract/webhooks.ts'
import { useSenders } from '../../api/senders.ts'
import classes from './webhooks.module.css'

export interface EndpointValues {
  url: string
  events: EventName[]
  reach: 'all' | 'some'
  senderCodes: string[]
}

/** The test call reaches every receiver, so it is no choice. */
const CHOICES = EVENTS.filter((event) => event !== 'webhook.test')
const GROUPS = [
  { word: 'messages', events: CHOICES.filter((event) => event.startsWith('message.')) },
  { word: 'senders', events: CHOICES.filter((event) => event.startsWith('sender.')) },
] as const

export const valuesOf = (endpoint?: WebhookView): EndpointValues => ({
  url: endpoint?.url ?? '',
  events: CHOICES.filter((event) => endpoint?.events.includes(event) ?? true),
  reach: endpoint?.sender_codes == null ? 'all' : 'some',
  senderCodes: endpoint?.sender_codes ?? [],
})

export const requestOf = ({ url, events, reach, senderCodes }: EndpointValues) =>
  ({
    url: url.trim(),
    events: [...events, 'webhook.test'],
    sender_codes: reach === 'all' ? null : senderCodes,
  }) satisfies UpdateWebhookRequest

/** Address, events and senders of a receiver. */
export function EndpointFields({ form }: { form: UseFormReturnType<EndpointValues> }) {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  return (
    <Stack>
      <TextInput
        label={t('webhooks.form.url')}
        description={t('webhooks.form.urlHint')}
        placeholder="http://192.168.1.20:8000/kurir"
        inputMode="url"
        required
        maxLength={2048}
        data-autofocus
        {...form.getInputProps('url')}
      />
      <Checkbox.Group label={t('webhooks.form.events')} {...form.getInputProps('events')}>
        <SimpleGrid cols={2} spacing="md" mt="sm">
          {GROUPS.map(({ word, events }) => (
            <fieldset key={word} className={classes.fieldset}>
              <legend>{t(`webhooks.form.${word}`)}</legend>
              <Stack gap="sm">
                {events.map((event) => (
                  <Checkbox key={event} value={event} label={t(`webhooks.event.${event}`)} />
                ))}
              </Stack>
            </fieldset>
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Input.Wrapper label={t('webhooks.form.of')} labelElement="div">
        <SegmentedControl
          display="flex"
          w="fit-content"
          aria-label={t('webhooks.form.of')}
          data={[
            { value: 'all', label: t('webhooks.form.all') },
            { value: 'some', label: t('webhooks.form.some') },
          ]}
          {...form.getInputProps('reach')}
        />
      </Input.Wrapper>
      {form.values.reach === 'all' ? null : (
        <MultiSelect
          aria-label={t('webhooks.form.some')}
          data={senders.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
          {...form.getInputProps('senderCodes')}
        />
      )}
    </Stack>
  )
}
