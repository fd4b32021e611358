import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useLinkSender } from '../../api/senders.ts'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { linkPhase } from '../../model/link-phase.ts'
import { ErrorState } from '../error-state.tsx'
import { CodeMethod } from './code-method.tsx'
import { Failed, Found, Linked } from './outcomes.tsx'
import { PasskeyStep } from './passkey-step.tsx'
import { QrMethod } from './qr-method.tsx'

const METHODS = ['qr', 'code'] as const
type Method = (typeof METHODS)[number]

/**
 * Links a phone, from the first code to "linked as…". A wide window asks for a QR code by itself.
 * A narrow window is probably the phone to be linked, which cannot scan its own screen, so it
 * offers the code to type first.
 */
export function LinkPanel({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const link = useLinkSender(sender.sender_code)
  const narrow = useNarrow()
  const [method, setMethod] = useState<Method>(narrow ? 'code' : 'qr')
  const [phone, setPhone] = useState(sender.phone ?? '')
  const [shown, setShown] = useShown(sender)
  const phase = linkPhase(sender, link.isSuccess, shown)
  const asked = useRef<boolean>(false)

  const askForQr = () => link.mutate({ method: 'qr' })

  useEffect(() => {
    if (sender.connection !== 'connected') return
    // If a wrong phone is unlinked here, linking begins again.
    asked.current = false
    link.reset()
  }, [sender.connection, link.reset])

  useEffect(() => {
    // Linking that is under way was started elsewhere.
    if (sender.linking !== null) asked.current = true
    if (method !== 'qr' || asked.current || sender.connection === 'connected') return
    asked.current = true
    link.mutate({ method: 'qr' })
  }, [method, sender.connection, sender.linking, link.mutate])

  function choose(next: Method) {
    setMethod(next)
    if (next === 'qr') askForQr()
  }

  function retry() {
    if (method === 'qr') return askForQr()
    link.reset()
    setShown(false)
  }

  if (phase === 'linked') return <Linked sender={sender} />
  if (phase === 'found') return <Found />
  if (phase === 'failed' && !link.isPending) return <Failed reason={sender.reason} retry={retry} />
  const { linking } = sender
  if (linking?.reason === 'passkey_required' || linking?.reason === 'passkey_refused') {
    const again = () => {
      setMethod('qr')
      askForQr()
    }
    return <PasskeyStep sender={sender} linking={linking} again={again} />
  }
  const trouble = troubleOf(sender)
  return (
    <Stack gap="lg">
      <SegmentedControl
        aria-label={t('senders.linking.method')}
        value={method}
        onChange={(value) => choose(value === 'code' ? 'code' : 'qr')}
        data={(narrow ? METHODS.toReversed() : METHODS).map((value) => ({
          value,
          label: t(`senders.linking.methods.${value}`),
        }))}
        style={{ alignSelf: 'flex-start' }}
      />
      {link.error === null ? null : <ErrorState error={link.error} {...(method === 'qr' ? { retry: askForQr } : {})} />}
      {trouble === null ? null : <Text role="status">{t(`senders.linking.${trouble}`)}</Text>}
      {method === 'code' ? (
        <CodeMethod
          sender={sender}
          phone={phone}
          setPhone={setPhone}
          pending={link.isPending}
          ask={(whole) => link.mutate({ method: 'code', phone: whole })}
        />
      ) : null}
      {method === 'qr' && link.error === null ? <QrMethod sender={sender} /> : null}
      <Text size="sm" c="dimmed" maw={640}>
        {t('senders.linking.risk')}
      </Text>
    </Stack>
  )
}

/** Returns why there is no code: WhatsApp is unreachable, or unavailable. Null: neither. */
function troubleOf({ qr, pairing_code, linking }: SenderView): 'unreachable' | 'unavailable' | null {
  if (qr !== null || pairing_code !== null) return null
  if (linking?.reason === 'whatsapp_unavailable') return 'unavailable'
  return linking?.reason === 'no_answer' || linking?.reason === 'connection_lost' ? 'unreachable' : null
}

/** True if a code was shown since this panel opened. */
function useShown(sender: SenderView) {
  const [shown, setShown] = useState(false)
  const showsCode = sender.qr !== null || sender.pairing_code !== null || sender.linking?.passkey != null
  const isLinked = sender.connection === 'connected'
  useEffect(() => {
    if (showsCode || isLinked) setShown(showsCode)
  }, [showsCode, isLinked])
  return [shown, setShown] as const
}
