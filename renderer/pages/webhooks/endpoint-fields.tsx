import { Checkbox, Input, MultiSelect, SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { DEFAULT_EVENTS, EVENTS, type WebhookView, webhookFields } from '../../../server/contract/webhooks.ts'
import { useSenders } from '../../api/senders.ts'
import { type RecordForm, useRecordForm } from '../../hooks/use-record-form.ts'
import classes from './webhooks.module.css'

/** The test reaches every endpoint, so it is no choice. */
const TEST = 'webhook.test'
const CHOICES = EVENTS.filter((event) => event !== TEST)
const GROUPS = [
  { name: 'messages', events: CHOICES.filter((event) => event.startsWith('message.')) },
  { name: 'contacts', events: CHOICES.filter((event) => event.startsWith('contact.')) },
  { name: 'senders', events: CHOICES.filter((event) => event.startsWith('sender.')) },
] as const

const { url, sender_codes } = webhookFields.shape
const schema = webhookFields.pick({ url: true, events: true, sender_codes: true }).extend({
  url: url.trim().min(1),
  // An empty list would match no sender.
  sender_codes: sender_codes.refine((codes) => codes === null || codes.length > 0),
})
export type EndpointValues = z.infer<typeof schema>

const BLANK: EndpointValues = { url: '', events: DEFAULT_EVENTS.filter((event) => event !== TEST), sender_codes: null }

/** The form of an endpoint, or of a new one. */
export const useEndpointForm = (endpoint?: WebhookView) =>
  useRecordForm<EndpointValues>({ saved: endpoint === undefined ? BLANK : valuesOf(endpoint), schema })

const valuesOf = (endpoint: WebhookView): EndpointValues => ({
  url: endpoint.url,
  events: CHOICES.filter((event) => endpoint.events.includes(event)),
  sender_codes: endpoint.sender_codes,
})

/** Changes as they are sent: a choice of events always includes the test. */
export const withTest = <Changes extends Partial<EndpointValues>>(changes: Changes): Changes =>
  changes.events === undefined ? changes : { ...changes, events: [...changes.events, TEST] }

/** Address, events and senders of an endpoint. */
export function EndpointFields({ form }: { form: RecordForm<EndpointValues>['form'] }) {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  const some = form.values.sender_codes !== null
  return (
    <Stack>
      <TextInput
        label={t('webhooks.form.url')}
        description={t('webhooks.form.urlHint')}
        placeholder="http://192.168.1.20:8000/kurir"
        inputMode="url"
        required
        {...form.getInputProps('url')}
      />
      <Checkbox.Group label={t('webhooks.form.events')} {...form.getInputProps('events')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" mt="sm">
          {GROUPS.map(({ name, events: ofGroup }) => (
            <fieldset key={name} className={classes.fieldset}>
              <legend>{t(`webhooks.form.groups.${name}`)}</legend>
              <Stack gap="sm">
                {ofGroup.map((event) => (
                  <Checkbox key={event} value={event} label={t(`webhooks.event.${event}`)} />
                ))}
              </Stack>
            </fieldset>
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Input.Wrapper label={t('webhooks.form.from')} labelElement="div">
        <SegmentedControl
          display="flex"
          w="fit-content"
          aria-label={t('webhooks.form.from')}
          data={[
            { value: 'all', label: t('webhooks.form.all') },
            { value: 'some', label: t('webhooks.form.some') },
          ]}
          value={some ? 'some' : 'all'}
          onChange={(value) => form.setFieldValue('sender_codes', value === 'all' ? null : [])}
        />
      </Input.Wrapper>
      {some ? (
        <MultiSelect
          aria-label={t('webhooks.form.some')}
          data={senders.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
          {...form.getInputProps('sender_codes')}
        />
      ) : null}
    </Stack>
  )
}
