import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { PrintDetail, PrinterView } from '../../../server/slices/printer/contract.ts'
import { usePrint, useRemovePrint, useSendPrint } from '../../api/prints.ts'
import { useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Section } from '../../components/section.tsx'
import { SentStatus } from '../../components/sent-status.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { countryFor, typedPhone } from '../../model/phone.ts'
import { PrintState } from './print-state.tsx'
import { Receipt } from './receipt.tsx'

interface PrintDrawerProps extends DrawerFrame {
  id: string
  printer: PrinterView
}

/** One print: why it waits, its text for marking, and a form to send it by hand. */
export function PrintDrawer({ id, printer, ...frame }: PrintDrawerProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const print = usePrint(id)
  return (
    <Drawer {...frame} title={print.data?.title || t('prints.receipt')}>
      <QueryView query={print}>
        {(data) => (
          <Stack gap="lg">
            <div>
              <PrintState print={data} />
              <Text size="sm" c="dimmed">
                {format.exact(data.at)}
              </Text>
            </div>
            <Receipt print={data} />
            {data.status === 'sent' ? (
              <>
                <Sent id={id} />
                <Remove id={id} onClose={frame.onClose} />
              </>
            ) : (
              <SendForm print={data} printer={printer} onClose={frame.onClose} />
            )}
          </Stack>
        )}
      </QueryView>
    </Drawer>
  )
}

/** The status of the print's message, which has the same id. */
function Sent({ id }: { id: string }) {
  const { t } = useTranslation()
  return (
    <Text size="sm" component="div">
      <SentStatus id={id}>
        <Anchor component={Link} href={`/messages?open=${id}&sandbox=with`} inherit>
          {t('write.showLog')}
        </Anchor>
      </SentStatus>
    </Text>
  )
}

interface SendFormProps {
  print: PrintDetail
  printer: PrinterView
  onClose: () => void
}

/** State of a field. Typed text counts until the rules find another text in the print. */
function useTyped(found: string) {
  const [typed, setTyped] = useState({ found, text: found })
  const text = typed.found === found ? typed.text : found
  return [text, (text: string) => setTyped({ found, text })] as const
}

function SendForm({ print, printer: { sender_code }, onClose }: SendFormProps) {
  const { t, i18n } = useTranslation()
  const senders = useSenders().data ?? []
  const sender = senders.find((one) => one.sender_code === sender_code)
  const found = {
    phone: print.found.phone ?? print.phone ?? '',
    reference: print.found.reference_id ?? print.reference_id ?? '',
  }
  const [typed, setTyped] = useTyped(found.phone)
  const [reference, setReference] = useTyped(found.reference)
  const release = useLeaveGuard(typed !== found.phone || reference !== found.reference, 'unsaved')
  const send = useSendPrint(print.id)
  const errors = useRefusals()
  const refused = send.error === null ? {} : errors(send.error)
  const body = {
    phone: typedPhone(typed, countryFor(sender, senders, i18n.language)),
    reference_id: reference.trim() === '' ? null : reference,
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    send.mutate(body, { onSuccess: () => notifications.show({ message: t('prints.queued') }) })
  }

  return (
    <>
      <Section title={t('prints.byHand')}>
        {sender === undefined ? <Text size="sm">{t('prints.needsSender')}</Text> : null}
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <TextInput
              type="tel"
              label={t('prints.number')}
              error={refused.phone}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <TextInput
              label={t('write.reference')}
              maxLength={256}
              error={refused.reference_id}
              value={reference}
              onChange={(event) => setReference(event.currentTarget.value)}
            />
            {sender?.kind === 'sandbox' ? <Text size="sm">{t('write.sandbox')}</Text> : null}
            {send.error === null ? null : <ErrorState error={send.error} marked={body} />}
            <BusyButton
              type="submit"
              busy={send.isPending}
              disabled={sender === undefined || typed.trim() === ''}
              style={{ alignSelf: 'flex-start' }}
            >
              {t('write.send')}
            </BusyButton>
          </Stack>
        </form>
      </Section>
      <Remove
        id={print.id}
        onClose={() => {
          release()
          onClose()
        }}
      />
    </>
  )
}

/** Asks before it deletes, because only the till can print the receipt again. Keeps the focus. */
function Remove({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<boolean | null>(null)
  const remove = useRemovePrint(id)
  if (!asked)
    return (
      <Button
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        autoFocus={asked === false}
        onClick={() => setAsked(true)}
      >
        {t('prints.remove')}
      </Button>
    )
  return (
    <section aria-label={t('prints.remove')}>
      <Text size="sm" mb="xs">
        {t('prints.removeAsk')}
      </Text>
      <Group gap="sm">
        <BusyButton
          color="red"
          busy={remove.isPending}
          onClick={() => remove.mutate(undefined, { onSuccess: onClose })}
        >
          {t('prints.remove')}
        </BusyButton>
        <Button variant="default" autoFocus onClick={() => setAsked(false)}>
          {t('prints.keep')}
        </Button>
      </Group>
      {remove.error === null ? null : <ErrorState error={remove.error} />}
    </section>
  )
}
