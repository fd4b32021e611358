import { SegmentedControl, Stack } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useLinkSender } from '../../api/senders.ts'
import { type LinkPhase, linkPhase } from '../../model/link-phase.ts'
import { ErrorState } from '../error-state.tsx'
import { CodeWay } from './code-way.tsx'
import { Failed, Found, Linked } from './outcomes.tsx'
import { QrWay } from './qr-way.tsx'

type Method = 'qr' | 'code'

/** Linking a phone from the first code to "linked as…"; asks for a code by itself when it opens. */
export function LinkPanel({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const link = useLinkSender(sender.sender_code)
  const [method, setMethod] = useState<Method>('qr')
  const phase = usePhase(sender, link.isSuccess)
  const asked = useRef<boolean>(false)

  const askForQr = () => link.mutate({ method: 'qr' })

  useEffect(() => {
    if (asked.current || sender.state === 'connected' || sender.linking !== null) return
    asked.current = true
    link.mutate({ method: 'qr' })
  }, [sender.state, sender.linking, link.mutate])

  function choose(next: Method) {
    setMethod(next)
    if (next === 'qr') askForQr()
  }

  if (phase === 'linked') return <Linked sender={sender} />
  if (phase === 'found') return <Found />
  if (phase === 'failed' && !link.isPending) return <Failed reason={sender.reason} retry={() => choose('qr')} />
  return (
    <Stack gap="lg">
      <SegmentedControl
        aria-label={t('senders.linking.method')}
        value={method}
        onChange={(value) => choose(value === 'code' ? 'code' : 'qr')}
        data={[
          { value: 'qr', label: t('senders.linking.qr') },
          { value: 'code', label: t('senders.linking.code') },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {link.error === null ? null : <ErrorState error={link.error} {...(method === 'qr' ? { retry: askForQr } : {})} />}
      {method === 'code' ? (
        <CodeWay sender={sender} pending={link.isPending} ask={(phone) => link.mutate({ method: 'code', phone })} />
      ) : null}
      {method === 'qr' && link.error === null ? <QrWay sender={sender} /> : null}
    </Stack>
  )
}

function usePhase(sender: SenderView, asked: boolean): LinkPhase {
  const [shown, setShown] = useState(false)
  const showsCode = sender.qr !== null || sender.pairing_code !== null
  useEffect(() => {
    if (showsCode) setShown(true)
  }, [showsCode])
  return linkPhase(sender, asked, shown)
}
