import { Alert, Button, Group, NumberInput, Select, Stack, Switch, Text, Textarea, Title } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CODE_PAGES, type PrinterView, type Rule } from '../../../server/slices/printer/contract.ts'
import { usePrint, usePrints, useUpdatePrinter } from '../../api/prints.ts'
import { useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { ChatText } from '../../components/phone/chat-text.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { HowTo } from './how-to.tsx'
import classes from './prints.module.css'

interface SetupProps {
  printer: PrinterView
}

/** The steps from a closed port to receipts that are sent. */
export function Setup({ printer }: SetupProps) {
  const { t } = useTranslation()
  const prints = usePrints().data ?? []
  const newest = prints[0]?.id
  const { on, listening, number_rule, sending } = printer
  return (
    <ol className={classes.steps}>
      <Step title={t('prints.steps.open')} done={on && listening}>
        <Port printer={printer} />
      </Step>
      <Step title={t('prints.steps.add')} done={prints.length > 0}>
        <HowTo port={printer.port} />
      </Step>
      <Step title={t('prints.steps.print')} done={prints.length > 0}>
        <Text size="sm" role="status">
          {prints.length > 0 ? t('prints.came') : t('prints.comes')}
        </Text>
      </Step>
      <Step title={t('prints.steps.mark')} done={number_rule !== null}>
        <Rules printer={printer} newest={newest} />
      </Step>
      <Step title={t('prints.steps.send')} done={sending}>
        <Sending printer={printer} newest={newest} />
      </Step>
    </ol>
  )
}

interface StepProps {
  title: string
  done: boolean
  children: ReactNode
}

function Step({ title, done, children }: StepProps) {
  const { t } = useTranslation()
  const id = useId()
  const Icon = done ? IconCircleCheck : IconCircleDashed
  return (
    <li className={classes.step} aria-labelledby={id}>
      <Icon
        size={22}
        stroke={1.75}
        role="img"
        aria-label={done ? t('prints.done') : t('prints.toDo')}
        className={classes.mark ?? ''}
        data-done={done || undefined}
      />
      <Stack gap="sm">
        <Title order={3} fz={15} id={id}>
          {title}
        </Title>
        {children}
      </Stack>
    </li>
  )
}

function Port({ printer: { on, port, problem } }: SetupProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<number | string | null>(null)
  const update = useUpdatePrinter()
  const value = typed ?? port
  const isOther = value !== port && value !== ''
  useLeaveGuard(isOther, 'unsaved')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (typeof value !== 'number') return
    update.mutate({ port: value }, { onSuccess: () => setTyped((now) => (now === typed ? null : now)) })
  }

  return (
    <>
      <Switch
        label={t('prints.open')}
        description={t('prints.openHint')}
        checked={on}
        onChange={(event) => update.mutate({ on: event.currentTarget.checked })}
      />
      <form onSubmit={submit}>
        <Group gap="sm" align="flex-end">
          <NumberInput
            label={t('prints.port')}
            w={140}
            min={1}
            max={65_535}
            allowDecimal={false}
            thousandSeparator={false}
            value={value}
            onChange={setTyped}
          />
          {isOther ? (
            <BusyButton type="submit" variant="default" busy={update.isPending}>
              {t('actions.save')}
            </BusyButton>
          ) : null}
        </Group>
      </form>
      {problem === null ? null : (
        <Alert color="red" role="alert">
          {t(`prints.problem.${problem}`, { port: String(port) })}
        </Alert>
      )}
      {update.error === null ? null : <ErrorState error={update.error} />}
    </>
  )
}

interface WithNewestProps extends SetupProps {
  /** Id of the newest print. */
  newest: string | undefined
}

function Rules({ printer: { number_rule, reference_rule, sending }, newest }: WithNewestProps) {
  const { t } = useTranslation()
  const [, set] = useUrlState()
  const update = useUpdatePrinter()
  return (
    <>
      {number_rule === null && reference_rule === null ? <Text size="sm">{t('prints.markHint')}</Text> : null}
      {number_rule === null ? null : (
        <RuleLine
          what={t('prints.number')}
          rule={number_rule}
          {...(sending ? { hint: t('prints.forgetStops') } : {})}
          forget={() => update.mutate({ number_rule: null })}
        />
      )}
      {reference_rule === null ? null : (
        <RuleLine
          what={t('prints.reference')}
          rule={reference_rule}
          forget={() => update.mutate({ reference_rule: null })}
        />
      )}
      {newest === undefined ? null : (
        <Button
          variant={number_rule === null ? 'filled' : 'default'}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => set({ open: newest, show: 'all' }, { replace: false })}
        >
          {t('prints.openNewest')}
        </Button>
      )}
      {update.error === null ? null : <ErrorState error={update.error} />}
    </>
  )
}

interface RuleLineProps {
  what: string
  rule: Rule
  hint?: string
  forget: () => void
}

function RuleLine({ what, rule: { place, label }, hint, forget }: RuleLineProps) {
  const { t } = useTranslation()
  return (
    <Group gap="sm" justify="space-between">
      <Text size="sm">
        {what}: {t(`prints.rule.${place}`, { label })} {hint}
      </Text>
      <Button size="xs" variant="default" onClick={forget} aria-label={`${t('prints.forget')}: ${what}`}>
        {t('prints.forget')}
      </Button>
    </Group>
  )
}

/** The sender, the form of the message, the newest print as an example, and the switch. */
function Sending({ printer, newest }: WithNewestProps) {
  const { t } = useTranslation()
  const { sender_code, form, sending, number_rule, code_page } = printer
  const senders = (useSenders().data ?? []).filter(({ kind }) => kind !== 'official')
  const update = useUpdatePrinter()
  const isReady = number_rule !== null && sender_code !== null
  return (
    <>
      <Select
        label={t('write.sender')}
        placeholder={t('write.chooseSender')}
        allowDeselect={false}
        data={senders.map((one) => ({ value: one.sender_code, label: one.name }))}
        value={sender_code}
        onChange={(code) => update.mutate({ sender_code: code })}
      />
      <Select
        label={t('prints.form')}
        allowDeselect={false}
        data={(['text', 'pdf'] as const).map((value) => ({ value, label: t(`prints.forms.${value}`) }))}
        value={form}
        onChange={(value) => update.mutate({ form: value === 'pdf' ? 'pdf' : 'text' })}
      />
      {form === 'pdf' ? <Caption caption={printer.caption} /> : null}
      <details>
        <summary>{t('prints.letters')}</summary>
        <Select
          mt="xs"
          label={t('prints.codePage')}
          description={t('prints.codePageHint')}
          allowDeselect={false}
          data={CODE_PAGES.map((value) => ({
            value,
            label: value === 'auto' ? t('prints.auto') : value.toUpperCase(),
          }))}
          value={code_page}
          onChange={(value) => update.mutate({ code_page: CODE_PAGES.find((one) => one === value) })}
        />
      </details>
      {newest === undefined || number_rule === null ? null : <Example id={newest} />}
      <Switch
        label={t('prints.switchOn')}
        description={isReady ? t('prints.switchOnHint') : t('prints.switchOnNeeds')}
        checked={sending}
        disabled={!isReady && !sending}
        onChange={(event) => update.mutate({ sending: event.currentTarget.checked })}
      />
      {senders.find((one) => one.sender_code === sender_code)?.kind === 'sandbox' ? (
        <Text size="sm" role="note">
          {t('write.sandbox')}
        </Text>
      ) : null}
      {update.error === null ? null : <ErrorState error={update.error} />}
    </>
  )
}

function Caption({ caption }: { caption: string | null }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<string | null>(null)
  const update = useUpdatePrinter()
  const value = typed ?? caption ?? ''
  const text = value.trim() === '' ? null : value
  useLeaveGuard(text !== caption, 'unsaved')
  return (
    <>
      <Textarea
        label={t('prints.caption')}
        autosize
        maxLength={1024}
        value={value}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {text === caption ? null : (
        <BusyButton
          variant="default"
          busy={update.isPending}
          style={{ alignSelf: 'flex-start' }}
          // Text that was typed since then stays.
          onClick={() =>
            update.mutate({ caption: text }, { onSuccess: () => setTyped((now) => (now === typed ? null : now)) })
          }
        >
          {t('actions.save')}
        </BusyButton>
      )}
      {update.error === null ? null : <ErrorState error={update.error} />}
    </>
  )
}

/** The newest print as the present rules would send it. */
function Example({ id }: { id: string }) {
  const { t } = useTranslation()
  const print = usePrint(id).data
  if (print === undefined) return null
  const { found, text } = print
  return (
    <section aria-label={t('prints.example')} className={classes.example}>
      <Text size="sm" fw={600}>
        {t('prints.example')}
      </Text>
      <Text size="sm">
        {found.phone === null ? t('prints.noNumberHere') : t('prints.toNumber', { phone: found.phone })}
        {found.reference_id === null ? '' : ` ${t('prints.withReference', { reference: found.reference_id })}`}
      </Text>
      <div className={classes.bubble}>
        <ChatText text={text} />
      </div>
    </section>
  )
}
