import {
  Alert,
  Button,
  Collapse,
  Fieldset,
  Group,
  List,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SecondRoad as Road, SecondRoadRule } from '../../../server/contract/second-road.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useTryRoad } from '../../api/official.ts'
import { useSenders, useUpdateSender } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'

const EMPTY_RULE: SecondRoadRule = { pattern: '', template_name: '', language: 'id' }

const beginning = (official: string): Road => ({
  enabled: true,
  sender_code: official,
  after_minutes: 30,
  monthly_cap: 100,
  rules: [EMPTY_RULE],
})

/** Returns the settings of the second road, without the members that the server only shows. */
function roadOf({ second_road }: SenderView): Road | null {
  if (second_road === null) return null
  const { enabled, sender_code, after_minutes, monthly_cap, rules } = second_road
  return { enabled, sender_code, after_minutes, monthly_cap, rules }
}

/**
 * The second road of a linked sender: an official sender that sends its texts as templates when
 * they cannot leave. It can be tested on past messages before it is saved.
 */
export function SecondRoad({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const officials = (useSenders().data ?? []).filter(({ kind }) => kind === 'official')
  const saved = roadOf(sender)
  /** Null: nothing is edited, and the form shows what is saved. */
  const [typed, setTyped] = useState<Road | null>(null)
  const [open, setOpen] = useState(false)
  const update = useUpdateSender(sender.sender_code)
  const first = officials[0]?.sender_code
  const road = typed ?? saved ?? beginning(first ?? '')
  const edited = typed !== null && JSON.stringify(typed) !== JSON.stringify(saved)
  useLeaveGuard(open && edited, 'unsaved')

  const save = (second_road: Road | null) =>
    update.mutate(
      { second_road },
      {
        onSuccess: () => {
          setTyped((now) => (now === typed ? null : now))
          notifications.show({ message: t('actions.saved') })
        },
      },
    )

  if (first === undefined && saved === null)
    return (
      <Text size="sm" c="dimmed">
        {t('senders.road.none')}
      </Text>
    )
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {sender.second_road === null
          ? t('senders.road.hint')
          : t('senders.road.used', { count: sender.second_road.used, cap: sender.second_road.monthly_cap })}
      </Text>
      <Group gap="sm">
        <Button size="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
          {saved === null ? t('senders.road.setUp') : t('senders.road.change')}
        </Button>
        {saved === null ? null : (
          <BusyButton size="xs" variant="default" busy={update.isPending} onClick={() => save(null)}>
            {t('senders.road.remove')}
          </BusyButton>
        )}
      </Group>
      {update.error === null ? null : <ErrorState error={update.error} />}
      <Collapse expanded={open}>
        <RoadForm
          code={sender.sender_code}
          officials={officials}
          road={road}
          change={setTyped}
          save={() => save(road)}
          edited={edited}
          busy={update.isPending}
        />
      </Collapse>
    </Stack>
  )
}

interface RoadFormProps {
  code: string
  officials: SenderView[]
  road: Road
  change: (road: Road) => void
  save: () => void
  edited: boolean
  busy: boolean
}

function RoadForm({ code, officials, road, change, save, edited, busy }: RoadFormProps) {
  const { t } = useTranslation()
  const trial = useTryRoad(code)
  const setRule = (at: number, rule: SecondRoadRule) => change({ ...road, rules: road.rules.with(at, rule) })

  function submit(event: FormEvent) {
    event.preventDefault()
    save()
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Select
          label={t('senders.road.through')}
          allowDeselect={false}
          data={officials.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
          value={road.sender_code}
          onChange={(sender_code) => change({ ...road, sender_code: sender_code ?? road.sender_code })}
        />
        <Group grow gap="sm">
          <NumberInput
            label={t('senders.road.after')}
            min={1}
            value={road.after_minutes}
            onChange={(value) => change({ ...road, after_minutes: Number(value) })}
          />
          <NumberInput
            label={t('senders.road.cap')}
            min={1}
            value={road.monthly_cap}
            onChange={(value) => change({ ...road, monthly_cap: Number(value) })}
          />
        </Group>
        {road.rules.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name, and its place is what counts
          <Fieldset key={at} legend={t('senders.road.rule', { number: at + 1 })}>
            <Stack gap="sm">
              <Textarea
                label={t('senders.road.pattern')}
                description={t('senders.road.patternHint', { example: '{{nama}}' })}
                autosize
                value={rule.pattern}
                onChange={(event) => setRule(at, { ...rule, pattern: event.currentTarget.value })}
              />
              <Group grow gap="sm">
                <TextInput
                  label={t('senders.road.template')}
                  value={rule.template_name}
                  onChange={(event) => setRule(at, { ...rule, template_name: event.currentTarget.value })}
                />
                <TextInput
                  label={t('write.language')}
                  value={rule.language}
                  onChange={(event) => setRule(at, { ...rule, language: event.currentTarget.value })}
                />
              </Group>
              {road.rules.length === 1 ? null : (
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => change({ ...road, rules: road.rules.toSpliced(at, 1) })}
                >
                  {t('actions.remove')}
                </Button>
              )}
            </Stack>
          </Fieldset>
        ))}
        <Group gap="sm">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => change({ ...road, rules: [...road.rules, EMPTY_RULE] })}
          >
            {t('senders.road.another')}
          </Button>
          <BusyButton size="xs" variant="default" busy={trial.isPending} onClick={() => trial.mutate(road)}>
            {t('senders.road.try')}
          </BusyButton>
          <BusyButton type="submit" size="xs" busy={busy} disabled={!edited}>
            {t('actions.save')}
          </BusyButton>
        </Group>
        {trial.error === null ? null : <ErrorState error={trial.error} />}
        {trial.data === undefined ? null : <Trial trial={trial.data} />}
      </Stack>
    </form>
  )
}

/** Says by which rule, if any, each of the last texts would have left. */
function Trial({ trial: { messages, fitting } }: { trial: NonNullable<ReturnType<typeof useTryRoad>['data']> }) {
  const { t } = useTranslation()
  return (
    <Alert
      role="status"
      color={fitting === 0 ? 'yellow' : 'blue'}
      title={t('senders.road.fitting', { count: fitting, of: messages.length })}
    >
      <List size="sm">
        {messages.slice(0, 20).map(({ id, message, preview, problems, rule }) => (
          <List.Item key={id}>
            {preview ?? message}
            <Text size="xs" c="dimmed">
              {rule === null
                ? t('senders.road.noRule')
                : problems.length > 0
                  ? problems.join(' ')
                  : t('senders.road.fits')}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
