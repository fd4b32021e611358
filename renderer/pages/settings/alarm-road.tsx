import { Alert, Button, Collapse, Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AlarmKind, AlarmsView, UpdateAlarms } from '../../../server/slices/alarms/contract.ts'
import { useTestAlarm, useUpdateAlarms } from '../../api/alarms.ts'
import { useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useAlarmError } from '../../hooks/use-callback-error.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { type AlarmField, type AlarmValues, FIELDS_OF, requestOf, valuesOf } from '../../model/alarm-fields.ts'
import { countryFor, typedPhone } from '../../model/phone.ts'
import { Setting } from './setting.tsx'

interface AlarmRoadProps {
  kind: AlarmKind
  /** Null: the road is off. */
  saved: AlarmsView[AlarmKind]
}

/** A road by which alarms are sent: its fields, a test, and its switch. */
export function AlarmRoad({ kind, saved }: AlarmRoadProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const test = useTestAlarm()
  const errorText = useAlarmError()
  const off = useUpdateAlarms()
  const opener = useRef<HTMLButtonElement>(null)
  const fail = test.data ?? null

  /** Closes the form, and moves the focus to the button, because the focused element goes away. */
  function close() {
    setOpen(false)
    opener.current?.focus()
  }

  return (
    <Setting
      named
      label={t(`settings.alarms.roads.${kind}`)}
      hint={t(`settings.alarms.hints.${kind}`)}
      below={
        <Stack gap="sm">
          {fail === null ? null : (
            <Alert color="red" role="alert" title={t('settings.alarms.testFailed')}>
              {errorText(fail)}
            </Alert>
          )}
          {test.error === null ? null : <ErrorState error={test.error} />}
          {off.error === null ? null : <ErrorState error={off.error} />}
          <Collapse expanded={open}>
            <RoadForm key={String(saved === null)} kind={kind} saved={saved} close={close} />
          </Collapse>
        </Stack>
      }
    >
      {(ids) => (
        <Group gap="sm" justify="flex-end">
          {saved === null ? null : (
            <BusyButton
              size="xs"
              variant="default"
              busy={test.isPending}
              onClick={() =>
                test.mutate(kind, {
                  onSuccess: (failure) =>
                    failure === null ? notifications.show({ message: t('settings.alarms.tested') }) : undefined,
                })
              }
            >
              {t('settings.alarms.test')}
            </BusyButton>
          )}
          {saved === null ? null : (
            <BusyButton
              size="xs"
              variant="default"
              busy={off.isPending}
              onClick={() => off.mutate({ [kind]: null }, { onSuccess: close })}
            >
              {t('settings.alarms.off')}
            </BusyButton>
          )}
          <Button
            ref={opener}
            size="xs"
            variant={saved === null ? 'light' : 'default'}
            aria-expanded={open}
            aria-describedby={ids['aria-describedby']}
            onClick={() => setOpen(!open)}
          >
            {saved === null ? t('settings.alarms.setUp') : t('settings.alarms.change')}
          </Button>
        </Group>
      )}
    </Setting>
  )
}

function RoadForm({ kind, saved, close }: AlarmRoadProps & { close: () => void }) {
  const { t, i18n } = useTranslation()
  const update = useUpdateAlarms()
  const senders = useSenders().data ?? []
  const before = valuesOf(kind, saved)
  const [typed, setTyped] = useState<AlarmValues>({})
  const values = { ...before, ...typed }
  const edited = FIELDS_OF[kind].some(({ name }) => values[name] !== before[name])
  useLeaveGuard(edited, 'unsaved')
  const refusals = useRefusals()
  const refused = update.error === null ? {} : refusals(update.error)

  function submit(event: FormEvent) {
    event.preventDefault()
    const country = countryFor(undefined, senders, i18n.language)
    const sent = kind === 'whatsapp' ? { ...values, phone: typedPhone(values.phone ?? '', country) } : values
    update.mutate({ [kind]: requestOf(kind, sent) } as UpdateAlarms, {
      onSuccess() {
        // Drops the typed secrets. Text that was typed since then stays.
        setTyped((now) => (now === typed ? {} : now))
        if (saved === null) close()
        notifications.show({ message: t('actions.saved') })
      },
    })
  }

  const labelOf = ({ label, optional }: AlarmField) => {
    const name = t(`settings.alarms.fields.${label}`)
    return optional === true ? t('words.optional', { label: name }) : name
  }
  const labelled = (field: AlarmField) => ({
    label: labelOf(field),
    required: field.optional !== true,
    error: refused[`${kind}.${field.name}`],
    value: values[field.name] ?? '',
  })
  const put = (name: string, value: string) => setTyped({ ...typed, [name]: value })

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {FIELDS_OF[kind].map((field) => {
          if (field.input === 'sender') {
            const data = senders
              .filter((sender) => sender.kind === 'linked')
              .map(({ sender_code, name }) => ({ value: sender_code, label: name }))
            return (
              <Select
                key={field.name}
                {...labelled(field)}
                data={data}
                onChange={(value) => put(field.name, value ?? '')}
              />
            )
          }
          if (field.input === 'security') {
            const data = (['tls', 'starttls', 'none'] as const).map((value) => ({
              value,
              label: t(`settings.alarms.security.${value}`),
            }))
            return (
              <Select
                key={field.name}
                {...labelled(field)}
                data={data}
                allowDeselect={false}
                onChange={(value) => put(field.name, value ?? '')}
              />
            )
          }
          if (field.input === 'secret') {
            return (
              <PasswordInput
                key={field.name}
                {...labelled(field)}
                required={field.optional !== true && saved === null}
                autoComplete="off"
                {...(saved === null ? {} : { description: t('settings.alarms.kept') })}
                onChange={(event) => put(field.name, event.currentTarget.value)}
              />
            )
          }
          return (
            <TextInput
              key={field.name}
              {...labelled(field)}
              {...(field.input === 'phone' ? { type: 'tel' } : {})}
              {...(field.placeholder === undefined ? {} : { placeholder: field.placeholder })}
              onChange={(event) => put(field.name, event.currentTarget.value)}
            />
          )
        })}
        {update.error === null ? null : <ErrorState error={update.error} marked={{ [kind]: true }} />}
        <BusyButton type="submit" busy={update.isPending} disabled={!edited} style={{ alignSelf: 'flex-end' }}>
          {t('actions.save')}
        </BusyButton>
      </Stack>
    </form>
  )
}
