import { SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { normalisePhone } from '../../../server/contract/phone.ts'
import { useChat } from '../../api/messages.ts'
import { useSenders } from '../../api/senders.ts'
import { useTemplates } from '../../api/templates.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Phone } from '../../components/phone/phone.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { Addressing } from './addressing.tsx'
import { TemplateForm } from './template-form.tsx'
import { TextForm } from './text-form.tsx'
import classes from './try-it.module.css'

const SENDERS_OF = { text: ['sandbox', 'linked'], template: ['official', 'sandbox'] }
const EXAMPLE_PHONE = '62 812 3456 7890'

/** Compose a message at the left, watch the customer's phone at the right. */
export default function TryIt() {
  const { t } = useTranslation()
  const senders = useSenders()
  const [get, set] = useUrlState()
  const kind = get('kind') === 'template' ? 'template' : 'text'
  const choices = SENDERS_OF[kind].flatMap((wanted) => (senders.data ?? []).filter((one) => one.kind === wanted))
  const sender = choices.find((one) => one.sender_code === get('sender')) ?? choices[0]
  const [typed, setTyped] = useState<string | null>(null)
  const phone = typed ?? (sender?.kind === 'sandbox' ? EXAMPLE_PHONE : '')
  const code = sender?.sender_code ?? ''
  const normal = normalisePhone(phone, sender?.country_code ?? null)
  const messages = useChat(code, normal.ok ? normal.phone : '')
  const templates = useTemplates(code, sender?.kind === 'official').data ?? []

  if (senders.error !== null) return <ErrorState error={senders.error} retry={() => void senders.refetch()} />
  if (senders.data === undefined) return <Loading />
  return (
    <>
      <PageHeader title={t('tryIt.title')} lead={t('tryIt.lead')} />
      <div className={classes.sides}>
        <Panel>
          <Stack>
            <SegmentedControl
              aria-label={t('tryIt.kind')}
              value={kind}
              onChange={(value) => set({ kind: value, sender: undefined })}
              data={[
                { value: 'text', label: t('tryIt.text') },
                { value: 'template', label: t('tryIt.template') },
              ]}
              style={{ alignSelf: 'flex-start' }}
            />
            <Addressing
              choices={choices}
              sender={sender}
              choose={(sender_code) => set({ sender: sender_code })}
              phone={phone}
              setPhone={setTyped}
            />
            {kind === 'text' ? (
              <TextForm senderCode={code} phone={phone} />
            ) : (
              <TemplateForm key={code} senderCode={code} phone={phone} templates={templates} />
            )}
          </Stack>
        </Panel>
        <Phone from={sender?.name ?? 'Kurir'} messages={messages} templates={templates} />
      </div>
    </>
  )
}
