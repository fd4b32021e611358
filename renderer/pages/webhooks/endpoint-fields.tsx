import { Checkbox, Input, MultiSelect, SegmentedControl, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import {
  DEFAULT_EVENTS,
  EVENTS,
  type EventName,
  type WebhookFormat,
  type WebhookView,
  webhookFields,
} from '../../../server/contract/webhooks.ts'
import { useSenders } from '../../api/senders.ts'
import { useWebhookFormats } from '../../api/webhooks.ts'
import { type RecordForm, useRecordForm } from '../../hooks/use-record-form.ts'
import classes from './webhooks.module.css'

/** All endpoints get the test event, so it is not offered as a choice. */
const TEST = 'webhook.test'
const CHOICES = EVENTS.filter((event) => event !== TEST)
const GROUPS = [
  { name: 'messages', events: CHOICES.filter((event) => event.startsWith('message.')) },
  { name: 'contacts', events: CHOICES.filter((event) => event.startsWith('contact.')) },
  { name: 'senders', events: CHOICES.filter((event) => event.startsWith('sender.')) },
] as const

const { url, sender_codes } = webhookFields.shape
const schema = webhookFields.pick({ url: true, format: true, events: true, sender_codes: true }).extend({
  url: url.trim().min(1),
  // An empty list would match no sender.
  sender_codes: sender_codes.refine((codes) => codes === null || codes.length > 0),
})
export type EndpointValues = z.infer<typeof schema>
type EndpointForm = RecordForm<EndpointValues>['form']

const DEFAULTS = DEFAULT_EVENTS.filter((event) => event !== TEST)
const OWN_FORMAT = 'kurir'
const BLANK: EndpointValues = { url: '', format: OWN_FORMAT, events: DEFAULTS, sender_codes: null }

/** The state of the form of an endpoint. Undefined: a new endpoint. */
export const useEndpointForm = (endpoint?: WebhookView) =>
  useRecordForm<EndpointValues>({ saved: endpoint === undefined ? BLANK : valuesOf(endpoint), schema })

const valuesOf = (endpoint: WebhookView): EndpointValues => ({
  url: endpoint.url,
  format: endpoint.format,
  events: CHOICES.filter((event) => endpoint.events.includes(event)),
  sender_codes: endpoint.sender_codes,
})

/** Adds the test event to changed events, for the request. */
export const withTest = <Changes extends Partial<EndpointValues>>(changes: Changes): Changes =>
  changes.events === undefined ? changes : { ...changes, events: [...changes.events, TEST] }

/** Returns the events of a format. Of an unknown format: all events. */
const eventsOf = (formats: readonly WebhookFormat[], name: string): readonly EventName[] =>
  formats.find((format) => format.name === name)?.events ?? EVENTS

/** The format of callbacks. Hidden if only Kurir's own is offered and chosen. */
function FormatSelect({ form, formats }: { form: EndpointForm; formats: readonly WebhookFormat[] }) {
  const { t } = useTranslation()
  const chosen = form.values.format
  const choices = formats.filter(({ name, offered }) => offered || name === chosen)
  if (chosen === OWN_FORMAT && choices.length <= 1) return null
  const unknown = formats.some(({ name }) => name === chosen) ? [] : [{ value: chosen, label: chosen }]
  return (
    <Select
      label={t('webhooks.form.format')}
      description={t('webhooks.form.formatHint')}
      allowDeselect={false}
      data={[...choices.map(({ name, title }) => ({ value: name, label: title })), ...unknown]}
      {...form.getInputProps('format')}
      onChange={(name) => {
        if (name === null) return
        const events = eventsOf(formats, name)
        const kept = form.values.events.filter((event) => events.includes(event))
        form.setValues({
          format: name,
          events: kept.length > 0 ? kept : DEFAULTS.filter((each) => events.includes(each)),
        })
      }}
    />
  )
}

/** Address, format, events and senders of an endpoint. */
export function EndpointFields({ form }: { form: EndpointForm }) {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  const codes = form.values.sender_codes
  const [chosen, setChosen] = useState<string[]>([])
  const formats = useWebhookFormats().data ?? []
  const within = eventsOf(formats, form.values.format)
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
      <FormatSelect form={form} formats={formats} />
      <Checkbox.Group label={t('webhooks.form.events')} {...form.getInputProps('events')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" mt="sm">
          {GROUPS.filter(({ events }) => events.some((event) => within.includes(event))).map(
            ({ name, events: ofGroup }) => (
              <fieldset key={name} className={classes.fieldset}>
                <legend>{t(`webhooks.form.groups.${name}`)}</legend>
                <Stack gap="sm">
                  {ofGroup
                    .filter((event) => within.includes(event))
                    .map((event) => (
                      <Checkbox key={event} value={event} label={t(`webhooks.event.${event}`)} />
                    ))}
                </Stack>
              </fieldset>
            ),
          )}
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
          value={codes === null ? 'all' : 'some'}
          onChange={(value) => {
            if (codes !== null) setChosen(codes)
            form.setFieldValue('sender_codes', value === 'all' ? null : chosen)
          }}
        />
      </Input.Wrapper>
      {codes === null ? null : (
        <MultiSelect
          aria-label={t('webhooks.form.some')}
          data={senders.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
          {...form.getInputProps('sender_codes')}
        />
      )}
    </Stack>
  )
}
